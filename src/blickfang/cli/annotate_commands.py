"""blickfang annotate …: people judge samples.

In: what the user typed. Out: links for annotators, results as tables or JSON Lines, files.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.output import (
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    print_table,
    printable,
    progress,
    refuse_overwriting,
    show_number,
)
from blickfang.io.plural import counted


def print_tasks(tasks: Sequence[Any], as_json: bool) -> None:
    """Print tasks and how far they are."""
    if as_json:
        print_json(
            {
                "task": asked.task.name,
                "title": asked.task.title,
                "made": datetime.fromtimestamp(asked.made, UTC).isoformat(timespec="seconds"),
                **{key: getattr(asked, key) for key in COUNTS},
            }
            for asked in tasks
        )
        return
    print_table(
        ["task", "items", "gold", "annotators", "answers", "done", "state"],
        [
            (
                asked.task.name,
                f"{asked.items:,}",
                f"{asked.gold:,}",
                f"{asked.annotators:,}",
                f"{asked.given:,} of {asked.needed:,}",
                f"{asked.given / max(asked.needed, 1):.0%}",
                "closed" if asked.closed else "open",
            )
            for asked in tasks
        ],
    )


COUNTS = ("items", "gold", "annotators", "given", "needed", "finished", "set_aside", "closed")


def print_links(people: Sequence[Any], address: str, as_json: bool) -> None:
    """Print the personal links of annotators."""
    links = {who.name: f"{address.rstrip('/')}/a/{who.token}" for who in people}
    if as_json:
        print_json({"name": name, "link": link} for name, link in links.items())
        return
    wide = max(map(len, links), default=0)
    for name, link in links.items():
        typer.echo(printable(f"{name:<{wide}}  {link}"))


def print_results(found: Any, as_json: bool) -> None:
    """Print votes, agreement, and what each annotator did."""
    if as_json:
        print_json([describe_results(found)])
        return
    asked = found.asked
    typer.echo(
        f"{asked.task.title}: {asked.given:,} of {counted(asked.needed, 'answer')}, "
        f"{asked.finished:,} finished, {asked.set_aside:,} set aside"
    )
    for agreed in found.questions:
        merged = f" ({agreed.merge})" if agreed.merge else ""
        items = counted(agreed.tally.items, "item")
        typer.echo(f"\n{agreed.question}{merged}: {items} with all answers")
        print_table(
            ["category", "majority", "unanimous"],
            [
                (name, f"{agreed.tally.majority[name]:,}", f"{agreed.tally.unanimous[name]:,}")
                for name in agreed.categories
            ]
            + [("no majority", f"{agreed.tally.disagreement:,}", "")],
        )
        numbers = [
            f"Cohen's κ {show_number(agreed.cohen)} (mean of {counted(len(agreed.pairs), 'pair')})",
            f"Fleiss' κ {show_number(agreed.fleiss)}",
            f"Krippendorff's α {show_number(agreed.alpha)}",
        ]
        if agreed.alpha_ordinal is not None:
            numbers.append(f"ordinal α {show_number(agreed.alpha_ordinal)}")
        typer.echo(", ".join(numbers))
    _print_people(found)


def _print_people(found: Any) -> None:
    typer.echo()
    print_table(
        ["annotator", "answers", "skips", "gold right", "with majority", "seconds", "state"],
        [
            (
                who.name,
                f"{who.answers:,}",
                f"{who.skips:,}",
                f"{who.gold_right} of {who.gold_total}" if who.gold_total else "–",
                "–" if who.with_majority is None else f"{who.with_majority:.0%}",
                show_number(who.seconds),
                "revoked" if who.revoked else who.verdict or "invited",
            )
            for who in found.work
        ],
    )
    if found.methods:
        print_table(
            ["method", "texts", "relevant", "share"],
            [(m.name, f"{m.texts:,}", f"{m.good:,}", f"{m.share:.3f}") for m in found.methods],
        )


def describe_results(found: Any) -> dict[str, Any]:
    """Return results as plain values."""
    return {
        "task": found.asked.task.name,
        **{key: getattr(found.asked, key) for key in COUNTS},
        "questions": [
            agreed._asdict()
            | {
                "tally": agreed.tally._asdict(),
                "pairs": [pair._asdict() for pair in agreed.pairs],
            }
            for agreed in found.questions
        ],
        "annotators": [who._asdict() for who in found.work],
        "methods": [method._asdict() for method in found.methods],
        "skips": found.skips,
    }


def print_relearned(learned: Any, as_json: bool) -> None:
    """Print how much labels helped."""
    scores = {
        "texts held back": (learned.before, learned.after),
        "labelled samples in the corpus": (learned.corpus_before, learned.corpus_after),
    }
    if as_json:
        facts = learned._asdict()
        print_json([{k: v._asdict() if hasattr(v, "_asdict") else v for k, v in facts.items()}])
        return
    others = counted(learned.neutral, "other")
    typer.echo(f"learned from {counted(learned.positive, 'text')} on topic and {others}")
    print_table(
        ["ranking of", "on topic", "precision before", "after", "average before", "after"],
        [
            (
                what,
                f"{after.on_topic:,} of {after.items:,}",
                f"{before.precision:.3f}",
                f"{after.precision:.3f}",
                f"{before.average_precision:.3f}",
                f"{after.average_precision:.3f}",
            )
            for what, (before, after) in scores.items()
            if after is not None
        ],
    )
    if learned.corpus_after is None:
        typer.echo("nothing was changed; without --dry-run the topic learns from all of them")


annotate = typer.Typer(
    help="Let people judge samples: tasks, links for annotators, agreement, labels.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

SHOWN = 5  # failures

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Name = Annotated[str, typer.Argument(metavar="TASK", help="The name of the task.")]
Form = Annotated[str, typer.Option("--to", help="tsv, json or labelstudio.")]


Preset = Annotated[str, typer.Option(help="topic, cats (the study's words) or context.")]
File = Annotated[
    Path | None, typer.Option(metavar="TOML", help="A task of your own, instead of a preset.")
]
Called = Annotated[str, typer.Option(help="Its name: a-z, 0-9 and -; default: preset or file.")]
How = Annotated[str, typer.Option(help="top, random, uncertain or facet.")]
Count = Annotated[int, typer.Option(min=0, help="How many samples; 0: as stated.")]
Where = Annotated[str, typer.Option(help='A filter on columns: "width >= 800".')]
Facet = Annotated[str, typer.Option(help="host, or a column, for --how facet.")]
Each = Annotated[int, typer.Option(min=0, help="How many judge an item; 0: as stated.")]
Phases = Annotated[bool, typer.Option("--two-phases", help="The text only of what is on topic.")]
Show = Annotated[bool, typer.Option("--show", help="Only print the task as TOML, to be edited.")]


@annotate.command()
@guarded
def new(
    folder: Folder,
    preset: Preset = "topic",
    file: File = None,
    name: Called = "",
    how: How = "",
    count: Count = 0,
    where: Where = "",
    facet: Facet = "",
    annotators: Each = 0,
    two_phases: Phases = False,
    show: Show = False,
    as_json: AsJson = False,
) -> None:
    """Start a task: choose samples, and what is asked about them.

    A preset is a task that is ready: `topic` asks what an image shows and what its text has to do
    with it, `context` compares ways to find the text of an image, side by side and blind. --show
    prints it as TOML; edit that, and give it back with --file.

    \b
    Examples:
      blickfang annotate new birds --preset topic --count 200
      blickfang annotate new birds --show > task.toml
      blickfang annotate new birds --file task.toml
    """
    from blickfang.web.annotate import plan_task, write_task

    select: dict[str, Any] = {"how": how, "count": count, "where": where, "facet": facet}
    changes = {"name": name, "annotators": annotators, "two_phases": two_phases, "select": select}
    task = plan_task(preset, file, changes)
    if show:
        typer.echo(write_task(task), nl=False)
    else:
        _start(folder, task, as_json)


def _start(folder: Path, task: Any, as_json: bool) -> None:
    announce_compiling()
    from blickfang.web.annotate.start_task import start_task

    with progress("choosing samples") as advance:
        started = start_task(folder, task, advance)
    for failure in started.failures[:SHOWN]:
        note(printable(f"left out: {failure.url}: {failure.reason}"))
    asked = started.asked
    if as_json:
        facts = {"task": task.name, "items": asked.items, "gold": asked.gold}
        print_json([facts | {"needed": asked.needed, "left_out": len(started.failures)}])
        return
    needed = counted(asked.needed, "answer")
    typer.echo(f"task {task.name}: {counted(asked.items, 'item')}, {needed} needed")
    note(f"now invite people: blickfang annotate invite {folder} {task.name} Ada Ben Cleo")


@annotate.command()
@guarded
def tasks(folder: Folder, as_json: AsJson = False) -> None:
    """List the tasks of a collection and how far they are.

    \b
    Example:
      blickfang annotate tasks birds
    """
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=True) as store:
        print_tasks(annotate.list_tasks(store), as_json)


@annotate.command()
@guarded
def invite(
    folder: Folder,
    name: Name,
    people: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Whom to invite; none: list all.")
    ] = None,
    address: Annotated[
        str, typer.Option(help="Where `blickfang serve` can be reached.")
    ] = "http://127.0.0.1:8765",
    as_json: AsJson = False,
) -> None:
    """Invite people to a task, and print the personal link of each.

    Who has a link can annotate in that name: send it to that person only. Without names, all links
    are printed again.

    \b
    Examples:
      blickfang annotate invite birds topic Ada Ben Cleo
      blickfang annotate invite birds topic
    """
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=True) as store:
        for person in people or ():
            annotate.invite(store, name, person)
        everyone = annotate.list_annotators(store, name)
    wanted = {" ".join(person.split()) for person in people or ()}
    chosen = [who for who in everyone if not who.revoked and (not wanted or who.name in wanted)]
    print_links(chosen, address, as_json)


@annotate.command()
@guarded
def revoke(
    folder: Folder,
    name: Name,
    person: Annotated[str, typer.Argument(metavar="NAME", help="Whose link shall end.")],
    discard: Annotated[
        bool, typer.Option("--discard", help="Do not count what they answered, either.")
    ] = False,
) -> None:
    """End the link of an annotator; what they held goes to others.

    \b
    Example:
      blickfang annotate revoke birds topic Ada --discard
    """
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=True) as store:
        annotate.revoke(store, name, person, discard=discard)
    note(f"the link of {person} is of no use any more")


@annotate.command()
@guarded
def close(
    folder: Folder,
    name: Name,
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again.")] = False,
) -> None:
    """End a task: it takes no more answers.

    \b
    Example:
      blickfang annotate close birds topic
    """
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=True) as store:
        annotate.close_task(store, name, not reopen)
    note(f"task {name} is {'open again' if reopen else 'closed'}")


@annotate.command()
@guarded
def results(folder: Folder, name: Name, as_json: AsJson = False) -> None:
    """Print what people said, and how far they agree.

    Majority and unanimity per category, Cohen's kappa (mean of all pairs), Fleiss' kappa and
    Krippendorff's alpha, also with merged categories; what each annotator did, and how often gold
    was right.

    \b
    Example:
      blickfang annotate results birds topic
    """
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=True) as store:
        print_results(annotate.measure(store, name), as_json)


@annotate.command()
@guarded
def export(
    folder: Folder,
    name: Name,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    to: Form = "tsv",
) -> None:
    """Write the labels of a task into a file.

    tsv: a row an answer. json: the whole task but its links; `import` makes it again elsewhere.
    labelstudio: tasks with annotations, a labelling configuration beside it as FILE.xml, and the
    pictures in the folder images beside it: Label Studio shows them when that folder is a local
    storage of the project, and LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT the folder of FILE.
    Samples on the removal list are left out.

    \b
    Examples:
      blickfang annotate export birds topic labels.tsv
      blickfang annotate export birds topic labels.json --to labelstudio
    """
    from blickfang.io.atomic_files import write_text
    from blickfang.web import annotate
    from blickfang.web.annotate.pass_on_labels import export_task, write_pictures

    for file in folder.glob("labels*.sqlite*"):  # the answers, and the copy of them
        refuse_overwriting(file, out)
    with annotate.open_store(folder, must_exist=True) as store:
        write_text(out, export_task(folder, store, name, to))
        if to == "labelstudio":
            write_text(out.with_name(out.name + ".xml"), annotate.label_studio_config(store, name))
            _, missing = write_pictures(folder, store, name, out.parent)
            if missing:
                note(f"{missing:,} pictures are not in the corpus any more: their tasks show none")
    note(printable(f"wrote {out}"))


@annotate.command("import")
@guarded
def import_(
    folder: Folder,
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to read.")],
    of: Annotated[str, typer.Option("--from", help="tsv, json or labelstudio.")] = "tsv",
    as_json: AsJson = False,
) -> None:
    """Add labels from a file to a task; those that are there already stay once.

    The json of a whole task makes the task if it is not there.

    \b
    Example:
      blickfang annotate import birds topic labels.tsv
    """
    from blickfang.io.text_files import read_text
    from blickfang.web import annotate

    with annotate.open_store(folder, must_exist=of != "json") as store:
        done = annotate.import_labels(store, name, read_text(file), of)
    for failure in done.failures[:SHOWN]:
        note(printable(f"left out: {failure.url}: {failure.reason}"))
    if as_json:
        print_json([{"kept": done.kept, "again": done.again, "left_out": len(done.failures)}])
        return
    typer.echo(f"{done.kept:,} new, {done.again:,} were there, {len(done.failures):,} left out")


@annotate.command("learn")
@guarded
def learn_labels(
    folder: Folder,
    name: Name,
    text: Annotated[
        list[str] | None,
        typer.Option(help="An answer that says a text is good; repeatable; default: the first."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only measure; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn the topic again, with the labelled texts, and rank the corpus anew.

    Texts that describe what is on topic become positive examples, texts of what is not become
    neutral ones; they are written to DIR/labelled and named in blickfang.toml. How much it helps is
    measured on texts that were held back.

    \b
    Examples:
      blickfang annotate learn birds topic --dry-run
      blickfang annotate learn birds topic --text describes --text fits
    """
    announce_compiling()
    from blickfang.config import open_collection
    from blickfang.web.annotate.relearn import learn_from_labels

    with progress("learning from labels") as advance:
        learned = learn_from_labels(
            open_collection(folder), name, texts=text or (), apply=not dry_run, advance=advance
        )
    print_relearned(learned, as_json)
