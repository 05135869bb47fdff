"""What a build does only if it is asked to: reading drawn text, and looking for nudity.

In: settings. Out: functions on the bytes of a picture, or None. A missing package is an error that
names the extra, before anything is built. A picture that was read once and cannot be read again
has no drawn text, and counts as naked: nobody has looked at it.
"""

from collections.abc import Callable

from blickfang.data import Failure
from blickfang.page.picture.drawn import DrawnTextReader
from blickfang.page.picture.nudity import NudityJudge


def make_drawn(wanted: bool) -> Callable[[bytes], str] | None:
    """Return who reads the text that is drawn in a picture."""
    if not wanted:
        return None
    reader = DrawnTextReader()

    def read(data: bytes) -> str:
        found = reader.read("", data)
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
