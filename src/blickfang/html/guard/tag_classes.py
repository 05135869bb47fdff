"""What the guard knows about tags: the HTML standard's classes of elements, as tables.

In: nothing. Out: tables in which a kernel finds the number, kind and classes of a tag by the hash
of its name, and `is_quirky`, which reads a doctype. Names that the standard does not treat in a
way of their own have no number: their hash serves as one. The hash has a key that is new in every
process, so that nobody can write two names that look like one to the guard but not to the parser.
The tables become part of the kernels, so blickfang.compute.kernels must see this file change.
"""

import re
import secrets
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Kinds: how the standard ("in body") treats a start tag.
(
    ORDINARY, BLOCK, HEADING, ITEM, FORMAT, ANCHOR, NOBR, BUTTON, OBJECT, TABLE, PART, VOID, QUIET,
    RULE, INPUT, SELECT, OPTION, RUBY, FOREIGN, FORM, TEMPLATE, ROOT, FRAMESET, RAW, XMP, DROP,
) = (1 << bit for bit in range(26))  # fmt: skip
ANY_FORMAT = FORMAT | ANCHOR | NOBR
EMPTY = VOID | QUIET | RULE | INPUT

KINDS = {
    BLOCK: "address article aside blockquote center details dialog dir div dl fieldset figcaption "
    "figure footer header hgroup main menu nav ol p search section summary ul pre listing",
    HEADING: "h1 h2 h3 h4 h5 h6",
    ITEM: "li dd dt",
    FORMAT: "b big code em font i s small strike strong tt u",
    ANCHOR: "a",
    NOBR: "nobr",
    BUTTON: "button",
    OBJECT: "applet marquee object",
    TABLE: "table",
    PART: "caption col colgroup tbody td tfoot th thead tr",
    VOID: "area br embed image img keygen wbr",  # these open formatting elements again
    QUIET: "base basefont bgsound frame link meta param source track",  # these do not
    RULE: "hr",
    INPUT: "input",
    SELECT: "select",
    OPTION: "option optgroup",
    RUBY: "rb rp rt rtc",
    FOREIGN: "svg math",
    FORM: "form",
    TEMPLATE: "template",
    ROOT: "html head body",
    FRAMESET: "frameset",
    RAW: "title style script noframes textarea iframe noembed",
    XMP: "xmp",
    DROP: "plaintext selectedcontent",
    ORDINARY: "annotation-xml desc foreignobject malignmark mglyph mi mn mo ms mtext noscript ruby "
    "span sub var",
}

# Classes: bits of an open element. The scopes say where the search for an open element ends.
(
    SPECIAL, SCOPE, BUTTON_SCOPE, LIST_SCOPE, TABLE_SCOPE, IMPLIED, STOPS_ITEM, IN_TABLE,
    BREAKS_OUT, IN_HEAD, FORMATTING, POINT, MATH_POINT, CELL, NO_ROWS, STARTS_BODY, IN_NOSCRIPT,
    IN_COLGROUP,
) = (1 << bit for bit in range(18))  # fmt: skip
SCOPES = SCOPE | BUTTON_SCOPE | LIST_SCOPE

_ANY_SCOPE = "applet caption html marquee object select table td template th"
CLASSES = {
    SCOPE: _ANY_SCOPE,
    BUTTON_SCOPE: f"{_ANY_SCOPE} button",
    LIST_SCOPE: f"{_ANY_SCOPE} ol ul",
    TABLE_SCOPE: "html table template",
    IMPLIED: "dd dt li optgroup option p rb rp rt rtc",
    IN_TABLE: "td th tr tbody tfoot thead caption colgroup table template body html",
    BREAKS_OUT: "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head "
    "hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub table tt u "
    "ul var",
    IN_HEAD: "base basefont bgsound link meta noframes script style template title",
    CELL: "td th",
    IN_COLGROUP: "col template",
    NO_ROWS: "caption col colgroup",
    STARTS_BODY: "body html br",  # even as end tags
    IN_NOSCRIPT: "basefont bgsound link meta noframes noscript style",
    FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    SPECIAL: "address applet area article aside base basefont bgsound blockquote body br button "
    "caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer "
    "form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe image img input "
    "keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param "
    "plaintext pre script search section select source style summary table tbody td template "
    "textarea tfoot th thead title tr track ul wbr xmp",
}

# Modes: what the nearest of the elements IN_TABLE makes of parts of tables.
(
    FRESH, BODY, IN_CELL, IN_CAPTION, IN_COLUMNS, IN_ROW, IN_SECTION, IN_TABLE_ITSELF,
) = (1 << bit for bit in range(8))  # fmt: skip
IN_ROWS = IN_ROW | IN_SECTION | IN_TABLE_ITSELF
MODES = {
    IN_CELL: "td th",
    IN_CAPTION: "caption",
    IN_COLUMNS: "colgroup",
    IN_ROW: "tr",
    IN_SECTION: "tbody tfoot thead",
    IN_TABLE_ITSELF: "table",
    FRESH: "template",
}

UNKNOWN = 256  # numbers from here on are hashes of names
NAMES = ("", *(name for names in KINDS.values() for name in names.split()))
SLOTS = 1024
KEY = secrets.randbits(64)
MULTIPLIER = 0x9E3779B97F4A7C15
MASK_64 = 2**64 - 1


def number_of(name: str) -> int:
    """Return the number of a tag that has one."""
    return NAMES.index(name)


def hash_name(name: bytes) -> int:
    """Return what the kernel's `read_name` makes of a name in lower case: 63 bits."""
    h = KEY
    for byte in name:
        h = ((h ^ byte) * MULTIPLIER) & MASK_64
    return (h ^ (h >> 29)) >> 1


def make_known() -> NDArray[np.int64]:
    """Return the key, and a hash table of the names that have a number: hashes, then numbers."""
    known = np.zeros(1 + 2 * SLOTS, np.int64)
    known[0] = np.uint64(KEY).astype(np.int64)
    for number, name in enumerate(NAMES[1:], 1):
        h = hash_name(name.encode())
        slot = 1 + h % SLOTS
        while known[slot]:
            slot = slot % SLOTS + 1
        known[slot], known[slot + SLOTS] = h, number
    return known


def make_table(source: dict[int, str], other: int) -> NDArray[np.int64]:
    """Return a table of one value for each number."""
    table = np.full(UNKNOWN, other, np.int64)
    for value, names in source.items():
        table[[number_of(name) for name in names.split()]] = value
    return table


def make_classes() -> NDArray[np.int64]:
    """Return the classes by number: those of HTML, SVG and MathML in turn."""
    classes = np.zeros(3 * UNKNOWN, np.int64)

    def mark(space: int, bits: int, names: str) -> None:
        for name in names.split():
            classes[space * UNKNOWN + number_of(name)] |= bits

    for bits, names in CLASSES.items():
        mark(0, bits, names)
    mark(0, STOPS_ITEM, " ".join(set(CLASSES[SPECIAL].split()) - {"address", "div", "p"}))
    foreign = SPECIAL | SCOPES | STOPS_ITEM
    mark(1, foreign | POINT, "foreignobject desc title")
    mark(2, foreign | MATH_POINT, "mi mo mn ms mtext")
    mark(2, foreign, "annotation-xml")
    for space in (1, 2):  # the parser closes these whatever they belong to
        mark(space, IMPLIED, "optgroup option rb rp rt rtc")
    return classes


def make_filling() -> NDArray[np.int64]:
    """Return by number whether an element in the body keeps a page from having frames."""
    fills = (make_table(KINDS, ORDINARY) & (ITEM | BUTTON | OBJECT | TABLE | VOID | RULE)) > 0
    names = "body pre listing input select textarea xmp iframe"
    fills[[number_of(name) for name in names.split()]] = True
    return fills.astype(np.int64)


KNOWN = make_known()
FILLS = make_filling()
KIND_OF = make_table(KINDS, ORDINARY)
MODE_OF = make_table(MODES, BODY)
CLASS_OF = make_classes()

_SPACE = rb"[ \t\n\f\r]"
_QUOTED = rb"""(?:"([^">]*)"|'([^'>]*)')"""
_DOCTYPE = re.compile(
    rb"<!doctype%b+html(?:%b+public%b*%b(?:%b*%b)?|%b+system%b*%b)?%b*>"
    % (_SPACE, _SPACE, _SPACE, _QUOTED, _SPACE, _QUOTED, _SPACE, _SPACE, _QUOTED, _SPACE),
    re.IGNORECASE,
)
_STANDARD = re.compile(rb"-//W3C//DTD (?:XHTML (?:1\.[01]|Basic|\+)|HTML 4\.01//)", re.IGNORECASE)
_BY_SYSTEM = re.compile(rb"-//W3C//DTD HTML 4\.01 (?:Frameset|Transitional)//", re.IGNORECASE)
USUAL_DOCTYPE = 200  # bytes; what pages say of longer ones is not remembered
_QUIRKY = re.compile(
    rb"-//(?:W3C//DTD HTML (?:3\.2(?: Final)?|4\.0 (?:Frameset|Transitional))|IETF//DTD HTML)//",
    re.IGNORECASE,
)


def is_quirky(doctype: bytes) -> bool | None:
    """Whether a doctype makes the parser follow old browsers; None: it is none of the usual ones.

    The standard's own list is longer; what is not on this one must be taken out of the page, and
    then the answer is yes.
    """
    return _recall(doctype) if len(doctype) <= USUAL_DOCTYPE else _judge(doctype)


def _judge(doctype: bytes) -> bool | None:
    parsed = _DOCTYPE.fullmatch(doctype)
    if parsed is None:
        return None
    double, single = parsed.groups()[::2], parsed.groups()[1::2]
    public, after_public, alone = (a or b for a, b in zip(double, single, strict=True))
    system = after_public or alone
    if system and b"ibm" in system.lower():
        return None
    if not public:
        return False
    if _STANDARD.match(public) or (system and _BY_SYSTEM.match(public)):
        return False
    return True if _QUIRKY.match(public) or _BY_SYSTEM.match(public) else None


_recall = lru_cache(maxsize=256)(_judge)  # nearly all pages have one of a few
