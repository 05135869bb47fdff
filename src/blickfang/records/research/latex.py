"""The writing of TeX in BibTeX fields: accents, dashes, braces.

In: a field as written. Out: plain text; and back. One pass, no recursion: nothing in a field can
cost more than its length.
"""

import re
import unicodedata

MARKS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
    "b": "\u0331",
}
LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "i",
    "j": "j",
    "dj": "đ",
    "DJ": "Đ",
    "textbackslash": "\\",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "textendash": "–",
    "textemdash": "—",
    "ldots": "…",
    "dots": "…",
}
SIGNS = frozenset("&%$#_{}@ ")
TOKEN = re.compile(
    r"""\\(?P<accent>['`^"~=.]|[uvHckrdb](?![A-Za-z]))\s*+(?:\{\s*+(?P<in>\\?[^\W\d_])?\s*+\}|(?P<bare>\\[ij](?![A-Za-z])\s*|[^\W\d_]))
      | \\(?P<name>[A-Za-z]+)\*?\s*(?:\{\})?
      | \\(?P<sign>.)
      | (?P<dash>---?)
      | (?P<drop>[{}$])
      | (?P<tie>~)
      | (?P<quote>``|'')""",
    re.VERBOSE | re.DOTALL,
)
ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "'": r"\textquotesingle{}",
    "`": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
SPECIAL = re.compile(r"""[\\{}~^&%$#_"]|''|``|--""")


def read_latex(text: str) -> str:
    r"""Return the plain text of a field.

    >>> read_latex(r"G{\"o}del, {\'E}mile \& \v{C}apek -- {The {TeX}book}")
    'Gödel, Émile & Čapek – The TeXbook'
    """
    plain = TOKEN.sub(_read_token, text)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _read_token(token: re.Match[str]) -> str:
    if token["accent"]:
        letter = (token["in"] or token["bare"] or "").strip("\\ \t\n")
        return letter + MARKS[token["accent"]] if letter else ""
    if token["name"]:
        return LETTERS.get(token["name"], " " if token["name"] == "newline" else "")
    if token["sign"]:
        return token["sign"] if token["sign"] in SIGNS else " " if token["sign"] == "\\" else ""
    if token["dash"]:
        return "–" if len(token["dash"]) == 2 else "—"
    return {"tie": " ", "quote": '"'}.get(token.lastgroup or "", "")


def write_latex(text: str) -> str:
    r"""Return a text as a field that says just this, whatever is in it.

    >>> write_latex("R&D {100%}")
    'R\\&D \\textbraceleft{}100\\%\\textbraceright{}'
    """
    return SPECIAL.sub(_write_sign, text)


def _write_sign(sign: re.Match[str]) -> str:
    found = sign[0]
    if found == "--":
        return "-{}-"
    return "".join(ESCAPES[char] for char in found)
