"""Publications as BibTeX, whoever found them: a list of a page, or research on a person.

In: publications whose texts come from strangers. Out: entries in which no sign steers a terminal.
"""

from collections.abc import Iterable, Iterator

from blickfang.io.escaping import one_line
from blickfang.records.research import Publication, write_bibtex


def write_bibliography(publications: Iterable[Publication]) -> Iterator[str]:
    """Give an entry a publication, each with a key of its own."""
    return write_bibtex(map(clean, publications))


def clean(publication: Publication) -> Publication:
    """Return a publication whose texts are single lines without invisible traps."""
    return publication._replace(
        title=one_line(publication.title),
        authors=tuple(map(one_line, publication.authors)),
        year=one_line(publication.year),
        venue=one_line(publication.venue),
        pdfs=tuple(map(one_line, publication.pdfs)),
        abstract=one_line(publication.abstract),
        doi=one_line(publication.doi),
    )
