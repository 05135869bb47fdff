"""Targets that read texts and documents: bibliographies, tables, filters, papers."""

import io
import logging
import warnings
from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.corpus.filter_expression import parse_filter
from blickfang.corpus.removals import parse_removals
from blickfang.corpus.sample_columns import SAMPLES
from blickfang.corpus.search.query_terms import TermTable, read_query
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.dedupe.documents import read_file
from blickfang.errors import BlickfangError
from blickfang.io.text_files import decode, read_lines, read_text
from blickfang.records import load_classes, read_examples
from blickfang.records.persons import merge_publications, parse_bibtex
from blickfang.records.persons.pdf_head import PdfLine, find_head
from blickfang.records.persons.pdf_text import read_sheets
from blickfang.records.persons.research_sources import read_addresses, read_results
from blickfang.records.persons.write_publications import write_bibliography
from blickfang.text.words import normalise, read_words, spell
from blickfang.types import Failure
from tests.corpus.samples import make_rows, table_of
from tests.fuzz.kinds import COVERAGE, Target, spread, text_of, written
from tests.fuzz.web_targets import JSON_TOKENS

BIBTEX = (
    b'@string{ieee = "IEEE"}\n@article{a, author = {Doe, J{\\"o}rg and Roe, Ann}, title = {{A} Cat}'
    b", year = 2019, journal = ieee # { Trans.}, pages = {1--2}, doi={10.1/x}}\n@comment{x}\n",
    b'@inproceedings(b, author="Ann Roe and others", title="On {\\alpha}", booktitle={P}'
    b', year="1999")\n',
    b"@book{c,title={{{{x}}}}}@misc{d,author={A and B and {C and D}}}",
)
BIBTEX_TOKENS = (
    b"@article{", b"@string{", b"@comment{", b"@preamble{", b"{", b"}", b"(", b")", b",", b"=",
    b'"', b"#", b"\\",
    b"author", b"title", b"year", b" and ", b'\\"{o}', b"\\'", b"\\ss", b"$", b"~", b"--",
    b"\\alpha", b"%", b"\n",
    b"{\\", b"others", b"von ", b"Jr, ", b"\\url{",
)  # fmt: skip


def call_bibtex(data: bytes) -> object:
    """Read BibTeX, merge what is the same, write it again."""
    found = parse_bibtex(decode(data), "a.bib")
    merged = merge_publications(found[:300])
    text = "".join(write_bibliography(merged))
    again = parse_bibtex(text)
    assert len(again) <= len(merged)
    return spread(len(found)), spread(len(merged)), spread(sum(len(p.authors) for p in found))


DBLP = (
    b'<?xml version="1.0"?><dblp><article key="a"><author>J&ouml;rg Doe</author><title>A <i>Cat</i>'
    b".</title><year>2019</year><journal>IEEE</journal></article></dblp>",
    b'title,authors,venue\r\n"A ""Cat""",Ann Roe,IEEE\r\nB,,\r\n',
    *BIBTEX,
)
DBLP_TOKENS = (
    b"<author>", b"</author>", b"<title>", b"</title>", b"<year>", b"<", b">", b"&amp;", b"&#",
    b"<i>", b"{", b",",
    b'"', b"\n", b"<booktitle ", b"\\", b"}", b"@article{a,title={", b"\0",
)  # fmt: skip


def call_examples(data: bytes) -> object:
    """Read examples of classes in the three forms they come in."""
    seen: list[tuple[object, ...]] = []
    for ending in ("bib", "xml", "csv"):
        try:
            found = read_examples(written(data, f"e.{ending}"))
            seen.append(
                tuple(sorted((name[:9], spread(len(texts))) for name, texts in found.items()))[:5]
            )
        except BlickfangError as error:
            seen.append((type(error).__name__,))
    return tuple(seen)


def call_classes(data: bytes) -> object:
    """Load learned classes."""
    found = load_classes(written(data, "a.classes"))
    return spread(len(found.weights))


LINES = (
    b'{"id": "a", "text": "The cat.", "url": "http://a.b/"}\n'
    b'\xef\xbb\xbf{"id": 3, "text": null}\n[1]\n'
)


def call_lines(data: bytes) -> object:
    """Read documents of JSON Lines, and the same bytes as packed and as plain text."""
    seen = []
    for name in ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.txt", "a.txt.xz", "a.json.bz2"):
        path = written(data, name)
        with warnings.catch_warnings(action="ignore"):  # of texts that look like JSON Lines
            found = list(read_file(path, path))
        seen.append((spread(len(found)), sum(isinstance(entry, Failure) for entry in found) > 0))
    return tuple(seen)


def tables() -> Iterator[bytes]:
    """Give Parquet files."""
    plain = pa.table({"id": ["a", "b"], "text": ["The cat.", None], "url": ["http://a.b/", ""]})
    other = pa.table({"id": [1, 2], "text": [["x"], []]})
    for table in (plain, other):
        for packing in ("none", "zstd", "snappy"):
            buffer = io.BytesIO()
            pq.write_table(table, buffer, compression=packing)
            yield buffer.getvalue()


def call_parquet(data: bytes) -> object:
    """Read documents of a Parquet file."""
    path = written(data, "a.parquet")
    found = list(read_file(path, path))
    return spread(len(found)), sum(isinstance(entry, Failure) for entry in found) > 0


def call_text_file(data: bytes) -> object:
    """Read a text file of any encoding, whole and by lines, and its words."""
    path = written(data, "b.txt")
    try:
        count = sum(map(len, read_lines(path)))
    except BlickfangError:
        count = -1
    text = read_text(path)
    words = read_words(text)
    assert len(words.hashes) == len(spell(words))
    read_words(text, digits=True)
    normalise(text[:500])
    return spread(count + 1), spread(len(words.hashes)), spread(int(words.breaks.sum()))


REMOVALS = (
    b"https://a.b/c\n*.example.org  # asked on\n" + b"0" * 16 + b"\n" + b"a" * 64 + b"\n[::1]\n"
)


def call_removals(data: bytes) -> object:
    """Read a list of what is to be removed, and addresses that somebody gave."""
    text = decode(data)
    read_addresses(text.splitlines())
    found = parse_removals(text)
    return tuple(spread(len(part)) for part in (found.hashes, found.urls, found.hosts))


WHERES = (
    b"width >= 800 and language == 'en' and 'lion' in caption",
    b"min(width, height) >= 150 and host(page_url) not in ('a.org', 'b.org')",
    b"len(caption) > 3 or not caption.lower().startswith('x') and 1 < width <= 2 * height / 3",
)
WHERE_TOKENS = (
    b"width", b"height", b"caption", b" and ", b" or ", b"not ", b" in ", b"==", b"<", b"(", b")",
    b"[", b"]", b"'",
    b"host(", b"len(", b"min(", b".lower()", b".startswith(", b"None", b"True", b"1e999", b"/",
    b"*", b"-", b"0",
    b"lambda:", b"f'{", b"**", b"page_url", b"language", b"\\N{", b",", b":=", b"if ", b" else ",
    b"~", b"#", b"\n",
)  # fmt: skip


@cache
def samples() -> pa.Table:
    """Return some samples to be filtered."""
    return table_of(make_rows(6))


def call_where(data: bytes) -> object:
    """Understand a filter and apply it."""
    text = text_of(data)
    read_query(text, TermTable(SearchOptions()))
    found = parse_filter(text, SAMPLES)
    if found is None:
        return None
    rows = samples()
    mask = found.mask(rows)
    assert len(mask) == rows.num_rows
    return sorted(found.columns)[:3] == [], spread(sum(bool(value) for value in mask.to_pylist()))


RESULTS = b'{"results": [{"url": "http://a.b/", "title": "x"}, {"url": 3}]}'


def call_results(data: bytes) -> object:
    """Read the answer of a search engine."""
    return spread(len(read_results(data, "http://127.0.0.1/search")))


def papers() -> Iterator[bytes]:
    """Give small PDFs."""
    from fpdf import FPDF

    for compress in (False, True):
        pdf = FPDF()
        pdf.set_compression(compress)
        pdf.add_page()
        pdf.set_font("helvetica", size=20)
        pdf.cell(text="On the Cats of Harbours")
        pdf.set_font("helvetica", size=10)
        for line in ("Ann Roe", "University of Somewhere", "ann@some.edu", "Abstract", "We count."):
            pdf.ln()
            pdf.cell(text=line)
        yield bytes(pdf.output())


PDF_TOKENS = (
    b"obj", b"endobj", b"stream", b"endstream", b"<<", b">>", b"/Kids", b"/Pages", b"/Page",
    b"/Length", b"[", b"]",
    b"1 0 R", b"3 0 R", b"/Filter /FlateDecode", b"/Contents", b"xref", b"trailer", b"startxref",
    b"%%EOF", b"Tj",
    b"BT", b"ET", b"/Font", b"(", b")", b"/Encrypt", b"/ObjStm", b"/Count", b"/Parent",
    b"/Resources", b"Tf",
    b"/ToUnicode", b"/Type", b"cm", b"Tm", b"q ", b"Q ", b"Do", b"/XObject",
)  # fmt: skip


def call_pdf(data: bytes) -> object:
    """Read the first pages of a PDF here, where its own process would, and find its head."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # its program says nothing, too
    found = read_sheets(data)
    if "failure" in found:
        return found["failure"]
    sheets = [[PdfLine(str(text), float(size)) for text, size in page] for page in found["pages"]]
    head = find_head(sheets, "On the Cats of Harbours", ["Ann Roe"])
    return head is None, spread(len(sheets)), spread(len(sheets[0]))


TEXT_TARGETS = (
    Target(
        "bibtex", call_bibtex, lambda: BIBTEX, BIBTEX_TOKENS, COVERAGE, sees=("blickfang.records",)
    ),
    Target(
        "examples", call_examples, lambda: DBLP, DBLP_TOKENS, COVERAGE, sees=("blickfang.records",)
    ),
    Target(
        "classes",
        call_classes,
        lambda: (b'{"title": {"cat": 0.5}}',),
        JSON_TOKENS,
        COVERAGE,
        sees=("blickfang.records",),
    ),
    Target(
        "lines",
        call_lines,
        lambda: (LINES,),
        (*JSON_TOKENS, b'"id"', b'"text"', b"\n"),
        COVERAGE,
        sees=(
            "blickfang.dedupe.documents",
            "blickfang.io.text_files",
        ),
    ),
    Target("parquet", call_parquet, tables, (b"PAR1", b"ARROW:schema")),
    Target(
        "text",
        call_text_file,
        lambda: (b"The cat. \xe6\x97\xa5\xe6\x9c\xac!", b"\xff\xfea\0"),
        (b"\n", b". "),
    ),
    Target(
        "removals",
        call_removals,
        lambda: (REMOVALS,),
        (b"http://", b"\n", b"#", b"*.", b"[", b":"),
        COVERAGE,
        sees=(
            "blickfang.corpus",
            "blickfang.io.urls",
        ),
        seconds=3.0,  # five megabytes of lines, each another address that is brought into its form
    ),
    Target(
        "where",
        call_where,
        lambda: WHERES,
        WHERE_TOKENS,
        COVERAGE,
        longest=11_000,
        sees=(
            "blickfang.corpus",
            "blickfang.corpus.search",
        ),
    ),
    Target(
        "results",
        call_results,
        lambda: (RESULTS,),
        (*JSON_TOKENS, b'"url"', b'"results"'),
        COVERAGE,
        sees=("blickfang.records.persons",),
    ),
    # pypdf has a process of its own with ten seconds and 1 GB: pdf_text.py
    Target(
        "pdf",
        call_pdf,
        papers,
        PDF_TOKENS,
        COVERAGE,
        seconds=10.0,
        sees=(
            "blickfang.records",
            "pypdf",
        ),
    ),
)
