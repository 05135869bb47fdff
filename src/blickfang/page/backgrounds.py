"""The addresses of backgrounds: in inline styles, and where scripts find them.

In: what stands in `style` or `data-bg`. Out: addresses as the page writes them, one a layer.
"""

import re

from blickfang.page.sources import LOOKS_LIKE_IMAGE, MAX_ADDRESS, is_placeholder

# Each part ends where the next begins, and none is tried again: a style may be written to be slow.
# So a text that nobody closes goes on to the end, as in a style.
STRINGS = r"\"((?>(?:[^\"\\]|\\.)*))(?:\"|\\?\Z)|'((?>(?:[^'\\]|\\.)*))(?:'|\\?\Z)"
TOKEN = re.compile(
    rf"/\*.*?(?:\*/|\Z)|url\(\s*+(?:{STRINGS}|((?>(?:[^'\"()\\]|\\.)+)))\s*+\)"
    r"|(background)[\w-]{0,40}+\s*+:|(image-set\()|([;{}])|([\d.]{1,8}+)(x|dppx|dpi)\b"
    rf"|type\(\s*+(?:\"[^\"]*+\"|'[^']*+')\s*+\)|(\))|{STRINGS}",
    re.IGNORECASE | re.DOTALL,
)
# As nearly all are written: then no more needs to be told apart.
PLAIN = re.compile(
    r"\s*+background(?:-image)?:\s*+url\(([\"']?)([^\"'()\\]{1,8192}+)\1\)[\s\w%#!.-]*+;?\s*+"
)
PROPERTY, SET, END, SIZE, UNIT, CLOSE = range(4, 10)  # groups
WHOLE = re.compile(r"(?:https?:)?//[^\s{}<>()'\"]++\Z", re.IGNORECASE)
ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|\r?\n|(.))", re.IGNORECASE | re.DOTALL)
DPI = 96.0


def find_backgrounds(style: str) -> list[str]:
    """Return the addresses of all backgrounds that a style names, of a set the largest.

    >>> find_backgrounds("background: url(a.jpg), image-set('b.jpg' 1x, 'c.jpg' 2x); mask: url(d)")
    ['a.jpg', 'c.jpg']
    """
    if plain := PLAIN.fullmatch(style):
        return [plain[2].strip()]
    low = style.lower()
    if "background" not in low or ("url(" not in low and "image-set(" not in low):
        return []
    found: list[str] = []
    inside = False
    in_set: list[tuple[float, str]] | None = None
    for token in TOKEN.finditer(style):
        if token[PROPERTY] or token[END]:
            inside, in_set = bool(token[PROPERTY]), None
        elif not inside:
            continue
        elif token[SET]:
            in_set = []
        elif token[CLOSE] and in_set is not None:
            found += [max(in_set, key=_size)[1]] if in_set else []
            in_set = None
        elif token[SIZE]:
            if in_set:
                in_set[-1] = (_read_size(token[SIZE], token[UNIT]), in_set[-1][1])
        elif address := next(filter(None, (token[1], token[2], token[3])), None):
            _add(address, found, in_set)
        elif in_set is not None and (token[10] or token[11]):
            _add(token[10] or token[11], found, in_set)
    return found + ([max(in_set, key=_size)[1]] if in_set else [])


def _add(address: str, found: list[str], in_set: list[tuple[float, str]] | None) -> None:
    """Keep an address, in a set with the size of one without."""
    address = ESCAPE.sub(_unescape, address).strip() if "\\" in address else address.strip()
    if in_set is None:
        found.append(address)
    else:
        in_set.append((1.0, address))


def _size(candidate: tuple[float, str]) -> float:
    return candidate[0]


def _read_size(number: str, unit: str) -> float:
    try:
        return float(number) / (DPI if unit.lower() == "dpi" else 1.0)
    except ValueError:
        return 0.0


def _unescape(escape: re.Match[str]) -> str:
    """Return what an escape in a style stands for."""
    if escape[1]:
        code = int(escape[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return escape[2] or ""


def read_background(value: str) -> list[str]:
    """Return the addresses that an attribute for scripts names: as in a style, or one image.

    >>> read_background("a.jpg"), read_background("url(b.jpg)"), read_background("//c.org/d?w=3")
    (['a.jpg'], ['b.jpg'], ['//c.org/d?w=3'])
    >>> read_background("dark"), read_background("//c.org/d.mp4")
    ([], [])
    """
    value = value.strip()
    if "(" in value:
        return find_backgrounds(f"background:{value}")
    if len(value) > MAX_ADDRESS or is_placeholder(value):
        return []
    return [value] if LOOKS_LIKE_IMAGE.match(value) or _is_nameless(value) else []


def _is_nameless(value: str) -> bool:
    """Whether a value is a whole address without a file's name, as those of services for images."""
    path, _, query = value.partition("#")[0].partition("?")
    name = path.rpartition("/")[2]
    return bool((name or query) and "." not in name and WHOLE.match(value))
