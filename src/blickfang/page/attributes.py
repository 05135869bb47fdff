"""The attributes of an element as a page writes them, taken apart when somebody asks.

In: what stands between the name of an element and its end in canonical HTML. Out: a mapping. Of the
images of a page nearly nobody asks for more than address, size and texts, which are found before.
"""

import re
from collections.abc import Iterator, Mapping

from blickfang.page.tree import unescape

# A name may begin with =; a value has no quotation mark in it.
ATTRIBUTE = re.compile(r' (=?[^\t\n\f\r =]*)="([^"]*)"')


class Attributes(Mapping[str, str]):
    """Attributes by name, in the order of the page."""

    __slots__ = ("_values", "source")

    def __init__(self, source: bytes) -> None:
        self.source = source

    def _read(self) -> dict[str, str]:
        values: dict[str, str] | None = getattr(self, "_values", None)
        if values is None:
            pairs = ATTRIBUTE.findall(self.source.decode())
            values = self._values = {name: unescape(value) for name, value in pairs}
        return values

    def __getitem__(self, name: str) -> str:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())
