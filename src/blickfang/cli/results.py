"""What the rooms found, told to people: scores of texts, the funnel, hits, the demo's story.

In: results of the work. Out: tables and short lists on stdout. Apart from tables.py, because
whoever imports this waits for all these rooms.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import typer

from blickfang.cli.output import printable
from blickfang.cli.tables import print_keywords, print_table, shorten, show_number
from blickfang.cli.thumbnails import choose_display
from blickfang.corpus import Corpus, FunnelStep, open_corpus
from blickfang.corpus.search import Hit
from blickfang.demo import Story
from blickfang.pipeline import Explanation

KEYWORDS_SHOWN = 12
HITS_SHOWN = 10  # different words
CAPTION_SHOWN = 70  # characters


def print_explanations(explained: Sequence[Explanation]) -> None:
    """Print why texts score as they do."""
    rows = [
        (
            shorten(entry.text),
            show_number(entry.perplexity),
            show_number(entry.keyword_score),
            show_number(entry.score),
            show_hits([keyword.word for keyword in entry.hits]),
        )
        for entry in explained
    ]
    print_table(["text", "perplexity", "keyword score", "score", "keyword hits"], rows)


def show_hits(words: Sequence[str]) -> str:
    """Return the keywords found in a text, each with how often, the most frequent first.

    >>> show_hits(["owl", "barn", "owl"]), show_hits([])
    ('owl ×2, barn', '–')
    """
    counts = Counter(words)
    common = counts.most_common(HITS_SHOWN)
    shown = [f"{word} ×{count:,}" if count > 1 else word for word, count in common]
    more = len(counts) - len(shown)
    return ", ".join([*shown, f"{more:,} more"] if more else shown) or "–"


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
    here, tars = quote(str(folder)), quote(f"{folder}-tars")
    typer.echo(
        f"\nOpen the corpus: {folder / 'corpus'}\n\n"
        "Go on:\n"
        f"  blickfang serve {here} --open\n"
        f'  blickfang score {here} "The keeper lit the lamp in the tower."\n'
        f"  blickfang search {here} red tower\n"
        f"  blickfang export {here} {tars} --to webdataset\n"
        f"  blickfang status {here}"
    )


def print_funnel(funnel: Sequence[FunnelStep]) -> None:
    """Print how many images each step left, and why others were dropped."""
    for step in funnel:
        reasons = [f"{count:,} {why}" for why, count in step.dropped]
        told = printable(f"  −{', '.join(reasons)}" if reasons else "")
        typer.echo(f"{step.name:<12} {step.left:>9,}{told}")


def print_hits(corpus: Corpus, hits: Sequence[Hit]) -> None:
    """Print what was found; what has none of the words below a line that says so."""
    display = choose_display() if corpus.has_images else None
    told = False
    for hit in hits:
        if hit.related and not told:
            typer.echo("related, without any of these words:")
            told = True
        if display:
            display(corpus.image(hit.id))
        caption = printable(hit.caption.replace("\n", " "))[:CAPTION_SHOWN]
        score = f"{hit.score:.2f}" if hit.parts or hit.rank is not None else "   –"
        typer.echo(f"{hit.id}  {score}  {hit.width}×{hit.height}  {caption}")
        typer.echo(printable(f"    {hit.url}"))
