"""What a build does only if it is asked to: reading drawn text, and looking for nudity.

In: settings. Out: functions on the bytes of a picture, or None. A missing package is an error that
names the extra, before anything is built. A picture that was read once and cannot be read again
has no drawn text, and counts as naked: nobody has looked at it. Nor has one any drawn text whose
page is written in a script that the reader does not know.
"""

from collections.abc import Callable

from blickfang.html.picture.drawn import DrawnTextReader, knows_script
from blickfang.html.picture.nudity import NudityJudge
from blickfang.types import Failure

ReadDrawn = Callable[[bytes, str], str]


def make_drawn(wanted: bool) -> ReadDrawn | None:
    """Return who reads the text that is drawn in a picture, given texts of its page."""
    if not wanted:
        return None
    reader = DrawnTextReader()

    def read(data: bytes, said: str) -> str:
        found = reader.read("", data) if knows_script(said) else ""
        return "" if isinstance(found, Failure) else found

    return read


def make_nudity(most: float) -> Callable[[bytes], float] | None:
    """Return who says how much nudity a picture shows, 0 to 1."""
    if most >= 1:
        return None
    judge = NudityJudge()

    def rate(data: bytes) -> float:
        found = judge.judge("", data)
        return 1.0 if isinstance(found, Failure) else found

    return rate
