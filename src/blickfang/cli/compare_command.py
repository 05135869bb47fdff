"""The command compare: what two corpora share.

In: what the user typed. Out: a folder with report, figures, pairs, judgements; a summary.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, choose_engine
from blickfang.cli.output import AsJson, announce_compiling, guarded, note, print_json, progress
from blickfang.compute import EngineOptions

SHOWN = 5  # failures

Source = "a collection, WARC files or a folder of them, or documents with id and text"
First = Annotated[str, typer.Argument(metavar="A", help=f"The first corpus: {Source}.")]
Second = Annotated[str, typer.Argument(metavar="B", help="The second corpus.")]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the report goes.")]
Qrels = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Relevance judgements on A, to be carried over to B; may be given several times.",
    ),
]
On = Annotated[str, typer.Option(help="Compare all text, main text (main), or either.")]
Method = Annotated[str, typer.Option(help="minhash (ours), or simhash: 8 bytes a document.")]
Threshold = Annotated[
    float,
    typer.Option(
        help="The least Jaccard of near-duplicates. minhash: from 0.4, and 99 of 100 pairs that "
        "reach it just so are found; simhash: it only drops pairs that the method has found."
    ),
]
Shingle = Annotated[int, typer.Option(help="Words of a shingle.")]
Distance = Annotated[int, typer.Option(help="Bits in which SimHashes may differ.")]
Verify = Annotated[
    bool,
    typer.Option("--verify/--no-verify", help="Read candidates again for their exact Jaccard."),
]
SegmentSize = Annotated[
    int, typer.Option("--segment", help="Documents a segment, where B is a single file.")
]
Segments = Annotated[
    int, typer.Option(help="Look at so many random segments of B, and extrapolate; 0: all.")
]
Sample = Annotated[int, typer.Option(help="Write so many random pairs side by side.")]
Seed = Annotated[int, typer.Option(help="Of what is drawn at random.")]
Memory = Annotated[int, typer.Option(help="Megabytes that joining and measuring may take.")]
Shelf = Annotated[
    Path | None,
    typer.Option(
        "--fingerprints",
        metavar="DIR",
        help="Keep fingerprints here, not in the collection or OUT.",
    ),
]
IdField = Annotated[
    str, typer.Option("--id-field", help="The field or column of the id, if it has no usual name.")
]
TextField = Annotated[
    str, typer.Option("--text-field", help="That of the text; usual are text, contents, body, …")
]
UrlField = Annotated[str, typer.Option("--url-field", help="That of the address.")]
SchemesApart = Annotated[
    bool,
    typer.Option("--schemes-apart", help="Take http:// and https:// for two addresses, not one."),
]


@guarded
def compare(
    a: First,
    b: Second,
    out: Out,
    qrels: Qrels = None,
    on: On = "either",
    method: Method = "minhash",
    threshold: Threshold = 0.9,
    shingle: Shingle = 3,
    distance: Distance = 3,
    verify: Verify = True,
    segment: SegmentSize = 10_000,
    segments: Segments = 0,
    sample: Sample = 0,
    seed: Seed = 1,
    memory: Memory = 4096,
    fingerprints: Shelf = None,
    id_field: IdField = "",
    text_field: TextField = "",
    url_field: UrlField = "",
    schemes_apart: SchemesApart = False,
    engine: Engine = "",
    address: Address = "",
    as_json: AsJson = False,
) -> None:
    """Compare two corpora: shared addresses, near-duplicates, and what these share.

    Fingerprints are made once and kept, those of a collection in it; interrupted work goes on.

    \b
    Examples:
      blickfang compare birds-2025 birds-2026 -o report --sample 100
      blickfang compare ClueWeb09_B ClueWeb12_B13 -o report --qrels qrels.web.txt --segments 20
    """
    announce_compiling()
    from blickfang.dedupe.compare import run_comparison as compare_run_comparison
    from blickfang.io.storage import as_place
    from blickfang.web.report import write_comparison as report_write_comparison

    search = (method, on, threshold, shingle, distance, verify)
    where = choose_engine(engine, address) or EngineOptions()
    fields = (id_field, text_field, url_field)
    how = compare_run_comparison.Comparing(
        *search, segment, segments, sample, seed, memory, where, fields, schemes_apart
    )
    pair = as_place(a), as_place(b)
    _tell(
        *report_write_comparison.compare(*pair, out, how, fingerprints, qrels or [], progress),
        out,
        as_json,
    )


def _tell(
    facts: dict[str, Any], failures: list[Any], kept: list[Path], out: Path, as_json: bool
) -> None:
    from blickfang.cli.output import print_facts

    for failure in failures[:SHOWN]:
        note(f"not read: {failure.url}: {failure.reason}")
    for path in kept:
        note(f"what people judged, or an earlier comparison carried over, is kept as {path}")
    if "pairs_expected" in facts:
        note("B was looked at in part: all figures but those called expected are of this part")
    if as_json:
        print_json([facts])
    else:  # kinds that do not occur are left out: a person looks at those that do
        shown = {k: v for k, v in facts.items() if v != 0 or not k.endswith("_pairs")}
        print_facts(shown)
    note(f"wrote {out / 'index.html'}")
