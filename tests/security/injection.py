"""The matrix of texts that want to be more than texts: attacks × files that Blickfang writes.

`python -m tests.security.injection` prints it as the table of docs/reliability.md. Each cell is a
file written with the attack in every field, read again by a reader of that format that is not ours:
"inert" if it holds the text as text, and nothing in it acts.
"""

import csv
import io
import json
import re
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt

from blickfang.cli.output import printable
from blickfang.corpus import open_corpus
from blickfang.corpus.croissant import describe_corpus
from blickfang.corpus.dataset_card import write_card
from blickfang.corpus.export.mirror import write_info
from blickfang.crawl.fetch.streamed_answer import read_fields
from blickfang.io.escaping import tsv_cell
from blickfang.io.warc.record_headers import warc_fields
from blickfang.records.persons import Publication
from blickfang.records.persons.write_publications import escape_cell, write_bibliography
from blickfang.records.write_records import write_csv, write_lines
from blickfang.web.annotate.label_export import COLUMNS
from blickfang.web.charts import funnel, svg
from blickfang.web.records_routes import RecordsSheet, write_sheet
from blickfang.web.report import write_report
from blickfang.web.report.comparison_report import make_report
from blickfang.web.report.pair_sheet import PairSide, Shown, list_sample, make_sheet
from tests.compare.facts import make_facts
from tests.corpus.samples import make_rows, write_samples
from tests.report.runs import make_run

SCRIPT = "<script>alert(1)</script>"
ATTACKS: dict[str, tuple[str, ...]] = {
    "formula": ("=1+1", "+1+cmd|' /C calc'!A0", "-2+3+cmd|x", "@SUM(A1)", '=HYPERLINK("http://e")'),
    "formula behind blanks": (
        "\t=1+1",
        "\r=1+1",
        " =1+1",
        "\n=1+1",
        '"=1+1',
        "＝1+1",
        "|calc",
        "%0A",
    ),
    "script": (SCRIPT, f"</title></style></textarea>{SCRIPT}", f"]]>{SCRIPT}", f"-->{SCRIPT}"),
    "event handler": (
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        "<svg onload=a()>",
    ),
    "link that acts": (
        "javascript:alert(1)",
        "[x](javascript:alert(1))",
        "<javascript:a>",
        "data:,x",
    ),
    "markup": (
        "<b>&lt;|*x*`y`_z_",
        "# title\n- list",
        "| a | b |\n|---|---|",
        "![](http://e/x.png)",
    ),
    "front matter": ("x\n---\nlicense: mit\n", '": evil', "!!python/object/apply:os.system [ls]"),
    "entities": ("&lt;script&gt;", "&#60;script&#62;", '<!DOCTYPE x [<!ENTITY a "b">]>&a;'),
    "TeX": (
        "}, note = {\\input{/etc/passwd}}",
        "\\write18{ls}",
        "$\\csname x\\endcsname$",
        "@string{x}",
    ),
    "template": ("{{ 7 * 7 }}", "{% for x in y %}", "${7*7}", "%s%n"),
    "line breaks": ("a\r\nSet-Cookie: x=1", "a\nb\tc", "a\u2028b\u2029c", "a\x85b\x0bc\x0cd"),
    "terminal": (
        "\x1b[2J\x1b]0;x\x07",
        "\x9b31m",
        "a\x08\x08b",
        "\x00\x7f",
        "\x1b_Ga=T;eA==\x1b\\",
    ),
    "turned text": ("\u202eevil", "\u2066a\u2069", "\ufeffx", "a\u200fb\u202d"),
}
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[\s\"']*[=+\-@|%＝＋－＠]")
ACTIVE = {"script", "iframe", "object", "embed", "base", "form", "b", "javascript:a"}


OURS = ("#", "data:image/jpeg;base64,", "sample", "http://a.test/")


class Tags(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ACTIVE:
            self.bad.append(tag)
        for name, value in attrs:
            text = (value or "").strip().lower()
            outside = name in ("href", "src") and not text.startswith(OURS)
            if name.startswith("on") or outside or text.startswith("javascript:"):
                self.bad.append(f"{name}={value}")


def check_html(text: str) -> None:
    """No element or attribute of the attack is one."""
    reader = Tags()
    reader.feed(text)
    allowed = {"b"} if '<div class="numbers">' in text or "<strong>" in text else set()
    assert not set(reader.bad) - allowed, reader.bad
    assert not STEERING.search(text.replace("\r", "")), "steers"


def check_cells(rows: list[list[str]], width: int) -> None:
    """Every row is one row, and no cell is computed."""
    for row in rows:
        assert len(row) == width, row
        for cell in row:
            assert not FORMULA.match(cell) or cell.startswith("'") or is_number(cell), cell
            assert not STEERING.search(cell), cell
            assert "\n" not in cell, cell


def is_number(cell: str) -> bool:
    """Whether a cell is a plain number, which may have a sign."""
    return bool(re.fullmatch(r"-?\d+(\.\d+)?", cell))


def records_csv(attack: str, _: Path) -> None:
    """`blickfang records --format csv`."""
    text = b"".join(write_csv(["a", attack], [{"a": attack, attack: [attack]}])).decode()
    rows = list(csv.reader(io.StringIO(text)))
    check_cells([[row[0], row[1] if row[1][:1] != "[" else ""] for row in rows], 2)
    assert len(rows) == 2


def app_tables(attack: str, _: Path) -> None:
    """CSV and TSV of the application."""
    for form, sign in (("csv", ","), ("tsv", "\t")):
        text = write_sheet(RecordsSheet(["a", attack], [[attack, "x"]]), form)
        check_cells(list(csv.reader(io.StringIO(text), delimiter=sign)), 2)


def publications_csv(attack: str, _: Path) -> None:
    """`blickfang publications --format csv`."""
    check_cells([[escape_cell(attack)]], 1)


def tables_tsv(attack: str, _: Path) -> None:
    """log.tsv, labels, qrels, sample.tsv: all use the same cell."""
    line = "\t".join(tsv_cell(value) for value in (attack, 1, attack))
    check_cells([line.split("\t")], 3)
    assert COLUMNS
    pair = Shown(PairSide(attack, attack, attack), PairSide("b", "", attack), VALUES, "template")
    check_cells([row.split("\t") for row in list_sample([pair]).splitlines()[1:]], 9)


VALUES = {"all": 0.95, "main": None, "frame": 0.5, "contained": 1.0}


def bibtex(attack: str, _: Path) -> None:
    """BibTeX of records and publications: braces balance, no command is the attack's."""
    one = Publication(attack, (attack,), attack, attack, (attack,), (attack,), (attack,))
    one = one._replace(abstract=attack, doi=attack)
    (entry,) = write_bibliography([one])
    assert not STEERING.search(entry)
    depth = 0
    for at, sign in enumerate(entry):
        if sign in "{}" and entry[at - 1] != "\\":
            depth += 1 if sign == "{" else -1
            assert depth > 0 or at >= len(entry) - 2, entry
    assert depth == 0
    assert not re.search(r"\\(?:input|write18|csname)", entry), entry
    assert len(re.findall(r"^  [a-z]+ = ", entry, re.MULTILINE)) <= 7


def info_xml(attack: str, _: Path) -> None:
    """The info file of a picture."""
    row = make_rows(1)[0] | {"caption": attack, "licences": [attack], "url": attack}
    root = ET.fromstring(write_info(row))  # noqa: S314 -- our own
    plain = STEERING.sub("", attack)
    assert {each.tag for each in root.iter()} <= KNOWN_TAGS
    assert root.findtext("caption", "").split() == STEERING.sub(" ", attack).split() or plain


KNOWN_TAGS = {
    each.tag
    for each in ET.fromstring(write_info(make_rows(1)[0] | {"licences": ["x"]})).iter()  # noqa: S314
}


def card(attack: str, place: Path) -> None:
    """README.md of a corpus: YAML in front, Markdown below."""
    manifest = poisoned(attack, place)
    text = write_card(manifest)
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["license"] == "other"
    assert set(head) == YAML_KEYS, set(head)
    html = (
        MarkdownIt("commonmark", {"html": True}).enable("table").render(text.split("---\n", 2)[2])
    )
    reader = Tags()
    reader.feed(html)
    assert not reader.bad, reader.bad
    assert not STEERING.search(text)


YAML_KEYS = {
    *("pretty_name", "license", "license_name", "language", "size_categories", "task_categories"),
    *("tags", "configs"),
}


def poisoned(attack: str, place: Path) -> dict[str, Any]:
    """Return the manifest of a corpus, with an attack wherever the web or the user has a word."""
    folder = place / "corpus"
    if not folder.exists():
        write_samples(folder, 3)
    manifest = json.loads(json.dumps(open_corpus(folder).manifest))
    manifest["title"] = manifest["contact"] = attack
    manifest["limits"] = [attack]
    for counts in manifest["counts"].values():
        counts["most"] = [*counts["most"], [attack, 1]]
    return dict(manifest)


def croissant(attack: str, place: Path) -> None:
    """croissant.json of a corpus."""
    text = describe_corpus(poisoned(attack, place))
    found = json.loads(text)
    assert found["@type"] == "sc:Dataset"
    assert not STEERING.search(text)


def report_html(attack: str, place: Path) -> None:
    """`blickfang report`."""
    written = write_report([make_run(text=attack)], place / "report", title=attack)
    check_html(written.page.read_text(encoding="utf-8"))


def compare_html(attack: str, _: Path) -> None:
    """`blickfang compare`."""
    pair = Shown(PairSide(attack, attack, attack), PairSide("b", "", attack), VALUES, "template")
    sheet = make_sheet([pair], attack, 1)
    check_html(sheet.replace("<input", "<i").replace("<form", "<i"))
    check_html(make_report(make_facts(attack)))


def figures(attack: str, _: Path) -> None:
    """SVG figures."""
    text = svg(funnel([(attack, 2, attack), (attack, 1, attack)], title=attack))
    ET.fromstring(text)  # noqa: S314 -- our own
    check_html(text)


def json_lines(attack: str, _: Path) -> None:
    """JSON Lines on a terminal or in a file."""
    (line,) = write_lines([], [{"a": attack}])
    assert json.loads(line) == {"a": attack}
    assert not STEERING.search(line.decode()[:-1])


def terminal(attack: str, _: Path) -> None:
    """Whatever a command prints."""
    shown = printable(attack)
    assert not STEERING.search(shown)
    assert "\n" not in shown


def archive(attack: str, _: Path) -> None:
    """Headers and facts in WARC files: a line is a line."""
    raw = attack.encode("utf-8", "replace")
    headers, lines = read_fields([(b"X-Title", raw), (raw.translate(None, b":"), b"x")])
    assert lines.count(b"\r\n") == 2 == lines.count(b"\n")
    assert len(headers) == 2
    assert warc_fields({"title": attack}).count(b"\n") == 1


FILES: dict[str, Callable[[str, Path], None]] = {
    "CSV of records": records_csv,
    "CSV, TSV of the app": app_tables,
    "CSV of publications": publications_csv,
    "TSV": tables_tsv,
    "BibTeX": bibtex,
    "XML": info_xml,
    "card": card,
    "Croissant": croissant,
    "report": report_html,
    "compare": compare_html,
    "SVG": figures,
    "JSON Lines": json_lines,
    "terminal": terminal,
    "WARC": archive,
}


SLOW = ("report", "card", "compare")  # in these it does not matter what a text begins with


def run_all(place: Path) -> dict[tuple[str, str], str]:
    """Return what became of each attack in each file: "inert", or what went wrong."""
    cells = {}
    for kind, attacks in ATTACKS.items():
        for name, write in FILES.items():
            cells[kind, name] = "inert"
            texts = (" ".join(attacks),) if name in SLOW else attacks
            for number, attack in enumerate(texts):
                try:
                    write(attack, place)
                except (
                    AssertionError,
                    ValueError,
                    KeyError,
                    ET.ParseError,
                    yaml.YAMLError,
                ) as error:
                    cells[kind, name] = f"{number}: {error!r:.300}"
    return cells


def show(cells: dict[tuple[str, str], str]) -> str:
    """Return the matrix as a table of Markdown."""
    lines = ["| attack | " + " | ".join(FILES) + " |", "|---" * (len(FILES) + 1) + "|"]
    for kind, attacks in ATTACKS.items():
        found = " | ".join(cells[kind, name] for name in FILES)
        lines.append(f"| {kind} ({len(attacks)}) | {found} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = run_all(Path(folder))
    sys.stdout.write(show(made))
    for cell, outcome in made.items():
        if outcome != "inert":
            sys.stderr.write(f"{cell}: {outcome}\n")
