"""The command dedupe: near-duplicates among documents of any source.

In: what the user typed. Out: files of pairs, clusters and documents without copies; a summary.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, choose_engine
from blickfang.cli.output import (
    STARTS_ANEW,
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    printable,
    progress,
)
from blickfang.compute import EngineOptions
from blickfang.io.plural import counted

SHOWN = 5  # failures

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE", help="JSON Lines with id and text, Parquet, WARC, folders, collections."
    ),
]
PairsOut = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        metavar="OUT",
        help="The pairs: a, b, jaccard. Of more than 1,000 equal texts each is listed with the "
        "first only; not_compared says how many pairs, at most, too many alike left out.",
    ),
]
ClustersOut = Annotated[
    Path | None, typer.Option("--clusters", metavar="OUT", help="Every cluster: keep, members.")
]
KeepOut = Annotated[
    Path | None, typer.Option("--keep", metavar="OUT", help="The documents without copies.")
]
Method = Annotated[
    str, typer.Option(help="minhash (ours), simhash, or study: MinHash with super-shingles.")
]
Threshold = Annotated[
    float,
    typer.Option(
        help="The least Jaccard of near-duplicates. minhash: from 0.4, and 99 of 100 pairs that "
        "reach it just so are found; else: it only drops pairs that the method has found."
    ),
]
Shingle = Annotated[int, typer.Option(help="Words of a shingle.")]
Distance = Annotated[int, typer.Option(help="Bits in which SimHashes may differ.")]
MainText = Annotated[bool, typer.Option("--main-text", help="Of pages, compare the main text.")]
Verify = Annotated[bool, typer.Option("--verify/--no-verify", help="Compute the exact Jaccard.")]
Memory = Annotated[
    int,
    typer.Option(
        help="Megabytes for joining SimHashes, and for the pairs of any method: if these are too "
        "many, some are left out and counted (not_compared). Words of documents come on top."
    ),
]
IdField = Annotated[
    str, typer.Option("--id-field", help="The field or column of the id, if it has no usual name.")
]
TextField = Annotated[
    str, typer.Option("--text-field", help="That of the text; usual are text, contents, body, …")
]


@partial(guarded, interruption=STARTS_ANEW)
def dedupe(
    files: Files,
    pairs: PairsOut = None,
    clusters: ClustersOut = None,
    keep: KeepOut = None,
    method: Method = "minhash",
    threshold: Threshold = 0.9,
    shingle: Shingle = 3,
    distance: Distance = 3,
    main_text: MainText = False,
    verify: Verify = True,
    memory: Memory = 4096,
    id_field: IdField = "",
    text_field: TextField = "",
    engine: Engine = "",
    address: Address = "",
    as_json: AsJson = False,
) -> None:
    """Find near-duplicates: texts that share at least a threshold of their word shingles.

    Of each cluster the longest text stays, of equally long ones the earliest. What cannot be read
    is named and counted (failures); the command fails only if nothing can be read.

    \b
    Examples:
      blickfang dedupe docs.jsonl.zst --pairs pairs.jsonl --keep unique.jsonl
      blickfang dedupe birds --main-text --clusters clusters.jsonl
    """
    from blickfang.dedupe import dedupe_outputs as dedupe_dedupe_outputs
    from blickfang.dedupe import run_dedupe as dedupe_run_dedupe
    from blickfang.io.storage import as_place

    announce_compiling()
    fields = (id_field, text_field, "")
    alike = dedupe_run_dedupe.DuplicateCriteria(
        method, threshold, shingle, distance, verify, main_text, memory, fields
    )
    where, places = (
        choose_engine(engine, address) or EngineOptions(),
        [as_place(name) for name in files],
    )
    outs = (pairs, clusters, keep)
    dedupe_dedupe_outputs.check_outputs(places, outs)
    copies = dedupe_run_dedupe.find_copies(places, alike, progress, where)
    with progress("writing"):
        dedupe_dedupe_outputs.write_copies(copies, places, alike, outs)
    _tell(copies, dedupe_run_dedupe.summarise_copies(copies), as_json)


def _tell(copies: Any, facts: dict[str, Any], as_json: bool) -> None:
    from blickfang.cli.output import print_facts

    for failure in copies.failures[:SHOWN]:
        note(printable(f"not read: {failure.url}: {failure.reason}"))
    if copies.renamed:
        renamed = counted(copies.renamed, "document has", "documents have")
        note(f"{renamed} an id that was taken: called id#2, … from now on")
    print_json([facts]) if as_json else print_facts(facts)
