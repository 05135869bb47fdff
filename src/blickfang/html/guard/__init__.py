"""The guard before the HTML parser: every way to make it slow or its result huge has a bound."""

from blickfang.html.guard.guard import Guarded, guard_page

__all__ = ["Guarded", "guard_page"]
