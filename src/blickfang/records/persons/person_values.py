"""The values of web research: a publication as some source tells of it, and a person's."""

from typing import NamedTuple

from blickfang.types import Failure

PAGE, BIBTEX = 0, 1  # how far a source is to be trusted: a list that we read; fields that state it


class Telling(NamedTuple):
    """What one source says of a publication, before it was united with others."""

    source: str
    trust: int
    authors: tuple[str, ...]
    year: str
    venue: str
    whole: bool = True  # False where a page leaves its owner out


class Publication(NamedTuple):
    """A publication as one source, or several that agree, tell of it."""

    title: str
    authors: tuple[str, ...] = ()  # as printed
    year: str = ""
    venue: str = ""
    pdfs: tuple[str, ...] = ()  # addresses
    bibs: tuple[str, ...] = ()  # addresses of BibTeX
    affiliations: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    abstract: str = ""
    doi: str = ""
    sources: tuple[str, ...] = ()  # addresses of what tells of it
    owned: tuple[str, ...] = ()  # those of them that are lists of the person
    trust: int = PAGE
    told: tuple[Telling, ...] = ()  # by each source, where several were united

    def tellings(self) -> tuple[Telling, ...]:
        """Return what each source says."""
        source = self.sources[0] if self.sources else ""
        one = Telling(source, self.trust, self.authors, self.year, self.venue)
        return self.told or (one,)


class PaperHead(NamedTuple):
    """What stands above the text of a paper."""

    title: str
    affiliations: tuple[str, ...]
    emails: tuple[str, ...]
    abstract: str


class Finding(NamedTuple):
    """A publication of the person that was asked for."""

    publication: Publication
    person: int  # people of one name are numbered, the one with most publications first


class Study(NamedTuple):
    """What research on a person came to."""

    findings: tuple[Finding, ...]
    people: int
    failures: tuple[Failure, ...]
