"""The commands on the corpus: build.

In: what the user typed. Out: progress on stderr, the funnel and facts on stdout.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.output import (
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    printable,
    progress,
)

SHOWN = 5  # failures
REASONS = 3  # of each step

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]


@guarded
def build(folder: Folder, as_json: AsJson = False) -> None:
    """Build the corpus from the archives: samples of images with their texts, ranked.

    Same archives, topic and settings give the same bytes. What was read is kept in DIR/build: a
    killed build goes on, and a second one reads only what changed. Filters stand in [build] and
    [images] of blickfang.toml; what they drop is in DIR/corpus/rejected.parquet, with the reason.

    \b
    Example:
      blickfang build birds
    """
    from blickfang import pipeline
    from blickfang.collection import open_collection

    announce_compiling()
    collection = open_collection(folder)
    with progress("reading archives") as reading, progress("writing samples") as writing:
        built = pipeline.build(collection, reading, writing)
    for failure in built.failures[:SHOWN]:
        note(printable(f"not read: {failure.url}: {failure.reason}"))
    if len(built.failures) > SHOWN:
        note(f"and {len(built.failures) - SHOWN:,} more that could not be read")
    if as_json:
        print_json([_describe(built)])
        return
    print_funnel(built.funnel)
    typer.echo(f"{built.samples:,} samples in {printable(str(built.folder))}")


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


def print_funnel(funnel: Any) -> None:
    """Print how many images each step left, and the most frequent reasons."""
    for step in funnel:
        reasons = [f"{count:,} {why}" for why, count in step.dropped[:REASONS]]
        more = sum(count for _, count in step.dropped[REASONS:])
        reasons += [f"{more:,} others"] if more else []
        told = printable(f"  −{', '.join(reasons)}" if reasons else "")
        typer.echo(f"{step.name:<12} {step.left:>9,}{told}")
