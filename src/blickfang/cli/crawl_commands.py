"""The commands on crawling: crawl, status, pages, images, calibrate.

In: what the user typed. Out: a live view on stderr while a crawl runs; facts and rows on stdout.
"""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, choose_engine
from blickfang.cli.output import (
    DISK_FULL,
    FAILED,
    INTERRUPTED,
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    progress,
)
from blickfang.cli.watch_crawl import show_buckets, watching
from blickfang.errors import SettingsError
from blickfang.io.plural import counted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]

Shards = Annotated[
    int, typer.Option(min=0, help="Parts at work; 0: as the settings say, as before, one per core.")
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Also queue again what failed, but for what is gone.")
]

Again = Annotated[
    bool, typer.Option("--again", help="Ask for all pages again; only changed ones are sent.")
]


Rebuild = Annotated[
    bool,
    typer.Option("--rebuild", help="First make a damaged or lost state anew from the archive."),
]


Adapt = Annotated[
    bool,
    typer.Option("--adapt", help="Also learn from what lies far inside the topic, and from links."),
]


Store = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="With --engine ray: where shards are saved if nodes do not see DIR: a path, s3://, …",
    ),
]
Leave = Annotated[
    bool, typer.Option("--leave", help="Leave archives in the store; bring the rest into DIR.")
]


@guarded
def crawl(
    folder: Folder,
    shards: Shards = 0,
    retry_failed: RetryFailed = False,
    again: Again = False,
    adapt: Adapt = False,
    rebuild: Rebuild = False,
    engine: Engine = "",
    address: Address = "",
    store: Store = "",
    leave: Leave = False,
    as_json: AsJson = False,
) -> None:
    """Crawl from the seeds, following what fits the topic, into an archive.

    Goes on where it stopped, also after a kill. Ctrl-C finishes what is under way and saves; a
    second Ctrl-C stops at once. Limits, manners and scope stand in [crawl] of blickfang.toml.

    \b
    Examples:
      blickfang crawl birds
      blickfang crawl birds --engine ray --address 10.0.0.1:6379 --store s3://bucket/birds
    """
    announce_compiling()
    from blickfang.cli.output import print_facts
    from blickfang.config import open_collection
    from blickfang.crawl import run as crawl_run

    collection = open_collection(folder)
    prepare(collection, rebuild, retry_failed, again)
    where = choose_engine(engine, address)
    with watching() as watch:
        wishes: dict[str, Any] = {"shards": shards, "with_adapting": adapt, "rebuild": rebuild}
        crawled = crawl_run.crawl(
            collection, watch, where=where, store=store, leave=leave, **wishes
        )
    facts = {**summarise(crawled.standing), "shards": crawled.shards}
    print_json([facts]) if as_json else print_facts(facts)
    conclude(crawled, folder)
    if not again:  # then pages that did not change are none that were fetched
        refuse_nothing(crawled.standing, collection, was_retried=retry_failed)


def prepare(collection: Any, rebuild: bool, retry_failed: bool, again: bool) -> None:
    """Say what a crawl will cost; queue what failed, or all pages, if that is wanted."""
    from blickfang.config import refuse_busy
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    refuse_busy(collection)  # what a crawl would cost that cannot begin helps nobody
    if rebuild:  # nothing is known of costs, and nothing has failed
        if retry_failed or again:
            raise SettingsError("--rebuild goes alone; run the other when it has ended")
        note("the state is made anew from the archive")
        return
    note(crawl_crawl_admin.estimate(collection))  # or what is missing
    if retry_failed:
        count = crawl_crawl_admin.retry_failed(collection)
        note(
            f"{counted(count, 'address that failed is', 'addresses that failed are')} queued again"
        )
    if again:
        pages = counted(crawl_crawl_admin.crawl_again(collection), "page is", "pages are")
        note(f"{pages} asked for again, if changed")


def conclude(crawled: Any, folder: Path) -> None:
    """Say what ended a crawl; that decides how this command ends."""
    from blickfang.crawl import Ending

    for reason, count in crawled.standing.unrendered.most_common():
        told = "page was" if count == 1 else "pages were"
        note(f"{count:,} {told} kept as {'it' if count == 1 else 'they'} came: {reason}")
    if crawled.moved:
        shards = counted(crawled.shards, "shard")
        note(f"{counted(crawled.moved, 'host')} moved: the crawl now has {shards}")
    if crawled.error:
        note(
            f"error: {crawled.error}; all is saved, `blickfang crawl {quote(str(folder))}` goes on"
        )
        raise typer.Exit(DISK_FULL if crawled.is_full else FAILED)
    if crawled.standing.stopping == Ending.NO_ROOM:
        note(
            "error: the disk has less room left than min_disk_mb in [crawl]; all is saved: make "
            f"room, and `blickfang crawl {quote(str(folder))}` goes on"
        )
        raise typer.Exit(DISK_FULL)
    if crawled.standing.stopping == Ending.INTERRUPTED:
        note(f"interrupted; all is saved, `blickfang crawl {quote(str(folder))}` goes on")
        raise typer.Exit(INTERRUPTED)


def refuse_nothing(standing: Any, collection: Any, *, was_retried: bool) -> None:
    """Say so where a crawl has ended without a single page, now or before: it came to nothing."""
    from blickfang.crawl import Ending
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    reasons = (+(standing.failures + standing.skipped)).most_common(3)
    came = standing.pages or standing.images
    if standing.stopping != Ending.NOTHING_LEFT or came or not reasons:
        return
    if crawl_crawl_admin.summarise_crawl(collection)["pages"]:  # of earlier runs
        return
    told = ", ".join(f"{reason} ({count:,})" for reason, count in reasons)
    advice = advise(standing, reasons[0][0], collection.root, was_retried=was_retried)
    note(f"error: not one page could be fetched: {told}; mend [crawl] seeds{advice}")
    raise typer.Exit(FAILED)


def advise(standing: Any, reason: str, folder: Path, *, was_retried: bool) -> str:
    """Return what else may help than other seeds: what was only skipped is not tried again."""
    from blickfang.crawl import NO_CONTACT, PRIVATE

    again = f"try again with `blickfang crawl {quote(str(folder))} --retry-failed`"
    if reason == PRIVATE:
        return f", or set allow_private = true for hosts of your own, and {again}"
    if reason == NO_CONTACT:
        return f", or write a contact into [crawl], and {again}"
    return f", or {again}" if standing.failures and not was_retried else ""


def summarise(standing: Any) -> dict[str, Any]:
    """Return what a crawl came to."""
    return {
        "stopped_because": standing.stopping,
        "pages": standing.pages,
        "images": standing.images,
        "on_topic_share": standing.on_topic / standing.rated if standing.rated else None,
        "requests": standing.requests,
        "hosts": standing.hosts,
        "mb": round(standing.bytes / 1e6, 1),
        "queued_pages": standing.queued[0],
        "queued_images": standing.queued[1],
        "failures": standing.failures.total(),
        "skipped": standing.skipped.total(),
        "not_rendered": standing.unrendered.total(),
        "restored_shards": standing.restored,
    }


@guarded
def status(folder: Folder, as_json: AsJson = False) -> None:
    """Say how a crawl stands, while it runs or later.

    \b
    Example:
      blickfang status birds
    """
    from blickfang.cli.output import print_facts
    from blickfang.config import open_collection
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    facts = crawl_crawl_admin.summarise_crawl(open_collection(folder))
    if as_json:
        print_json([facts])
        return
    buckets = {int(bucket): count for bucket, count in facts["queued_by_bucket"].items()}
    facts["queued_by_bucket"] = show_buckets(buckets) or "–"
    for name in ("failures", "skipped"):
        facts[name] = [f"{count:,} {why}" for why, count in facts[name].items()]
    print_facts(facts)


@guarded
def pages(folder: Folder, as_json: AsJson = False) -> None:
    """List the pages that were fetched, in order, with their scores.

    The score is that of the mode; perplexity (--json) is of title and text as one sequence.

    \b
    Example:
      blickfang pages birds --json > pages.jsonl
    """
    _list(folder, "page", ("score", "relevance", "depth", "url"), as_json)


@guarded
def images(folder: Folder, as_json: AsJson = False) -> None:
    """List the images that were fetched, in order.

    \b
    Example:
      blickfang images birds --json > images.jsonl
    """
    _list(folder, "image", ("width", "height", "depth", "url"), as_json)


def _list(folder: Path, kind: str, columns: tuple[str, ...], as_json: bool) -> None:
    from blickfang.cli.output import printable, show_number
    from blickfang.config import open_collection
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    rows = list(crawl_crawl_admin.list_fetched(open_collection(folder), kind))
    if as_json:
        print_json(rows)
        return
    typer.echo(f"{' '.join(f'{name:>9}' for name in columns[:-1])}  {columns[-1]}")
    for row in rows:
        numbers = (f"{show_number(row[name]):>9}" for name in columns[:-1])
        typer.echo(f"{' '.join(numbers)}  {printable(row[columns[-1]])}")


@guarded
def calibrate(
    folder: Folder,
    pages: Annotated[int, typer.Option(min=0, help="Pages of the small crawl; 0: none.")] = 200,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what was found, change no settings.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find bucket boundaries and razor for the study's modes, and write them to the settings.

    Scores the links of every positive page as the queue of the mode holds them, by a topic learned
    from the other pages; those of neutral pages; and those of a small crawl of the seed hosts in
    that mode, one request at a time. Prints how many pages came from each seed. The evidence is
    kept in DIR/calibration.json. Modes without buckets are calibrated as focused.

    \b
    Example:
      blickfang calibrate birds
    """
    announce_compiling()
    from dataclasses import asdict

    from blickfang.cli.output import print_facts, print_table, show_number
    from blickfang.config import open_collection
    from blickfang.crawl.focus import calibrate as focus_calibrate

    collection = open_collection(folder)
    found = focus_calibrate.calibrate(collection, pages)
    if not dry_run:
        focus_calibrate.apply_calibration(collection, found)
    facts = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(found).items()}
    if as_json:
        print_json([facts])
        return
    seeds = facts.pop("seeds")
    print_facts(facts)
    if seeds:
        rows = [
            (one["seed"], f"{one['pages']:,}", f"{one['best']:,}", show_number(one["perplexity"]))
            for one in seeds
        ]
        print_table(["from the seed", "pages", "in the best bucket", "median perplexity"], rows)


Url = Annotated[str, typer.Argument(metavar="URL", help="The address.")]
UrlOrNone = Annotated[str, typer.Argument(metavar="URL", help="The address.")]
Recheck = Annotated[
    bool, typer.Option("--recheck", help="Ask all hosts again whether we may keep what we have.")
]


@guarded
def explain(folder: Folder, url: Url, as_json: AsJson = False) -> None:
    """Say why an address has its place in the queue, or why it was left out.

    \b
    Example:
      blickfang explain birds https://example.org/robins.html
    """
    from blickfang.cli.output import show_bucket
    from blickfang.config import open_collection
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    facts = crawl_crawl_admin.explain_url(open_collection(folder), url)
    if as_json:
        print_json([facts])
        return
    _print_nested(facts | {"bucket": show_bucket(facts["bucket"])})


@guarded
def consent(
    folder: Folder, url: UrlOrNone = "", recheck: Recheck = False, as_json: AsJson = False
) -> None:
    """Show every signal of consent seen for an address, and what was decided.

    With --recheck instead of an address, robots.txt and its relatives are asked for again at all
    hosts; what may not be kept any more is listed, and the next build leaves it out.

    \b
    Examples:
      blickfang consent birds https://example.org/robins.html
      blickfang consent birds --recheck
    """
    from blickfang.config import open_collection
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    if bool(url) == recheck:
        raise typer.BadParameter("give either an address or --recheck")
    if recheck:
        _recheck(folder, as_json)
        return
    rows = crawl_crawl_admin.show_consent(open_collection(folder), url)
    if as_json:
        print_json(rows)
        return
    if not rows:
        note("nothing was said about it, or it was never asked for")
    for row in rows:
        _print_nested(row)


def _recheck(folder: Path, as_json: bool) -> None:
    """Ask all hosts again, and list what they forbid by now."""
    from blickfang.cli.output import printable
    from blickfang.config import open_collection
    from blickfang.crawl import crawl_admin as crawl_crawl_admin

    with progress("asking hosts") as advance:
        found = crawl_crawl_admin.recheck_consent(open_collection(folder), advance)
    rows = [one._asdict() for one in found.withdrawn]
    if as_json:
        print_json(rows)
    for row in () if as_json else rows:
        typer.echo(printable(f"{row['kind']:<6} {row['url']}  {', '.join(row['reasons'])}"))
    for origin, reason in sorted(found.silent.items()):
        note(printable(f"{origin} did not say: {reason}; what it said before still counts"))
    unheard = f"; {found.unheard:,} not, for their hosts did not say" if found.unheard else ""
    checked = counted(found.addresses, "kept address", "kept addresses")
    note(f"{checked} checked, {len(rows):,} withdrawn{unheard}")
    if found.silent:
        raise typer.Exit(FAILED)


def _print_nested(facts: dict[str, Any], indent: int = 0) -> None:
    """Print named values, those inside others further to the right."""
    from blickfang.cli.output import printable, show_number

    for name, value in facts.items():
        title = " " * indent + name.replace("_", " ")
        is_list = isinstance(value, list | tuple)
        entries = value if is_list else [value]
        if entries and isinstance(entries[0], dict):
            typer.echo(title)
            for entry in entries:
                _print_nested(entry, indent + 2)
        elif isinstance(value, str) and "\n" in value:  # a file, line by line
            typer.echo(title)
            for line in value.splitlines():
                typer.echo(printable(" " * (indent + 2) + line))
        elif is_list:
            typer.echo(f"{title:<14} {printable(', '.join(map(str, value)) or '–')}")
        else:
            is_number = value is None or isinstance(value, float)
            shown = show_number(value) if is_number else printable(str(value))
            typer.echo(f"{title:<14} {shown or '–'}")
