"""Texts of the web in files that give some characters a meaning: Markdown, YAML, TSV, XML.

In: any text; those of crawled pages are written by strangers. Out: a text that is shown as it is
and does nothing. What no such file can hold (controls, halves of characters) becomes a blank or
U+FFFD; signs that turn the direction of the following text are dropped.
"""

import re
import string
from xml.sax.saxutils import escape

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff]")  # left-to-right overrides and the like
NO_CHARACTERS = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
MARKS = {ord(sign): "\\" + sign for sign in string.punctuation}
MARKS |= {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;"}
FORMULA = re.compile(r"[\s\"']*[=+\-@|%＝＋－＠]")  # spreadsheets look at the wide forms too
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def one_line(text: str, longest: int = 0) -> str:
    """Return a text in one line without invisible traps, cut if it is too long.

    >>> one_line("a\\nb \\u202e c\\x00")
    'a b c'
    """
    text = NO_CHARACTERS.sub("\ufffd", TURNING.sub("", CONTROLS.sub(" ", text)))
    text = " ".join(text.split())
    return text if not longest or len(text) <= longest else text[: longest - 1] + "…"


def markdown_text(text: str, longest: int = 300) -> str:
    """Return a text that Markdown shows as it is, also in a table.

    >>> markdown_text("<b>|*x*")
    '&lt;b&gt;\\\\|\\\\*x\\\\*'
    """
    return one_line(text, longest).translate(MARKS)


def yaml_text(text: str, longest: int = 300) -> str:
    """Return a text as a quoted value of YAML.

    >>> yaml_text('a: "b"')
    '"a: \\\\"b\\\\""'
    """
    plain = one_line(text, longest).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def tsv_cell(value: object) -> str:
    """Return a value as a cell of a table that a spreadsheet takes for text, never for a formula.

    >>> tsv_cell("=1+1"), tsv_cell(-1.5), tsv_cell(None)
    ("'=1+1", '-1.5', '')
    """
    if value is None:
        return ""
    text = one_line(str(value))
    harmless = isinstance(value, int | float) or NUMBER.fullmatch(text)
    if not harmless and FORMULA.match(text):
        text = "'" + text
    return text.replace('"', "”") if text.startswith('"') else text  # else it would join cells


def xml_text(text: str) -> str:
    """Return a text for the content or an attribute of XML.

    >>> xml_text('<"&\\x08>')
    '&lt;&quot;&amp; &gt;'
    """
    kept = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", " ", text)
    kept = NO_CHARACTERS.sub("\ufffd", TURNING.sub("", kept))
    marks = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
    return escape(kept, marks)
