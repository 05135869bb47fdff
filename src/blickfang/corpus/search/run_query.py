"""A query finds samples: by words, by a picture, by both, or by being like another sample.

In: a corpus, or the folder of one, and a query. Out: `Hit`s, best first, equal ones by their ids;
those without any of the words behind all others.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.pictures import PictureLimits, read_picture
from blickfang.corpus.search.clip import Clip
from blickfang.corpus.search.index_builder import build_index
from blickfang.corpus.search.index_reader import (
    OpenIndex,
    index_folder,
    is_current,
    open_index,
    read_pointer,
)
from blickfang.corpus.search.nearest_vectors import Floats, Vectors, nearest, rate
from blickfang.corpus.search.query_terms import ParsedQuery, read_query
from blickfang.corpus.search.semantic_index import fold_in
from blickfang.corpus.search.text_index import Mask, Ranked, Rows, Scores
from blickfang.corpus.search.visual_index import compare_one
from blickfang.errors import InputError, SettingsError
from blickfang.types import Failure, Picture

PRIOR = 0.3  # of the score, given by the rank in the corpus
WEIGHTS = {"text": 1.0, "visual": 0.5, "clip": 1.0, "lsi": 0.25}
ABOUT = 0.5  # what LSI, and what the rank, adds to a picture that is like the query's in nothing
FADE = 4  # how quickly that fades with likeness
LEAST_SCORE = 0.005  # lower scores, shown as 0.00, have nothing to do with the query


class Way(NamedTuple):
    """One way to search: what it found, and its score for any rows."""

    found: Ranked
    rate: Callable[[Rows], Scores]  # 0 to 1


class Combined(NamedTuple):
    """The ranking, and what each way contributed."""

    rows: Rows
    scores: Scores
    related: Mask  # which ones hold none of the words that were asked for
    parts: dict[str, Scores]


def combine(ways: Mapping[str, Way], ranks: Scores | None, limit: int) -> Combined:
    """Return the best rows by all ways together; equal ones in the order of the rows.

    `ranks` are those of the corpus, 0 to 1, for all rows; None where they shall not count.
    """
    rows = np.unique(
        np.concatenate([np.empty(0, np.int64), *(w.found.rows for w in ways.values())])
    )
    parts = {name: np.clip(way.rate(rows), 0, 1) for name, way in ways.items()}
    ranked = None if ranks is None else ranks[rows]
    by_looks = set(parts) <= {"visual", "lsi"} and "visual" in parts
    scores = (_rate_looks if by_looks else _weigh)(parts, ranked, len(rows))
    related = np.zeros(len(rows), np.bool_)
    if "text" in parts and "clip" not in parts:
        related = parts["text"] == 0
    best = np.lexsort((-scores, related))
    best = best[scores[best] >= LEAST_SCORE][:limit]
    chosen = {name: part[best] for name, part in parts.items()}
    return Combined(rows[best], scores[best], related[best], chosen)


def _weigh(parts: Mapping[str, Scores], ranked: Scores | None, count: int) -> Scores:
    """Return the weighted mean of all ways; the rank in the corpus gives its part."""
    total = sum(WEIGHTS[name] for name in parts)
    scores = np.zeros(count, np.float32)
    for name, part in parts.items():
        scores += np.float32(WEIGHTS[name] / total) * part
    return scores if ranked is None else scores * (1 - PRIOR + PRIOR * ranked)


def _rate_looks(parts: Mapping[str, Scores], ranked: Scores | None, count: int) -> Scores:
    """Return how alike pictures look; what they are about counts where that is little."""
    looks = parts["visual"]
    about = parts.get("lsi", np.zeros(count, np.float32))
    about = about if ranked is None else about + ranked
    scores: Scores = looks + np.float32(ABOUT) * (1 - looks) ** FADE * about
    return scores


WAYS = ("text", "visual", "lsi", "clip")
MAX_LIMIT = 1000
SPARE = 5  # times as many rows of each way are combined as are wanted
LEAST = 100
MOST_KEPT = 4  # open indexes, so that a second search is quick

Source = str | Path | bytes | Picture  # a file, its bytes, or a picture that was read

_kept: dict[tuple[str, str], OpenIndex] = {}


class Hit(NamedTuple):
    """A sample that was found."""

    id: str
    score: float  # 0 to 1: how well it fits; where nothing was asked for, its rank on the topic
    related: bool  # holds none of the words that were asked for: near in meaning, or in looks
    parts: dict[str, float]  # of text, visual, lsi, clip: as far as the query had them
    url: str
    caption: str
    page_url: str
    page_title: str
    width: int
    height: int
    format: str
    language: str
    licence: str
    credit: str
    rank: float | None


class Query(NamedTuple):
    """What is looked for, in terms of an index."""

    asked: ParsedQuery
    looks: Floats | None  # comparable
    terms: list[int]  # known to the semantic index
    seen: Floats | None  # by CLIP
    itself: int = -1  # the row that others shall be like


def search_corpus(
    corpus: Corpus | str | Path,
    query: str = "",
    *,
    image: Source | None = None,
    like: str | None = None,
    where: str = "",
    limit: int = 20,
) -> list[Hit]:
    """Return the samples that fit best to words, to a picture, to both, or that are like one.

    `image` is a file, its bytes or a `Picture`, `like` the id of a sample, `where` a filter on
    columns. Without any of the first three, the best samples of the corpus come first, their ranks
    as scores. What holds none of the words, but is near them in meaning or looks like the picture,
    is `related`. An index that is missing or of an older corpus is built beforehand, beside the
    corpus.
    """
    opened = corpus if isinstance(corpus, Corpus) else open_corpus(corpus)
    index = _index_of(opened)
    return search_index(index, query, image=image, like=like, where=where, limit=limit)


def _index_of(corpus: Corpus) -> OpenIndex:
    """Return the index of a corpus, built if need be; it is kept open."""
    folder = index_folder(corpus).resolve()
    if not is_current(corpus, folder):
        build_index(corpus, folder)
    key = str(folder), str(read_pointer(folder)["name"])
    if key not in _kept:
        while len(_kept) >= MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = open_index(corpus, folder)
    return _kept[key]


def search_index(
    index: OpenIndex,
    query: str = "",
    *,
    image: Source | None = None,
    like: str | None = None,
    where: str = "",
    limit: int = 20,
    ways: Sequence[str] = (),
    among: Mask | None = None,
) -> list[Hit]:
    """Return what an open index finds, in all its rows or `among` some; nothing that is removed.

    `ways` chooses from text, visual, lsi and clip, and then ranks in the corpus do not count.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise SettingsError(f"limit is {limit}; it must be 1 to {MAX_LIMIT}")
    wanted = _understand(index, query, image, like)
    chosen_rows = _join(_join(index.mask_of(where), among), index.mask_staying())
    mask = _join(chosen_rows, index.text.allowed(wanted.asked))
    if wanted.itself >= 0:
        mask = np.ones(len(index), np.bool_) if mask is None else mask.copy()
        mask[wanted.itself] = False
    if image is None and like is None and not wanted.asked.terms:
        return _browse(index, mask, limit, bool(query.strip()) and not wanted.asked.excluded)
    chosen = _find_ways(index, wanted, mask, max(LEAST, SPARE * limit), ways or WAYS)
    return _show(index, combine(chosen, None if ways else index.ranks, limit))


def _understand(index: OpenIndex, query: str, image: Source | None, like: str | None) -> Query:
    """Return what is looked for."""
    asked = read_query(query, index.terms)
    terms = index.terms.find(asked.terms)
    looks = seen = None
    itself = -1
    if like is not None:
        itself = index.row_of(like)
        strongest = [int(term) for term in index.strongest[itself] if term >= 0]
        spelled = [index.terms.spelled[term] for term in strongest]
        together = tuple(dict.fromkeys([*asked.terms, *spelled]))
        asked, terms = asked._replace(terms=together), [*terms, *strongest]
        looks = np.array(index.looks.exact[itself])
        seen = None if index.seen is None else np.array(index.seen.exact[itself])
    if image is not None:
        data = b"" if isinstance(image, Picture) else _read_source(image)
        picture = image if isinstance(image, Picture) else _look_at(data, image)
        looks = compare_one(index.measure, picture.looks)
        seen = None if index.seen is None or not data else _clip_of(index).see([data])[0]
    elif index.seen is not None and asked.text:
        seen = _clip_of(index).read(asked.text)
    return Query(asked, looks, terms, seen, itself)


def _read_source(image: str | Path | bytes) -> bytes:
    if isinstance(image, bytes):
        return image
    path = Path(image)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot search by {image}: it is no file")
        with path.open("rb") as file:
            return file.read(int(PictureLimits().megabytes * 1e6) + 1)  # one more is refused
    except OSError as error:
        raise InputError(f"cannot read {image}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"cannot read {image}: {error}") from error


def _look_at(data: bytes, image: str | Path | bytes) -> Picture:
    name = "the picture" if isinstance(image, bytes) else str(image)
    picture = read_picture(name, data)
    if isinstance(picture, Failure):
        raise InputError(f"cannot search by {name}: {picture.reason}")
    return picture


def _clip_of(index: OpenIndex) -> Clip:
    if index.clip is None:
        index.clip = Clip(index.options)
    return index.clip


def _join(one: Mask | None, other: Mask | None) -> Mask | None:
    if one is None or other is None:
        return other if one is None else one
    both: Mask = one & other
    return both


def _find_ways(
    index: OpenIndex, wanted: Query, mask: Mask | None, count: int, names: Sequence[str]
) -> dict[str, Way]:
    """Ask each of the ways named that the query has something for."""
    ways: dict[str, Way] = {}
    if "text" in names and wanted.asked.terms:
        ways["text"] = _by_text(index, wanted.asked, mask, count)
    if "visual" in names and wanted.looks is not None:
        ways["visual"] = _by_vector(index.looks, wanted.looks, mask, count)
    if "clip" in names and wanted.seen is not None and index.seen is not None:
        ways["clip"] = _by_vector(index.seen, wanted.seen, mask, count)
    if "lsi" in names:
        place = fold_in(index.space, wanted.terms, wanted.looks)
        if place.any():
            ways["lsi"] = _by_vector(index.places, place, mask, count)
    return ways


def _by_text(index: OpenIndex, asked: ParsedQuery, mask: Mask | None, count: int) -> Way:
    found = index.text.search(asked, count, mask)
    best = max(float(found.scores[0]), 1e-9) if len(found.rows) else 1.0
    complete = len(found.rows) < count

    def rate_rows(rows: Rows) -> Scores:
        scores = np.zeros(len(rows), np.float32)
        scores[np.searchsorted(rows, found.rows)] = found.scores / best
        if not complete:
            others = index.text.rate(asked, np.setdiff1d(rows, found.rows, assume_unique=True))
            scores[np.searchsorted(rows, others.rows)] = others.scores / best
        return scores

    return Way(found, rate_rows)


def _by_vector(vectors: Vectors, query: Floats, mask: Mask | None, count: int) -> Way:
    return Way(nearest(vectors, query, count, mask), lambda rows: rate(vectors, query, rows))


def _browse(index: OpenIndex, mask: Mask | None, limit: int, nothing: bool) -> list[Hit]:
    """Return the best of the corpus by rank; nothing for a query in which there is no word."""
    rows = index.ranked if mask is None else index.ranked[mask[index.ranked]]
    rows = rows[: 0 if nothing else limit]
    return _show(index, Combined(rows, index.ranks[rows], np.zeros(len(rows), np.bool_), {}))


def _show(index: OpenIndex, found: Combined) -> list[Hit]:
    facts = index.facts.take(found.rows).to_pylist()
    scores, related = found.scores.tolist(), found.related.tolist()
    parts = {name: part.tolist() for name, part in found.parts.items()}
    return [
        Hit(
            score=scores[at],
            related=related[at],
            parts={name: part[at] for name, part in parts.items()},
            **fact,
        )
        for at, fact in enumerate(facts)
    ]
