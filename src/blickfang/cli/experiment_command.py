"""The command that compares crawls: experiment.

In: what the user typed. Out: a table on stdout, and the comparison as JSON and HTML in a folder.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from blickfang.cli.output import AsJson, announce_compiling, guarded, note, print_json, progress

PlanFile = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The plan; see below.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="OUT", help="A folder; default: FILE without .toml."),
]


@guarded
def experiment(plan_file: PlanFile, output: Output = None, as_json: AsJson = False) -> None:
    """Compare ways to crawl: topics × modes × draws, live or over recorded archives.

    Runs one crawl after the other and measures each; what was run before is not run again.
    Writes comparison.json and comparison.html into OUT, and every crawl as a collection. Paths
    in the plan are relative to its folder.

    \b
    A plan:
      [experiment]
      modes = ["unfocused", "focused+images"]
      draws = 5                      # repeat with other pages learned from
      truth = "truth.tsv"            # columns url and topic; without it: by score
      [webs.recorded]
      archive = ["birds/crawl"]      # *.warc.gz or folders; without it: the live web
      seeds = ["https://example.org/"]
      [topics.owls]
      positive = ["https://example.org/owl.html", "…"]
      take = 6                       # of them in each draw; 0: all
      neutral = ["https://example.org/car.html", "…"]
      [variants.no-probes.focus]     # settings to be compared, beside the modes
      probe_every = 0

    \b
    Example:
      blickfang experiment owls.toml -o owls
    """
    announce_compiling()
    _run(plan_file, output or plan_file.with_suffix(""), as_json)


def _run(plan_file: Path, folder: Path, as_json: bool) -> None:
    from blickfang.cli.output import print_table
    from blickfang.crawl import experiment as lab
    from blickfang.web.report.experiment_page import tabulate, write_comparison

    plan = lab.load_plan(plan_file)
    with progress("crawls") as advance:
        results = lab.run_experiment(plan, folder, _watch(advance))
    comparison = lab.compare(results)
    write_comparison(comparison, plan_file.stem, folder)
    if as_json:
        print_json(asdict(comparison)["lines"])
    else:
        print_table(*tabulate(comparison))
    note(f"written: {folder / 'comparison.html'} and comparison.json")


def _watch(advance: Callable[[int, int], None]) -> Callable[[int, int, str], None]:
    """Show how far an experiment is."""

    def tell(done: int, total: int, name: str) -> None:
        advance(done, total)
        if name:
            note(f"{done + 1}/{total} {name}")

    return tell
