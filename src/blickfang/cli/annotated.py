"""Tasks, links and results as people read them.

In: what was asked and answered. Out: tables on stdout, or JSON Lines.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import typer

from blickfang.cli.output import print_json, printable
from blickfang.cli.tables import print_table, show_number
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
