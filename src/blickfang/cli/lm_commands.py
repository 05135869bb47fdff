"""blickfang lm …: language models as files of their own.

In: text files, model files, ARPA files. Out: models, scores. KenLM's tools and these understand
each other through ARPA.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from blickfang.cli.output import (
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    progress,
    refuse_overwriting,
)

lm = typer.Typer(
    help="Train, use and exchange n-gram language models.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model made by `lm train`.")]
Arpa = Annotated[Path, typer.Argument(metavar="ARPA", help="An ARPA file; .gz is compressed.")]
Target = Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file.")]
Tokenised = Annotated[
    bool, typer.Option("--tokenised", help="The text is one sentence a line, split at blanks.")
]


@lm.command()
@guarded
def train(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="A text file; - is stdin.")],
    output: Target,
    order: Annotated[int, typer.Option(min=1, max=7, help="The longest n-gram.")] = 5,
    min_words: Annotated[
        int | None,
        typer.Option(min=1, help="Leave out shorter sentences: 5, or 1 if tokenised."),
    ] = None,
    tokenised: Tokenised = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on a text file.

    Interpolated modified Kneser–Ney, as KenLM's lmplz estimates it.

    \b
    Examples:
      blickfang lm train corpus.txt -o corpus.lm
      blickfang lm train tokens.txt.gz -o tokens.lm --order 3 --tokenised
    """
    announce_compiling()
    from blickfang.cli.output import print_facts
    from blickfang.io.text_files import read_lines
    from blickfang.text.lm import save_model, train_model

    refuse_overwriting(text, output)
    shortest = min_words or (1 if tokenised else 5)
    with progress("training"):
        batches = ("\n".join(lines) for lines in read_lines(text))
        model = train_model(batches, order, min_words=shortest, tokenised=tokenised)
        save_model(model, output)
    facts = {
        "model": str(output),
        "order": model.order,
        "ngrams": list(model.counts),
        "discounts": [list(discounts) for discounts in model.discounts],
    }
    print_json([facts]) if as_json else print_facts(facts)


@lm.command()
@guarded
def score(
    model: Model,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Lines to score; - is stdin.")],
    tokenised: Annotated[
        bool | None,
        typer.Option(
            "--tokenised/--text",
            help="Lines are split at blanks, or read as text; as the model was made, if not said.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score every line of a file as one sentence.

    \b
    Prints for each line: tokens (words and the sentence end), words out of vocabulary (oov),
    the sum of log10 probabilities and the perplexity. A line without words has no perplexity.

    \b
    Example:
      blickfang lm score corpus.lm lines.txt --json
    """
    announce_compiling()
    from blickfang.cli.output import print_scores

    scored = _score_lines(model, file, tokenised)
    if as_json:
        print_json(scored)
    else:
        print_scores(scored)


def _score_lines(
    path: Path, file: Path, tokenised: bool | None
) -> Iterator[dict[str, int | float | None]]:
    from blickfang.io.text_files import read_lines
    from blickfang.text.lm import load_model, perplexities

    model = load_model(path)
    if tokenised is None and model.tokenised:
        note("lines are split at blanks, as in the text of this model; --text reads them as text")
    elif tokenised is not None and tokenised != model.tokenised:
        made = "text split at blanks" if model.tokenised else "plain text"
        note(f"this model was made of {made}; its words may be cut otherwise than those scored")
    for lines in read_lines(file):
        scores = model.score_lines(lines, tokenised=tokenised)
        columns = (scores.tokens.tolist(), scores.unknown.tolist(), scores.log10.tolist())
        for tokens, oov, log10, perplexity in zip(*columns, perplexities(scores), strict=True):
            yield {"tokens": tokens, "oov": oov, "log10": log10, "perplexity": perplexity}


@lm.command("export")
@guarded
def export_arpa(model: Model, arpa: Arpa) -> None:
    """Write a model as ARPA, for other tools.

    ARPA does not say how text was cut into words: a model of plain text comes back by import
    --text.

    \b
    Example:
      blickfang lm export corpus.lm corpus.arpa.gz
    """
    announce_compiling()
    from blickfang.text.lm import load_model, write_arpa

    refuse_overwriting(model, arpa)
    with progress("writing"):
        loaded = load_model(model)
        write_arpa(loaded, arpa)
    back = "" if loaded.tokenised else "; it is of plain text: bring it back by `lm import --text`"
    note(f"wrote {arpa}{back}")


@lm.command("import")
@guarded
def import_arpa(
    arpa: Arpa,
    output: Target,
    text: Annotated[
        bool, typer.Option("--text", help="It was written by `lm export`, of plain text.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read an ARPA file that another tool wrote into a model.

    Its words are taken as they stand, so `lm score` splits lines at blanks, as that tool does.

    \b
    Example:
      blickfang lm import other.arpa.gz -o other.lm
    """
    announce_compiling()
    from blickfang.cli.output import print_facts
    from blickfang.text.lm import read_arpa, save_model

    refuse_overwriting(arpa, output)
    with progress("reading"):
        model = read_arpa(arpa, tokenised=not text)
        save_model(model, output)
    facts = {"model": str(output), "order": model.order, "ngrams": list(model.counts)}
    print_json([facts]) if as_json else print_facts(facts)
