"""What the rooms found, told to people: scores of texts, the funnel, hits, the demo's story.

In: results of the work. Out: tables and short lists on stdout. Apart from output.py, because
whoever imports this waits for all these rooms.
"""

import base64
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote

import typer

from blickfang.cli.output import print_keywords, print_table, printable, shorten, show_number
from blickfang.corpus import Corpus, FunnelStep, open_corpus
from blickfang.corpus.search import Hit
from blickfang.crawl.focus.learn import Explanation
from blickfang.demo import Story

HEIGHT = 96  # pixels
PIECE = 4096  # characters of one message to kitty


def choose_display() -> Callable[[bytes], None] | None:
    """Return what shows a picture on this terminal; None if nothing does."""
    if not sys.stdout.isatty():
        return None
    program = os.environ.get("TERM_PROGRAM", "").lower()
    if "KITTY_WINDOW_ID" in os.environ or program == "ghostty":
        return lambda data: _write(kitty_message(shrink(data)))
    if program in ("iterm.app", "wezterm"):
        return lambda data: _write(iterm_message(shrink(data)))
    return None


def shrink(data: bytes) -> bytes:
    """Return a picture as a small PNG; nothing if it cannot be read."""
    from blickfang.corpus.pictures import show_picture
    from blickfang.types import Failure

    image = show_picture("", data, HEIGHT * 4)  # within its limits: the bytes are a stranger's
    if isinstance(image, Failure):
        return b""
    image.thumbnail((HEIGHT * 4, HEIGHT))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def kitty_message(png: bytes) -> str:
    """Return what makes kitty show a picture, in pieces of the size it takes.

    >>> kitty_message(b"x")
    '\\x1b_Ga=T,f=100,m=0;eA==\\x1b\\\\\\n'
    """
    text = base64.b64encode(png).decode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    last = len(pieces) - 1
    messages = (
        f"\x1b_G{'a=T,f=100,' if not number else ''}m={int(number < last)};{piece}\x1b\\"
        for number, piece in enumerate(pieces)
    )
    return "".join(messages) + "\n" if pieces else ""


def iterm_message(png: bytes) -> str:
    """Return what makes iTerm2 show a picture.

    >>> iterm_message(b"x")
    '\\x1b]1337;File=inline=1;size=1:eA==\\x07\\n'
    """
    text = base64.b64encode(png).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)}:{text}\x07\n" if png else ""


def _write(message: str) -> None:
    sys.stdout.write(message)
    sys.stdout.flush()


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
