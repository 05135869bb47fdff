"""The commands on topics and collections.

In: what the user typed. Out: results on stdout. Every command that prints facts has --json.
"""

import signal
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from blickfang import __version__
from blickfang.cli import (
    compare_command,
    corpus_commands,
    crawl_commands,
    dedupe_command,
    experiment_command,
    page_commands,
    publications_command,
    read_command,
    records_commands,
    report_command,
    search_command,
    serve_command,
)
from blickfang.cli import crawl_commands as why
from blickfang.cli.annotate_commands import annotate
from blickfang.cli.lm_commands import lm
from blickfang.cli.output import AsJson, announce_compiling, guarded, note, print_json, progress
from blickfang.io.log import show_log
from blickfang.io.plural import counted

HELP = """From a handful of seed pages to a clean, searchable image–text corpus.

\b
A first tour, offline, on the built-in web:
  blickfang demo demo

\b
Your own topic:
  blickfang new birds            # makes birds/blickfang.toml: name your pages there
  blickfang learn birds
  blickfang score birds "A robin sings in the hedge."
  blickfang crawl birds          # from the seeds, into birds/crawl; Ctrl-C saves

\b
Exit codes: 0 done (also when a limit you set was reached), 1 failed, 2 wrong usage,
4 wrong settings, 11 interrupted with nothing half written, 13 disk nearly full.
"""

app = typer.Typer(
    help=HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(lm, name="lm")
app.add_typer(annotate, name="annotate")
app.command()(page_commands.context)
app.command()(page_commands.text)
app.command()(records_commands.records)
app.add_typer(records_commands.classes, name="classes")
app.add_typer(records_commands.rules, name="rules")
for command in (
    crawl_commands.crawl,
    crawl_commands.status,
    crawl_commands.pages,
    crawl_commands.images,
    why.explain,
    why.consent,
    read_command.read,
    crawl_commands.calibrate,
    corpus_commands.build,
    corpus_commands.export,
    corpus_commands.merge,
    dedupe_command.dedupe,
    report_command.report,
    compare_command.compare,
    serve_command.serve,
    experiment_command.experiment,
    publications_command.publications,
):
    app.command()(command)
# "-word" leaves a word out: what looks like an unknown option, or like -h, is part of the query.
app.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})(
    search_command.search
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Sources = Annotated[
    list[str],
    typer.Option(metavar="PATH", help="A file, a folder or a quoted glob; may be repeated."),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"blickfang {__version__}")
        raise typer.Exit


@app.callback()
def _start(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Show what is logged, also tracebacks, on stderr; goes first."
        ),
    ] = False,
) -> None:
    del version
    if verbose:
        show_log()


@app.command()
@guarded
def new(folder: Folder) -> None:
    """Make a new collection with a commented blickfang.toml.

    \b
    Example:
      blickfang new birds
    """
    from blickfang.config import make_collection

    path = make_collection(folder)
    note(f"made {path}: name your pages there, then run `blickfang learn {quote(str(folder))}`")


@app.command()
@guarded
def learn(folder: Folder, as_json: AsJson = False) -> None:
    """Learn the topic of a collection.

    Reads the positive and neutral pages that the settings name (text or HTML), trains the
    language models and finds the keywords. Run it again after adding pages: only what changed is
    read again.

    \b
    Example:
      blickfang learn birds
    """
    announce_compiling()
    from blickfang.cli.output import print_facts
    from blickfang.config import open_collection
    from blickfang.crawl.focus import learn as focus_learn

    collection = open_collection(folder)
    learned = focus_learn.learn(collection, progress)
    for failure in learned.failures:
        note(f"left out: {failure.reason}")
    topic = learned.topic
    facts = {
        "positive_pages": topic.positive_pages,
        "neutral_pages": topic.neutral_pages,
        "pages_read_now": learned.fresh,
        "pages_left_out": len(learned.failures),
        "sentences": topic.sentences,
        "words": len(topic.model.words),
        "ngrams": list(topic.model.counts),
        "held_out_perplexity": topic.held_out,
        "keywords": [keyword.word for keyword in topic.keywords.found],
    }
    print_json([facts]) if as_json else print_facts(facts)


@app.command()
@guarded
def keywords(
    positive: Sources,
    neutral: Sources,
    top: Annotated[int, typer.Option(min=1, help="How many keywords.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Print the words that set pages apart from neutral ones.

    One file is one page. Each PATH is a file, a folder or a quoted glob.

    \b
    Example:
      blickfang keywords --positive "cats/*.html" --neutral news --top 20
    """
    announce_compiling()
    from blickfang.cli.output import print_keywords
    from blickfang.crawl.focus.learn import compare_words

    found = compare_words(positive, neutral, top)
    if as_json:
        print_json(asdict(keyword) for keyword in found)
    else:
        print_keywords(found)


@app.command()
@guarded
def score(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Texts, each in quotes; - is stdin.")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Score a page or text file; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain how well texts fit the topic.

    Prints perplexity, keyword score, the weighted score (low is good) and the keywords found. The
    perplexity is that of the text as one sequence of words, as `pages` and `read` print it.

    \b
    Examples:
      blickfang score birds "A robin sings in the hedge." "Stock prices fell."
      blickfang score birds --file page.html --json
    """
    announce_compiling()
    from blickfang.cli.print_results import print_explanations
    from blickfang.config import open_collection
    from blickfang.crawl.focus.learn import explain, read_argument, read_source
    from blickfang.text import load_topic

    if not texts and not file:
        raise typer.BadParameter("give a text in quotes, or --file PATH")
    collection = open_collection(folder)
    given = [read_argument(text) for text in texts or []]
    given += [read_source(path) for path in file or []]
    explained = explain(load_topic(collection.topic_folder), given, collection.settings.score)
    if as_json:
        print_json(asdict(entry) for entry in explained)
    else:
        print_explanations(explained)


@app.command()
@guarded
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the result.")],
    keep: Annotated[
        bool, typer.Option("--serve", help="Keep the web running afterwards, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Run the whole story, offline, on a small built-in web.

    \b
    Example:
      blickfang demo demo
    """
    announce_compiling()
    from blickfang.cli.print_results import print_story
    from blickfang.demo import run_story, serving

    with serving(port) as (web, address, fetch):
        note(f"serving {counted(len(web.hosts), 'host')} on {address}")
        with progress("learning, reading pages, crawling, building") as advance:
            story = run_story(folder, web, address, fetch, advance)
        if as_json:
            hits = (hit._asdict() for hit in story.hits)
            print_json([*(asdict(kind) for kind in story.kinds), asdict(story.harvest), *hits])
        else:
            print_story(story, folder)
        if keep:
            note(f"use {address} as HTTP proxy and open {web.start_urls[0]}; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                signal.pause()
