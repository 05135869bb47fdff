"""The command search: by words, by a picture, by both, or for more like one.

In: what the user typed. Out: a table, with small pictures on terminals that can show them.
"""

from pathlib import Path
from typing import Annotated

import typer

from blickfang.cli.output import AsJson, guarded, note, print_json, progress

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A collection or a corpus.")]
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUERY", help='Words; "in quotes" a phrase; -word leaves out.'),
]
File = Annotated[Path | None, typer.Option("--image", help="Look for pictures like this file.")]
Like = Annotated[str, typer.Option(help="The id of a sample: more like that one.")]
Where = Annotated[str, typer.Option(help='A filter on columns: "width >= 800 and rank > 0.5".')]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")]


@guarded
def search(
    folder: Folder,
    query: Words = None,
    image: File = None,
    like: Like = "",
    where: Where = "",
    limit: Limit = 10,
    as_json: AsJson = False,
) -> None:
    """Search the corpus by words, by a picture, by both, or for more like one.

    The index is built when it is needed. Pictures with none of the words, but near them in meaning,
    stand apart, behind the others: related. Without words, --image and --like the best samples are
    listed, by their rank on the topic.

    \b
    Examples:
      blickfang search birds robin nest -egg
      blickfang search birds --image my-photo.jpg --where "language == 'en'"
      blickfang search birds --like 9f86d081884c7d65
    """
    from blickfang.cli.print_results import print_hits
    from blickfang.corpus.search import prepare_index as search_prepare_index
    from blickfang.corpus.search import search_index

    for word in query or ():
        if word.startswith("--"):
            raise typer.BadParameter(f"there is no option {word}")
    with progress("building the index") as advance:
        index = search_prepare_index.prepare_index(folder, advance)
    hits = search_index(
        index, " ".join(query or ()), image=image, like=like or None, where=where, limit=limit
    )
    if as_json:
        print_json(hit._asdict() for hit in hits)
        return
    if not hits:
        note("nothing found")
    elif image is None and not like and not hits[0].parts:
        note("the best by their rank on the topic: give words, --image or --like to search")
    print_hits(index.corpus, hits)
