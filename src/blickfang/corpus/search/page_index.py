"""A full text index over archived pages: which of them speak of somebody?

In: pages with their texts and where they lie; phrases. Out: addresses and places, best first. Also
what was archived beside pages (papers, BibTeX, redirects) is found by its address. Words are
compared without case and diacritics; where a script has no blanks every character is a word.
"""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import tantivy

from blickfang.corpus.search.text_index import explaining
from blickfang.errors import InputError

URL, KIND, TITLE, TEXT, PLACE = "url", "kind", "title", "text", "place"
PAGE, FILE, MOVED = "page", "file", "moved"
HEAP_BYTES = 128_000_000
MAX_CHARS = 400_000  # of a text that are indexed
MAX_TERM = 64
TITLE_BOOST, CUE_BOOST = 3.0, 0.5
WORD = re.compile(
    r"[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W_\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
MUST, SHOULD = tantivy.Occur.Must, tantivy.Occur.Should


class ArchivedText(NamedTuple):
    """Something archived."""

    url: str
    kind: str  # page, file, or moved
    place: str  # where it lies; of what has moved the address it has moved to
    title: str = ""
    text: str = ""


class Phrase(NamedTuple):
    """Words that stand together, but for a few between them, and what that counts."""

    words: tuple[str, ...]
    between: int = 0
    boost: float = 1.0


def split_terms(text: str) -> list[str]:
    """Return the words of a text as they are compared.

    >>> split_terms("Jörg Müller: 王小明's")
    ['jorg', 'muller', '王', '小', '明', 's']
    """
    plain = unicodedata.normalize("NFKD", text[:MAX_CHARS].casefold().replace("ß", "ss"))
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return [word[:MAX_TERM] for word in WORD.findall(unicodedata.normalize("NFC", bare))]


def _make_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in (URL, KIND):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in (TITLE, TEXT):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(PLACE, stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


class PageTextWriter:
    """Writes an index into an empty folder; of two entries with one address the later stays."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = tantivy.Index(_make_schema(), path=str(folder)).writer(HEAP_BYTES, 1)
        self._known: set[str] = set()

    def add(self, entry: ArchivedText) -> None:
        """Add something, in place of an older one of the same address."""
        with explaining():
            if entry.url in self._known:
                self._writer.delete_documents_by_term(URL, entry.url)
            self._known.add(entry.url)
            document = tantivy.Document()
            document.add_text(URL, entry.url)
            document.add_text(KIND, entry.kind)
            document.add_text(PLACE, entry.place)
            document.add_text(TITLE, " ".join(split_terms(entry.title)))
            document.add_text(TEXT, " ".join(split_terms(entry.text)))
            self._writer.add_document(document)

    def finish(self) -> None:
        """Write everything to disk."""
        with explaining():
            self._writer.commit()
            self._writer.wait_merging_threads()


class PageTexts:
    """An index that is there."""

    def __init__(self, folder: Path) -> None:
        try:
            self._index = tantivy.Index.open(str(folder))
        except ValueError as error:
            raise InputError(f"the index in {folder} is damaged: delete that folder") from error
        self._searcher = self._index.searcher()
        self._schema = self._index.schema

    def __len__(self) -> int:
        return self._searcher.num_docs

    def find(
        self, phrases: Sequence[Phrase], cues: Sequence[str], limit: int
    ) -> list[ArchivedText]:
        """Return pages that have one of some phrases, best first; cues bring them forward."""
        wanted = [self._ask_phrase(phrase, field) for phrase in phrases for field in (TEXT, TITLE)]
        if not wanted or limit < 1 or not len(self):
            return []
        clauses = [(MUST, tantivy.Query.boolean_query([(SHOULD, query) for query in wanted]))]
        for cue in cues:
            for field, boost in ((TEXT, CUE_BOOST), (TITLE, TITLE_BOOST * CUE_BOOST)):
                query = tantivy.Query.term_query(self._schema, field, cue, "position")
                clauses.append((SHOULD, tantivy.Query.boost_query(query, boost)))
        found = self._searcher.search(tantivy.Query.boolean_query(clauses), limit, count=False)
        entries = [self._load(place) for _, place in found.hits]
        return [entry for entry in entries if entry.kind == PAGE]

    def look_up(self, url: str) -> ArchivedText | None:
        """Return what is archived under an address."""
        query = tantivy.Query.term_query(self._schema, URL, url, "basic")
        found = self._searcher.search(query, 1, count=False).hits if len(self) else []
        return self._load(found[0][1]) if found else None

    def _ask_phrase(self, phrase: Phrase, field: str) -> tantivy.Query:
        boost = phrase.boost * (TITLE_BOOST if field == TITLE else 1.0)
        words: list[str | tuple[int, str]] = list(phrase.words)
        if len(words) == 1:
            query = tantivy.Query.term_query(self._schema, field, phrase.words[0], "position")
        else:
            query = tantivy.Query.phrase_query(self._schema, field, words, phrase.between)
        return tantivy.Query.boost_query(query, boost)

    def _load(self, place: tantivy.DocAddress) -> ArchivedText:
        document = self._searcher.doc(place)
        return ArchivedText(*(str(document.get_first(name)) for name in (URL, KIND, PLACE)))
