"""The commands on the corpus: build, export, merge.

In: what the user typed. Out: progress on stderr, the funnel and facts on stdout.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, Limit, Prefix, choose_engine
from blickfang.cli.output import (
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    printable,
    progress,
)
from blickfang.io.plural import counted

SHOWN = 5  # failures
FORMS = ("webdataset", "parquet", "hf", "files", "jsonl", "interleaved")


def _check_form(name: str) -> str:
    if name not in FORMS:
        raise typer.BadParameter(f"there is no export to {name!r}; there are {', '.join(FORMS)}")
    return name


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Out = Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")]
Form = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="NAME",
        callback=_check_form,
        help="webdataset, parquet, hf, files (with XML and TSV), jsonl or interleaved.",
    ),
]
Where = Annotated[
    str, typer.Option(help="A filter on columns: \"width >= 800 and 'cat' in caption\".")
]
NoBytes = Annotated[
    bool, typer.Option("--no-bytes", help="Addresses and hashes only, no pictures.")
]
Archives = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WARC",
        help="Build from these alone: paths, s3://…, https://…, lists (.paths.gz); repeatable.",
    ),
]
CorpusOut = Annotated[
    str,
    typer.Option("--out", "-o", metavar="PLACE", help="Put the corpus here, too: s3://…, a path."),
]
RemovalList = Annotated[
    Path | None,
    typer.Option(help="Addresses, hosts, hashes to leave out, besides DIR/removals.txt."),
]


@guarded
def build(
    folder: Folder,
    archives: Archives = None,
    prefix: Prefix = "",
    limit: Limit = 0,
    out: CorpusOut = "",
    engine: Engine = "",
    address: Address = "",
    as_json: AsJson = False,
) -> None:
    """Build the corpus from the archives: samples of images with their texts, ranked.

    Same archives, topic and settings give the same bytes. What was read is kept in DIR/build: a
    killed build goes on, and a second one reads only what changed. Filters stand in [build] and
    [images] of blickfang.toml; what they drop is in DIR/corpus/rejected.parquet, with the reason.

    \b
    Examples:
      blickfang build birds
      blickfang build birds --archives warc.paths.gz --prefix s3://commoncrawl/ --limit 100
      blickfang build birds --engine ray --address 10.0.0.1:6379 --out s3://bucket/birds
    """
    from blickfang.cli.print_results import print_funnel
    from blickfang.config import open_collection
    from blickfang.corpus import build as corpus_build
    from blickfang.corpus.archives.archive_sources import Supply

    announce_compiling()
    collection, supply = open_collection(folder), Supply(tuple(archives or ()), prefix, limit)
    with progress("reading archives") as reading, progress("writing samples") as writing:
        where = choose_engine(engine, address)
        built = corpus_build.build(collection, reading, writing, supply, where, out)
    _tell_shortcomings(built)
    if as_json:
        print_json([_describe(built)])
        return
    print_funnel(built.funnel)
    also = f" and {out}" if out else ""
    typer.echo(f"{counted(built.samples, 'sample')} in {printable(str(built.folder) + also)}")


def _tell_shortcomings(built: Any) -> None:
    """Say what could not be read, and what a corpus lacks."""
    for failure in built.failures[:SHOWN]:
        note(printable(f"not read: {failure.url}: {failure.reason}"))
    if len(built.failures) > SHOWN:
        note(f"and {len(built.failures) - SHOWN:,} more that could not be read")
    if not built.has_topic:
        note("no topic is learned: samples are ranked by how sure their texts are; blickfang learn")
    if not built.samples:
        note("the corpus is empty; the funnel says where the images were lost")


def _adding_up(show: Callable[[int, int], None], total: int) -> Callable[[int], None]:
    """Return who is told of some more, and shows how many there were so far."""
    done = 0

    def add(some: int) -> None:
        nonlocal done
        done += some
        show(done, total)

    return add


def _describe(built: Any) -> dict[str, Any]:
    return {
        "folder": str(built.folder),
        "samples": built.samples,
        "archives": built.archives,
        "failures": len(built.failures),
        "funnel": [
            {"step": step.name, "left": step.left, "dropped": dict(step.dropped)}
            for step in built.funnel
        ],
    }


@guarded
def export(
    folder: Folder,
    out: Out,
    to: Form = "webdataset",
    where: Where = "",
    no_bytes: NoBytes = False,
    removals: RemovalList = None,
    as_json: AsJson = False,
) -> None:
    """Export the corpus for other tools.

    What removals.txt in DIR lists is left out of every export, and what --removals lists, too.
    DIR may also be the folder of a corpus: then the list lies beside it, or in it.

    \b
    Examples:
      blickfang export birds tars --to webdataset
      blickfang export birds list --to jsonl --no-bytes --where "width >= 800"
    """
    from blickfang.corpus import export_corpus, open_corpus

    corpus = open_corpus(folder)
    with progress("exporting") as show:
        advance = _adding_up(show, len(corpus))
        done = export_corpus(
            corpus,
            to,
            out,
            with_bytes=not no_bytes,
            where=where,
            removals=removals,
            advance=advance,
        )
    if as_json:
        print_json([{"folder": str(out), **done._asdict()}])
        return
    typer.echo(f"{counted(done.kept, 'sample')} in {printable(str(out))}")
    _tell_left_out(done)


def _tell_left_out(done: Any) -> None:
    if done.filtered or done.removed:
        note(f"left out: {done.filtered:,} by --where, {done.removed:,} by the removal list")
    if done.unplaced:
        note(f"left out: {done.unplaced:,} that stand nowhere in the text of a page")


@guarded
def merge(
    one: Annotated[Path, typer.Argument(metavar="A", help="A collection or a corpus.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="C", help="A new folder.")],
    as_json: AsJson = False,
) -> None:
    """Join the corpora of two collections: equal pictures once, with the texts of both.

    Pictures that only look the same stay apart; to have them joined, build from all archives.
    Their removal lists are joined into C/removals.txt, which every export of C obeys.

    \b
    Example:
      blickfang merge birds more-birds -o all-birds
    """
    from blickfang.corpus import merge_collections, open_corpus

    pair = open_corpus(one), open_corpus(other)
    sizes = [len(corpus) for corpus in pair]
    with progress("merging") as show:
        merged, listed = merge_collections(*pair, out, _adding_up(show, sum(sizes)))
    if as_json:
        print_json([{"folder": str(out), "samples": len(merged), "of": sizes, "listed": listed}])
        return
    of = " + ".join(f"{size:,}" for size in sizes)
    typer.echo(f"{counted(len(merged), 'sample')} in {printable(str(out))}, of {of}")
    if listed:
        path = printable(str(out / "removals.txt"))
        note(f"{path} lists {counted(listed, 'removal')} of the sources; exports leave them out")
