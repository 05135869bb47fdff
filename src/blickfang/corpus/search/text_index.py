"""The index of texts: tantivy, fed with our words.

In: the weighted terms of samples; queries. Out: rows with BM25 scores, best first, equal ones in
the order of the rows. Weights become frequencies (`text_weights.py`); phrases have a field of their
own with positions. Queries are put together from terms, never parsed, so nothing in them is
special.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy
from numpy.typing import NDArray

from blickfang.corpus.search.query_terms import ParsedQuery, Phrase
from blickfang.corpus.search.term_counts import GAP, Bag
from blickfang.errors import DiskFullError, InputError

WEIGHED, SPOKEN, ROW = "weighed", "spoken", "row"
GAP_MARK = "¶"  # is no word, so no query contains it
HEAP_BYTES = 400_000_000  # one segment holds some hundred thousand samples
FEW_ROWS = 500  # up to here a filter is part of the query, above it hits are sifted
RUN_BOOST = 2.0
MUST, SHOULD, NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot

Rows = NDArray[np.int64]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]
Clauses = list[tuple[tantivy.Occur, tantivy.Query]]


class Ranked(NamedTuple):
    """Rows and their scores, best first."""

    rows: Rows
    scores: Scores


def _make_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(WEIGHED, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(SPOKEN, tokenizer_name="whitespace", index_option="position")
    builder.add_unsigned_field(ROW, fast=True, indexed=True)
    return builder.build()


class TextWriter:
    """Writes the index of texts into a new folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        # Sorted by row, so that equal scores come in the order of the rows.
        index = tantivy.Index(_make_schema(), path=str(folder), sort_by_field=ROW)
        self._writer = index.writer(HEAP_BYTES, 1)

    def add(self, rows: Iterable[int], bag: Bag, spelled: Sequence[str]) -> None:
        """Add samples with the numbers of their rows."""
        repeated = np.repeat(bag.terms, bag.weights)
        ends = np.concatenate(([0], np.cumsum(bag.weights)))[bag.starts].tolist()
        words = [spelled[number] for number in repeated.tolist()]
        for at, row in enumerate(rows):
            document = tantivy.Document()
            document.add_unsigned(ROW, row)
            document.add_text(WEIGHED, " ".join(words[ends[at] : ends[at + 1]]))
            spoken = bag.spoken[at].tolist()
            document.add_text(SPOKEN, " ".join([_spell(spelled, n) for n in spoken]))
            with explaining():
                self._writer.add_document(document)

    def finish(self) -> None:
        """Write everything to disk."""
        with explaining():
            self._writer.commit()
            self._writer.wait_merging_threads()


@contextmanager
def explaining() -> Iterator[None]:
    """Turn what tantivy raises, which tells everything by ValueError, into an error of ours."""
    try:
        yield
    except ValueError as error:
        if "No space left" in str(error) or "os error 28" in str(error):
            raise DiskFullError("cannot write the index: no room left on the disk") from error
        raise InputError(f"cannot write the index: {error}") from error


def _spell(spelled: Sequence[str], number: int) -> str:
    return GAP_MARK if number == GAP else spelled[number]


class TextIndex:
    """An index of texts that is there."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()
        self._schema = self._index.schema

    def __len__(self) -> int:
        return self._searcher.num_docs

    def search(self, asked: ParsedQuery, limit: int, mask: Mask | None = None) -> Ranked:
        """Return the best rows for a query, of those that a mask lets through."""
        clauses = self._wish(asked)
        if not asked.terms:
            return _nothing()
        if mask is None:
            return self._run(clauses, limit)
        allowed = int(mask.sum())
        if allowed <= FEW_ROWS:
            return self.rate(asked, np.flatnonzero(mask), limit)
        while True:  # take more until enough of them pass
            asked_for = min(len(self), limit * 2 * max(1, len(self) // allowed))
            found = self._run(clauses, asked_for)
            passed = mask[found.rows]
            if passed.sum() >= limit or len(found.rows) < asked_for or asked_for == len(self):
                return Ranked(found.rows[passed][:limit], found.scores[passed][:limit])
            allowed = max(1, allowed // 8)

    def rate(self, asked: ParsedQuery, rows: Rows, limit: int | None = None) -> Ranked:
        """Return those of some rows that a query finds, with their scores."""
        if not asked.terms or not len(rows):
            return _nothing()
        each = [tantivy.Query.term_query(self._schema, ROW, row) for row in rows.tolist()]
        among = tantivy.Query.boolean_query([(SHOULD, query) for query in each])
        clauses: Clauses = [
            (MUST, tantivy.Query.boolean_query(self._wish(asked))),
            (MUST, tantivy.Query.const_score_query(among, 0.0)),
        ]
        return self._run(clauses, limit or len(rows))

    def allowed(self, asked: ParsedQuery) -> Mask | None:
        """Return which rows a query's phrases and exclusions let through; None for all."""
        if not asked.phrases and not asked.excluded:
            return None
        mask = np.ones(len(self), np.bool_)
        for phrases, wanted in ((asked.phrases, True), (asked.excluded, False)):
            for phrase in phrases:
                query = tantivy.Query.const_score_query(self._phrase(phrase), 1.0)
                found = self._run([(MUST, query)], len(self)).rows
                holds = np.zeros(len(self), np.bool_)
                holds[found] = True
                mask &= holds if wanted else ~holds
        return mask

    def _wish(self, asked: ParsedQuery) -> Clauses:
        """Return the clauses of a query."""
        clauses: Clauses = [(SHOULD, self._term(term)) for term in asked.terms]
        for run in asked.runs:
            together = tantivy.Query.boost_query(self._phrase(run), RUN_BOOST)
            clauses.append((SHOULD, together))
        clauses += [(MUST, self._phrase(phrase)) for phrase in asked.phrases]
        return clauses + [(NOT, self._phrase(phrase)) for phrase in asked.excluded]

    def _term(self, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, WEIGHED, term, "freq")

    def _phrase(self, terms: Phrase) -> tantivy.Query:
        if len(terms) == 1:
            return self._term(terms[0])
        return tantivy.Query.phrase_query(self._schema, SPOKEN, list(terms))

    def _run(self, clauses: Clauses, limit: int) -> Ranked:
        if limit < 1 or not len(self):
            return _nothing()
        query = tantivy.Query.boolean_query(clauses)
        hits = self._searcher.search(query, limit, count=False).hits
        places = self._searcher.fast_field_values(ROW, [place for _, place in hits])
        rows = np.array(places, np.int64)
        return Ranked(rows, np.array([score for score, _ in hits], np.float32))


def _nothing() -> Ranked:
    return Ranked(np.empty(0, np.int64), np.empty(0, np.float32))
