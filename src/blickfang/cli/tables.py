"""Results as people read them: tables and short lists on stdout.

In: what a command found. Out: text, in colour on a terminal, plain in a file.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from blickfang.cli.output import printable
from blickfang.cli.thumbnails import choose_display
from blickfang.corpus import Corpus, Step, open_corpus
from blickfang.demo import Story
from blickfang.pipeline import Explanation
from blickfang.search import Hit

TEXT_SHOWN = 60  # characters of a text in a table
KEYWORDS_SHOWN = 12
REASONS_SHOWN = 3  # of each step of the funnel
CAPTION_SHOWN = 70  # characters


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: words to the left, numbers to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))  # no markup, no emoji
    # Piped into a file a table is as wide as it has to be.
    Console(width=None if sys.stdout.isatty() else 1000).print(table)


def print_facts(facts: dict[str, Any]) -> None:
    """Print named values, one a line."""
    rows = [(name.replace("_", " "), _show(value)) for name, value in facts.items()]
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:<{wide}}  {value}")


def _show(value: Any) -> str:
    if isinstance(value, list):
        nested = any(isinstance(entry, list) for entry in value)
        return ("; " if nested else ", ").join(map(_show, value)) or "–"
    if isinstance(value, float) or value is None:
        return show_number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_keywords(found: Sequence[Any]) -> None:
    """Print keywords with their weights."""
    rows = [(k.word, f"{k.weight:,.2f}", f"{k.tf:,}", f"{k.df:,}") for k in found]
    print_table(["word", "weight", "tf", "df"], rows)


def show_number(value: float | None) -> str:
    """Return a number as people read it; a dash for none."""
    return "–" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def shorten(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: 2 * TEXT_SHOWN].split())
    return line if len(line) <= TEXT_SHOWN else line[:TEXT_SHOWN] + "…"


def print_scores(scored: Iterable[dict[str, Any]]) -> None:
    """Print scores of lines as they come: there may be millions."""
    typer.echo(f"{'line':>8} {'tokens':>8} {'oov':>6} {'log10':>12} {'perplexity':>12}")
    for line, entry in enumerate(scored, 1):
        shown = [show_number(entry["log10"]), show_number(entry["perplexity"])]
        cells = f"{entry['tokens']:>8} {entry['oov']:>6} {shown[0]:>12} {shown[1]:>12}"
        sys.stdout.write(f"{line:>8} {cells}\n")


def print_explanations(explained: Sequence[Explanation]) -> None:
    """Print why texts score as they do."""
    rows = [
        (
            shorten(entry.text),
            show_number(entry.perplexity),
            show_number(entry.keyword_score),
            show_number(entry.score),
            " ".join(keyword.word for keyword in entry.hits) or "–",
        )
        for entry in explained
    ]
    print_table(["text", "perplexity", "keyword score", "score", "keyword hits"], rows)


def print_story(story: Story, folder: Path) -> None:
    """Tell what the demo did."""
    topic = story.learned.topic
    typer.echo(
        f"The demo web: {story.hosts} hosts, {story.pages} pages, {story.images} images.\n"
        f"Learned lighthouses from {topic.positive_pages} pages of one host "
        f"({topic.sentences} sentences) against {topic.neutral_pages} neutral pages.\n\n"
        "Keywords: what sets those pages apart"
    )
    print_keywords(topic.keywords.found[:KEYWORDS_SHOWN])
    typer.echo(
        "How pages of each kind of host fit the topic (medians; low perplexity and score fit)"
    )
    rows = [
        (k.kind, str(k.pages), *map(show_number, (k.perplexity, k.keyword_score, k.score)))
        for k in story.kinds
    ]
    print_table(["pages of", "pages", "perplexity", "keyword score", "score"], rows)
    harvest = story.harvest
    typer.echo(
        f"Crawled from the directory of the demo web: {harvest.pages} pages, "
        f"{harvest.on_topic / max(1, harvest.pages):.0%} of them on lighthouses "
        f"(of the whole web {harvest.share_of_web:.0%}); {harvest.images} images, "
        f"{harvest.on_topic_images / max(1, harvest.images):.0%} of them from lighthouse pages.\n"
        f"Left out: {', '.join(f'{count} {why}' for why, count in harvest.failures.items())}\n\n"
        f"Built the corpus: {story.built.samples} samples. Image addresses left after each step"
    )
    print_funnel(story.built.funnel)
    typer.echo(f"\nFound for: {story.query}")
    print_hits(open_corpus(folder), story.hits)
    typer.echo(
        f"\nOpen the corpus: {folder / 'corpus'}\n\n"
        "Go on:\n"
        f"  blickfang serve {folder} --open\n"
        f'  blickfang score {folder} "The keeper lit the lamp in the tower."\n'
        f"  blickfang search {folder} red tower\n"
        f"  blickfang export {folder} {folder}-tars --to webdataset\n"
        f"  blickfang status {folder}"
    )


def print_funnel(funnel: Sequence[Step]) -> None:
    """Print how many images each step left, and the most frequent reasons."""
    for step in funnel:
        reasons = [f"{count:,} {why}" for why, count in step.dropped[:REASONS_SHOWN]]
        more = sum(count for _, count in step.dropped[REASONS_SHOWN:])
        reasons += [f"{more:,} others"] if more else []
        told = printable(f"  −{', '.join(reasons)}" if reasons else "")
        typer.echo(f"{step.name:<12} {step.left:>9,}{told}")


def print_hits(corpus: Corpus, hits: Sequence[Hit]) -> None:
    """Print what was found."""
    display = choose_display() if corpus.has_images else None
    for hit in hits:
        if display:
            display(corpus.image(hit.id))
        caption = printable(hit.caption.replace("\n", " "))[:CAPTION_SHOWN]
        typer.echo(f"{hit.id}  {hit.score:.2f}  {hit.width}×{hit.height}  {caption}")
        typer.echo(printable(f"    {hit.url}"))
