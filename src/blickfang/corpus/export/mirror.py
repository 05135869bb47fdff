"""A mirror of the web: each picture under its host and path, what is known of it beside it.

In: a selection. Out: images/host/path/name-id.jpg with name-id.xml, the info file of the study
(SPEC 1.5): all values, one block for each mention; and log.tsv, one line a picture, for
spreadsheets.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from blickfang.corpus.export.selection import ExportSelection
from blickfang.corpus.sample_columns import SCORED_TEXT, WITHOUT_IMAGE
from blickfang.io.escaping import tsv_cell, xml_text
from blickfang.io.urls import host

EXTENSIONS = {"jpeg": "jpg", "mpo": "jpg", "tiff": "tif"}
UNSAFE = re.compile(r"[^\w.~-]+")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE)
LIKE_A_FILE = re.compile(r"-[0-9a-f]{16}\.[a-z0-9]+$", re.IGNORECASE)
LONGEST_HOST = 64  # in bytes; all together fit into the 260 of Windows
LONGEST_FOLDERS = 80
LONGEST_STEM = 60


def file_extension(kind: str) -> str:
    """Return the usual extension for a format, safe whatever it is called.

    >>> file_extension("jpeg"), file_extension("../x")
    ('jpg', 'x')
    """
    plain = re.sub("[^a-z0-9]", "", kind.lower())[:8]
    return EXTENSIONS.get(plain, plain) or "bin"


def mirror_path(url: str, identity: str, kind: str) -> str:
    """Return where a picture lies in a mirror of the web, with slashes.

    >>> mirror_path("https://example.org/a/../b/My%20cat.JPG?x=1", "0123456789abcdef", "jpeg")
    'example.org/a/b/My_cat-0123456789abcdef.jpg'
    """
    path = url.partition("//")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    *folders, name = path.split("/")
    stem, dot, _ = unquote(name).rpartition(".")
    parts = [_folder(host(url), LONGEST_HOST) or "unknown"]
    left = LONGEST_FOLDERS
    for folder in folders:
        part = _folder(unquote(folder), left)
        if not part or len(part.encode()) + 1 > left:
            continue
        parts.append(part)
        left -= len(part.encode()) + 1
    last = _safe(stem if dot and stem else unquote(name), LONGEST_STEM) or "image"
    return "/".join([*parts, f"{last}-{identity}.{file_extension(kind)}"])


def _folder(name: str, longest: int) -> str:
    part = _safe(name, longest)
    return f"{part}_" if LIKE_A_FILE.search(part) else part


def _safe(name: str, longest: int) -> str:
    """Return a part of a path that means nothing to any system; "" if nothing is left."""
    name = unicodedata.normalize("NFC", UNSAFE.sub("_", name))
    name = name.encode("utf-8", "ignore")[:longest].decode("utf-8", "ignore").strip(". ")
    if RESERVED.fullmatch(name):
        name = f"_{name}"
    return name.strip("._") and name


LOG = "log.tsv"
# The texts of SPEC 1.5, whose scores have a column each.
SCORED = (
    "alt",
    "title",
    "url",
    *(f"{kin}-{level}" for kin in ("parent", "sibling") for level in range(5)),
)
FLAT = [column.name for column in WITHOUT_IMAGE if not pa.types.is_list(column.type)]
SCORES = [field.name for field in SCORED_TEXT if field.name != "text"]
LISTED = ("attributes", "texts")  # of a mention, in JSON
COUNTED = ("mentions", "copies", "link_texts")
HEAD = ("file", *FLAT, *COUNTED, *(f"{name} score" for name in SCORED))

Row = Mapping[str, Any]


def export_files(selection: ExportSelection, folder: Path) -> None:
    """Write pictures, info files and the log."""
    # The mark at the start tells spreadsheets that the text is UTF-8.
    with (folder / LOG).open("w", encoding="utf-8-sig", newline="\n") as log:
        log.write("\t".join(HEAD) + "\n")
        for row in selection.rows():
            name = "images/" + mirror_path(row["url"] or "", row["id"], row["format"] or "")
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if selection.with_bytes:
                path.write_bytes(row["image"]["bytes"])
            path.with_suffix(".xml").write_text(write_info(row), encoding="utf-8", newline="\n")
            log.write("\t".join(_log_cells(name, row)) + "\n")


def _log_cells(name: str, row: Row) -> Iterator[str]:
    yield tsv_cell(name)
    yield from (tsv_cell(row[column]) for column in FLAT)
    yield from (tsv_cell(len(row[column] or ())) for column in COUNTED)
    scores = {text["name"]: text["score"] for text in row["texts"] or ()}
    yield from (tsv_cell(scores.get(name)) for name in SCORED)


def write_info(row: Row) -> str:
    """Return the info file of a sample."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<image id="{xml_text(row["id"])}">']
    lines += [_element(2, name, row[name]) for name in FLAT if name != "id"]
    for name in ("licences", "link_texts", "emphasised"):
        lines += [_element(2, name.removesuffix("s"), text) for text in row[name] or ()]
    lines += [_block(2, "copy", copy) for copy in row["copies"] or ()]
    lines.append(
        "  <looks>" + " ".join(f"{value:.6g}" for value in row["looks"] or ()) + "</looks>"
    )
    best = _best_mention(row)
    for number, mention in enumerate(row["mentions"] or ()):
        lines.append(f'  <mention best="{"yes" if number == best else "no"}">')
        lines += [_element(4, name, mention[name]) for name in mention if name not in LISTED]
        lines += [_attribute(*pair) for pair in _read_json(mention["attributes"], {}).items()]
        texts = row["texts"] if number == best else _read_json(mention["texts"], [])
        lines += [_scored_text(text) for text in texts or () if isinstance(text, dict)]
        lines.append("  </mention>")
    lines.append("</image>")
    return "\n".join(line for line in lines if line) + "\n"


def _best_mention(row: Row) -> int:
    """Return which mention the texts and scores of a sample are of: the first on its page."""
    pages = [mention["page_url"] for mention in row["mentions"] or ()]
    return pages.index(row["page_url"]) if row["page_url"] in pages else -1


def _element(indent: int, name: str, value: Any) -> str:
    """Return a value as an element; nothing for an unknown one."""
    if value is None:
        return ""
    return f"{' ' * indent}<{name}>{xml_text(str(value))}</{name}>"


def _block(indent: int, name: str, values: Row) -> str:
    inner = "".join(_element(0, key, value) for key, value in values.items())
    return f"{' ' * indent}<{name}>{inner}</{name}>"


def _read_json(text: str | None, otherwise: Any) -> Any:
    """Return what a text in JSON says; corpora of strangers may say something else there."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return otherwise
    return found if isinstance(found, type(otherwise)) else otherwise


def _attribute(name: str, value: Any) -> str:
    """Return an attribute of the element; what the page calls it may be no name in XML."""
    return f'    <attribute name="{xml_text(name)}">{xml_text(str(value))}</attribute>'


def _scored_text(text: Row) -> str:
    known = {name: text[name] for name in SCORES if text.get(name) is not None}
    attributes = "".join(f' {name}="{xml_text(str(value))}"' for name, value in known.items())
    return f"    <text{attributes}>{xml_text(str(text.get('text') or ''))}</text>"
