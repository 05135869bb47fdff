"""What a build does only if it is asked to: reading drawn text, and looking for nudity.

In: settings. Out: functions on the bytes of a picture, or None. A missing package is an error that
names the extra, before anything is built.
"""

from collections.abc import Callable


def make_drawn(wanted: bool) -> Callable[[bytes], str] | None:
    """Return who reads the text that is drawn in a picture."""
    if not wanted:
        return None
    from blickfang.page.picture.drawn import read_drawn

    return read_drawn


def make_nudity(most: float) -> Callable[[bytes], float] | None:
    """Return who says how much nudity a picture shows, 0 to 1."""
    if most >= 1:
        return None
    from blickfang.page.picture.nudity import rate_nudity

    return rate_nudity
