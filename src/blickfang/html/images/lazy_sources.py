"""Where the bytes of an <img> really are: srcset, lazy loading, placeholders; and its stated size.

In: the attributes of an element. Out: the address that shows most, as the page writes it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from blickfang.html.file_formats import NOT_READ_ENDS, NOT_READ_TYPE
from blickfang.html.parse.tags import ATTRIBUTE_NAMES, BACKGROUND_NAMES

CANDIDATE = re.compile(r"[\s,]*([^\s,](?:\S*[^\s,])?)(?:\s+([\d.]+)([wxh]))?[^,]*(?:,|$)")
BETWEEN = "," + "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())
# Descriptors as nearly all sets have them: then cutting at white space says the same, faster.
PLAIN_SIZES = re.compile(r"(?:[\d.]+[wxh], )*[\d.]+[wxh],?")
# Names of attributes that a script reads: any address may stand there, or other files, too.
LAZY_NAME = re.compile(r"src|orig|lazy|img|image|url|hi-?res|full|large|echo|defer", re.IGNORECASE)
FILE_NAME = re.compile(r"file|thumb|retina|cover|medium|zoom|photo|poster|bg|background", re.I)
SMALL_NAME = re.compile(  # of small forms, and of what stands there until, or unless, it is loaded
    r"thumb|small|medium|mini|tiny|low|preview|lqip|blur"
    r"|placeholder|fallback|error|loading|spinner",
    re.IGNORECASE,
)
TEXT_NAME = re.compile(  # of what speaks of an image
    r"(?:^|[-_])(?:title|alt|caption|desc(?:ription)?|text|name|label)(?:$|[-_])", re.IGNORECASE
)
OWN_NAME = re.compile(r"data-|(?!on)[a-z][a-z\d_-]*$", re.IGNORECASE | re.ASCII)  # no ":src"
KNOWN_NAMES = frozenset([*ATTRIBUTE_NAMES, "lowsrc"]) - {*BACKGROUND_NAMES}
LAZY_SET = re.compile(r"srcset", re.IGNORECASE)
LOOKS_LIKE_FILE = re.compile(
    r"[^\s{}<>]*\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|jxl|heic)\b", re.IGNORECASE
)
LOOKS_LIKE_IMAGE = re.compile(  # first what may stand in all of it, so that nothing is tried twice
    r"(?=[^\s{}<>'\"]++\s*+\Z)[^\s{}<>()'\"]+?\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|jxl|heic)"
    r"(?:[?#&!@]|\s*+\Z)",
    re.IGNORECASE,
)
LOOKS_LIKE_ADDRESS = re.compile(r"(?:https?:)?//[^\s/]+/\S*$|/\S*$", re.IGNORECASE)
NO_FILE = ("data:", "about:", "javascript:", "#", "blob:")
# What a script fills in: {{ image }}, ${image}, <%= image %>, {width}; or its settings in JSON.
TEMPLATE = re.compile(
    r"\s*+[\[{]\s*+[\[{\"'\]}]|[^#]*?(?:\{[{%]|\$\{|<[%?]|\{[A-Za-z_]\w{0,30}\})", re.ASCII
)
WIDTH_PLACE = "{width}"  # one of `data-widths`, as a widely used loader has it
WORDS = "none|blank|spacer|pixel|placeholder|transparent|lazy|loading|loader|grey|gray"
BESIDE = (  # what stands beside them in such names, and says nothing: a grey heron is none.
    # No name can be cut into words and these in two ways: else a hostile one would take for ever.
    r"images?|img|bg|background|icon|anim(?:ation|ated)|spinner|default|small|large|white|black"
    r"|empty|dot|load|trans|px|min|thumb|ajax|x|\d|[-_~+]|%20"
)
PLACEHOLDER = re.compile(
    rf"(?:(?:^|/)(?=[^/]{{0,80}}(?:{WORDS}))(?:{WORDS}|{BESIDE}){{1,60}}"
    r"|(?:^|[/._-])(?:placeholder|spacer|1x1)[^/]{0,40})"
    r"\.(?:gif|png|svg|jpe?g|webp)$",
    re.IGNORECASE,
)
HINTS = (
    "none.",
    "blank",
    "space",
    "pixel",
    "holder",
    "transp",
    "lazy",
    "load",
    "1x1",
    "grey",
    "gray",
)
LONGEST_SET = 64 * 1024  # letters of a srcset: as many as the guard leaves in a value
TAIL = 200  # characters of an address in which the file name is looked for
NUMBER = re.compile(r"\b\d{1,5}\b", re.ASCII)
LENGTH = re.compile(r"\s*+(\d++)(?:\.\d++)?\s*+(?:px)?\s*+$")
STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d+)(?:\.\d+)?px", re.IGNORECASE)
NAMES_FIRST = ("data-src", "data-original", "data-lazy-src")  # what nearly all loaders use
MAX_SIDE = 100_000
MAX_ADDRESS = 8192
MOST_OTHERS = 3
OTHER_MEDIA = ("print", "dark")  # where not what most readers see is shown


def largest_candidate(srcset: str) -> str:
    """Return the address of the largest image of a srcset, the first of equals.

    >>> largest_candidate("a.jpg 320w, b.jpg 1024w, c.jpg"), largest_candidate("a.jpg, b.jpg 2x")
    ('b.jpg', 'b.jpg')
    """
    return next(list_candidates(srcset), "")


def list_candidates(srcset: str) -> Iterator[str]:
    """Return the addresses of a srcset, the largest first, without placeholders."""
    return (address for address in _rank(srcset) if not is_placeholder(address))


@lru_cache(maxsize=256)  # first for the largest, then for the others, of all images of a page
def _rank(srcset: str) -> list[str]:
    """Return the addresses of a srcset, the largest first, of equals the first."""
    return [address for address, _ in sorted(_cut_set(srcset), key=_by_size, reverse=True)]


def _cut_set(srcset: str) -> list[tuple[str, float]]:
    """Return addresses and sizes as they stand in a srcset."""
    srcset = srcset[:LONGEST_SET]
    pieces = srcset.split()
    named, sizes = pieces[::2], pieces[1::2]
    if len(named) == len(sizes) and PLAIN_SIZES.fullmatch(" ".join(sizes)):
        edges = f" {' '.join(named)} "
        if " ," not in edges and ", " not in edges:
            pairs = zip(named, (size.rstrip(",") for size in sizes), strict=True)
            return [(name, _size_of(size[:-1], size[-1])) for name, size in pairs]
    # Blanks and commas that nothing follows would be gone through again from each of them.
    matches = CANDIDATE.finditer(srcset.rstrip(BETWEEN))
    return [(match[1], _size_of(match[2], match[3])) for match in matches]


def find_others(
    values: dict[str, str], chosen: str, sources: Iterable[Mapping[str, str]] = ()
) -> list[str]:
    """Return further addresses of an image, in case the one chosen does not answer, or is not read.

    Its own, unless src is what was chosen; then the largest of each <source> beside it.

    >>> find_others({"srcset": "a.jpg 320w, b.jpg 1024w", "src": "c.jpg"}, "b.jpg")
    ['a.jpg', 'c.jpg']
    """
    others: dict[str, None] = {}
    for address in _name_all(values) if chosen != values.get("src", "") else ():
        if address != chosen and len(others) < MOST_OTHERS:
            others[address] = None
    for source in sources:
        forms = (one for one in list_forms((source,)) if one != chosen and one not in others)
        if len(others) < MOST_OTHERS and (form := next(forms, "")):
            others[form] = None
    return list(others)


def is_for_all(source: Mapping[str, str]) -> bool:
    """Whether a <source> may be what readers see: of a kind that is read, not for paper only.

    >>> is_for_all({"type": "image/jxl"}), is_for_all({"media": "print"})
    (False, False)
    """
    if NOT_READ_TYPE.match(source.get("type", "")):
        return False
    queries = source.get("media", "").lower().split(",")
    return not all("not" not in one and any(map(one.__contains__, OTHER_MEDIA)) for one in queries)


def list_forms(elements: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Return the addresses in the sets of some elements, the largest first, of kinds that are read.

    Where a type is stated, it says more than names of files, from which servers make other kinds.

    >>> list(list_forms([{"srcset": "a.jxl 900w, b.jpg 300w"}, {"srcset": "c.jpg 600w"}]))
    ['c.jpg', 'b.jpg']
    """
    untyped = join_sets(one for one in elements if not one.get("type"))
    unread = set(filter(is_unread, list_candidates(untyped)))
    return (one for one in list_candidates(join_sets(elements)) if one not in unread)


def is_unread(address: str) -> bool:
    """Whether an address ends like that of a picture that is not read."""
    path = address.partition("?")[0].partition("#")[0]
    return path[-8:].lower().endswith(NOT_READ_ENDS)


def _name_all(values: dict[str, str]) -> Iterator[str]:
    """Return all addresses of an image that are none of placeholders."""
    for name in _list_names(tuple(values)).sets:
        yield from list_candidates(values[name])
    source = values.get("src", "").strip()
    if source and not is_placeholder(source):
        yield source


def _by_size(candidate: tuple[str, float]) -> float:
    return candidate[1]


def _size_of(number: str | None, unit: str | None) -> float:
    """Return a descriptor as a width; one without is the page's ordinary size."""
    try:
        value = float(number) if number else 1.0
    except ValueError:
        return 0.0
    return (
        value if unit in ("w", "h") else value * 1.5
    )  # 2x of an unknown width: above 1x, below any w


def join_sets(elements: Iterable[Mapping[str, str]]) -> str:
    """Return all sets of addresses that some elements name as one."""
    sets = (values[name] for values in elements for name in _list_names(tuple(values)).sets)
    return ", ".join(filter(None, sets))


def choose_source(values: dict[str, str]) -> str:
    """Return the address of an image by its attributes, "" where there is none.

    >>> choose_source({"src": "data:,", "data-src": "cat.jpg"})
    'cat.jpg'
    """
    sets = join_sets((values,))
    if sets and (best := largest_candidate(sets)):
        return best
    lazy = _find_lazy(values)
    source = values.get("src", "").strip()
    if lazy and (not source or is_placeholder(source) or lazy[0]):
        return lazy[1]
    if source and not names_no_file(source):
        return source
    return _find_any(values)


def names_no_file(address: str) -> bool:
    """Whether an address leads to no file: it holds the image itself, or a script fills it in.

    >>> names_no_file("data:,x"), names_no_file("{{ item.image }}"), names_no_file("a{1}.jpg")
    (True, True, False)
    """
    if address.startswith(NO_FILE):
        return True
    return ("{" in address or "<" in address or "[" in address) and bool(TEMPLATE.match(address))


def is_placeholder(address: str) -> bool:
    """Whether an address stands for "not loaded yet"."""
    if names_no_file(address):
        return True
    path = address.partition("?")[0].partition("#")[0][-TAIL:]
    if path.isascii():  # else other letters count as these, too
        name = path[path.rfind("/") + 1 :].lower()  # every folder of uploads would be a hint
        for hint in HINTS:  # the cheap answer for nearly all
            if hint in name:
                break
        else:
            return False
    return _is_named_so(path)


@lru_cache(maxsize=256)  # all lazy images of a page have the same one
def _is_named_so(tail: str) -> bool:
    """Whether an address ends like that of a placeholder."""
    return PLACEHOLDER.search(tail) is not None


def _find_lazy(values: dict[str, str]) -> tuple[bool, str] | None:
    """Return an address that a script would put into src; whether it is surely the real one."""
    named = _list_names(tuple(values)).lazy
    if not named:
        return None
    for name in NAMES_FIRST:
        value = _fill_in(_read_settings(values.get(name, "")).strip(), values)
        if value and not is_placeholder(value):
            return True, value
    for name, kind in named:
        if kind == "one" and name.startswith("data-"):
            value = _read_settings(values[name])
            if _is_address(value):
                return False, value.strip()
        elif kind != "set" and _is_image(values[name]):
            return False, values[name].strip()
    return None


def _fill_in(address: str, values: dict[str, str]) -> str:
    """Return an address with the largest of its widths, where it leaves a place for one."""
    if WIDTH_PLACE not in address:
        return address
    widths = NUMBER.findall(values.get("data-widths", ""))
    return address.replace(WIDTH_PLACE, max(widths, key=int)) if widths else address


def _read_settings(value: str) -> str:
    """Return the first address in settings of a loader as JSON; of others the value itself."""
    if not value.lstrip().startswith(("{", "[")) or len(value) > MAX_ADDRESS:
        return value
    try:
        left = [json.loads(value)]
    except (ValueError, RecursionError):
        return value
    while left:
        one: Any = left.pop()
        if isinstance(one, str) and _is_address(one):
            return one
        parts = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        left += reversed([*parts])
    return value


def _find_any(values: dict[str, str]) -> str:
    """Return what a loader names, whatever its name: without it there is nothing at all."""
    named = (values.get(name, "").strip() for name in NAMES_FIRST)
    return next((value for value in named if value and not names_no_file(value)), "")


class FileAttributes(NamedTuple):
    """Which attributes of an element may name its files."""

    sets: tuple[str, ...]  # of addresses: the page's own, then those for scripts
    lazy: tuple[tuple[str, str], ...]  # for scripts, with their kinds: large images first


@lru_cache(maxsize=1024)  # the images of a template all have the same
def _list_names(names: tuple[str, ...]) -> FileAttributes:
    """Return which of the attributes of an element may name its files."""
    named = [(name, kind) for name in names if (kind := _name_kind(name))]
    sets = [name for name, kind in named if kind == "set"]
    own = ["srcset"] if "srcset" in names else []
    return FileAttributes((*own, *sets), tuple(sorted(named, key=_rank_name)))


def _name_kind(name: str) -> str:
    """Return whether an attribute may hold a set of addresses, one, a file's, or none."""
    if name in KNOWN_NAMES or not OWN_NAME.match(name):
        return ""
    if LAZY_SET.search(name):
        return "set"
    if TEXT_NAME.search(name):
        return ""
    if LAZY_NAME.search(name):
        return "one"
    return "file" if FILE_NAME.search(name) else ""


def _rank_name(named: tuple[str, str]) -> tuple[bool, bool]:
    """Return what puts names of large images first, then those of addresses before other files."""
    name, kind = named
    return SMALL_NAME.search(name) is not None, kind == "file"


def _is_address(value: str) -> bool:
    if len(value) > MAX_ADDRESS:
        return False
    looks = LOOKS_LIKE_FILE.match(value) or LOOKS_LIKE_ADDRESS.match(value)
    return bool(looks) and not is_placeholder(value)


def _is_image(value: str) -> bool:
    """Whether a value is surely the address of an image, by its end."""
    value = value.strip()
    looks = len(value) <= MAX_ADDRESS and LOOKS_LIKE_IMAGE.match(value)
    return bool(looks) and not is_placeholder(value)


def stated_size(values: dict[str, str]) -> tuple[int | None, int | None]:
    """Return width and height in pixels as the attributes state them.

    >>> stated_size({"width": "300px", "height": "50%"}), stated_size({"style": "width: 20px"})
    ((300, None), (20, None))
    """
    sizes: dict[str, int] = {}
    if "style" in values:
        found = STYLE_SIZE.findall(values["style"][:1000])
        sizes = {name.lower(): int(size) for name, size in found if len(size) < 7}
    for name in ("width", "height"):
        value = values.get(name)
        if value:
            match = LENGTH.match(value)
            if match and len(match[1]) < 7:
                sizes[name] = int(match[1])
    if not sizes:
        return None, None
    width, height = sizes.get("width"), sizes.get("height")
    return (
        width if width is not None and width <= MAX_SIDE else None,
        height if height is not None and height <= MAX_SIDE else None,
    )
