"""From mentions to samples: the rows of a corpus, put together in the order of their rank.

In: runs of sightings, what was merged, the order. Out: record batches of samples. Mentions are
sorted into files by the place of their picture first, so that memory holds few samples at a time.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
from numpy.typing import NDArray

from blickfang.corpus.mentions.captures import PageCaptures, PictureCapture
from blickfang.corpus.mentions.join_pictures import Survey
from blickfang.corpus.mentions.mention import TEXTS
from blickfang.corpus.mentions.mention_buckets import MentionRuns
from blickfang.corpus.mentions.merge_pictures import MergedPictures
from blickfang.corpus.mentions.rank import distance_weights, study_rank, weigh_texts
from blickfang.corpus.mentions.score_texts import read_emphasised
from blickfang.io.urls import url_words
from blickfang.text.relevance import ScoreOptions as Scoring

Row = dict[str, Any]

TELLING = 3  # words of an alt text that says something
SHORT = 4  # different words of a caption that may be a mere label
SHORTEST = 3  # letters of a word that tells something
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
WITNESSES = ("name", "page_title", "section")  # file, page and heading: what they name is meant
PICTURE = r"(?:image|photo(?:graph)?|picture|illustration|graphic|screenshot|video|bild|foto)s?"
CREDIT = re.compile(
    rf"\W*(?:{PICTURE}\W*)?(?:sources?|credits?|quelle|nachweis|crédits?|fuente|fonte|bron|источник)"
    rf"\s*(?::|$)|\W*(?:{PICTURE}\W*)?(?:courtesy|copyright)\b|\W*©|\W*{PICTURE}\s*(?::|by\b|via\b)|"
    r"[^.]{0,60}\bgetty images\W*$",
    re.IGNORECASE,
)
LONGEST_CREDIT = 15  # words: what is longer says more


def choose_caption(row: Row) -> str:
    """Return the text that describes a picture best.

    In running text without a caption that is the alt text, if somebody wrote one: what stands next
    to the picture is as often about something else. Elsewhere what belongs to it says more.
    """
    generated = row["generated"].split()
    alt, title, caption = (
        "" if name in generated else str(row[name]) for name in ("alt", "title", "caption")
    )
    context = "" if row["context"] == row["caption"] else row["context"]
    witnesses = " ".join(row[name] for name in WITNESSES)
    if (caption or context) and says_less(caption or context, alt, witnesses):
        return alt
    spoken = alt or title
    if not caption and row["kind"] == "text" and spoken.count(" ") + 1 >= TELLING:
        return spoken
    texts = (caption, context, alt, title, *(row[name] for name in ("caption", "alt", "title")))
    return str(next(filter(None, texts), ""))


def says_less(caption: str, alt: str, witnesses: str) -> bool:
    """Whether a stated caption says less of a picture than its alt text does.

    >>> says_less("Pennsylvania", "Cedar Waxwing", "cedar waxwing jpg")
    True
    >>> says_less("Cedar Waxwing in Pennsylvania", "A bird on a branch", "cedar waxwing jpg")
    False
    >>> says_less("Photo: Anna Lind", "Two kites over the beach", "")
    True
    """
    ours, theirs = find_telling(caption), find_telling(alt)
    if not theirs:
        return False
    if len(ours) <= LONGEST_CREDIT and CREDIT.match(caption):
        return True
    known = find_telling(witnesses)
    if len(ours) > SHORT or ours & theirs:
        return False
    if ours & known or theirs & known:
        return len(theirs & known) > len(ours & known)
    return len(theirs) > len(ours) + 1


def find_telling(text: str) -> set[str]:
    """Return the different words of a text that are long enough to tell something.

    >>> sorted(find_telling("The cat is on a sofa; 猫"))
    ['cat', 'sofa', 'the', '猫']
    """
    words = WORD.findall(text.lower())
    return {word for word in words if len(word) >= SHORTEST or word > "\u3000"}


AT_ONCE = 1000  # samples put together at a time
MOST_FILES = 200
MAX_MENTIONS = 1000  # of one picture; logos are on every page of a host
MAX_TOLD = 20  # mentions whose attributes and texts around are kept: they are most of a corpus
MAX_LINK_TEXTS = 100
SAID = ("alt", "title", "caption", "context")
BEST_SLOT = TEXTS.index("best")
EXTENSIONS = {"jpeg": "jpg", "tiff": "tif"}


class SampleSources(NamedTuple):
    """What samples are made of."""

    survey: Survey
    merged: MergedPictures
    order: NDArray[np.int64]  # numbers of the pictures that stay, best first
    pages: PageCaptures
    scoring: Scoring
    ranking: str  # which rank orders the pictures, and the mentions of each: ours or study
    take_apart: Callable[[bytes], Mapping[str, str]]  # attributes as a page writes them


class Extras(NamedTuple):
    """What needs the bytes of a picture."""

    load: Callable[[PictureCapture], bytes]
    looks: Callable[[list[PictureCapture]], NDArray[np.float32]]
    drawn: Callable[[bytes, str], str] | None  # reads text that is drawn; told what its page says
    prepare: Callable[[list[PictureCapture]], None]  # told which ones are loaded next


def assemble(
    runs: MentionRuns, sources: SampleSources, extras: Extras, scratch: Path
) -> Iterator[list[Row]]:
    """Give samples in the order of their rank, some at a time; `scratch` is a folder to work in."""
    count = len(sources.order)
    step = max(AT_ONCE, -(-count // MOST_FILES))
    for number, path in enumerate(_sort_out(runs, sources, scratch, step)):
        places = range(number * step, min(count, (number + 1) * step))
        yield from _put_together(path, places, sources, extras)


def _sort_out(runs: MentionRuns, sources: SampleSources, folder: Path, step: int) -> list[Path]:
    """Write mentions into files by the places of their pictures; return the files in order."""
    survey, merged = sources.survey, sources.merged
    place_of = np.full(len(merged.pictures), -1, np.int64)
    place_of[sources.order] = np.arange(len(sources.order))
    mentions = survey.mentions
    by_row = np.argsort(mentions.place, kind="stable")
    rows = mentions.place[by_row]
    paths = [folder / f"mentions-{n:05d}.arrow" for n in range(-(-len(sources.order) // step))]
    writers: dict[int, Any] = {}
    start = 0
    for table in runs.buckets():
        low, high = np.searchsorted(rows, (start, start + len(table)))
        chosen = by_row[low:high]
        places = place_of[merged.owner[mentions.address[chosen]]]
        staying = places >= 0
        taken = table.take(pa.array(rows[low:high][staying] - start))
        taken = taken.append_column("place", pa.array(places[staying]))
        taken = taken.append_column("value", pa.array(mentions.ours[chosen][staying]))
        rank = mentions.study if sources.ranking == "study" else -mentions.ours
        rank = np.nan_to_num(rank[chosen][staying], nan=np.inf)  # without a rank: behind all
        taken = taken.append_column("rank", pa.array(rank))
        files = places[staying] // step
        for number in np.unique(files).tolist():
            part = taken.filter(pa.array(files == number))
            if number not in writers:
                writers[number] = ipc.new_file(paths[number], part.schema)
            writers[number].write_table(part)
        start += len(table)
    for writer in writers.values():
        writer.close()
    return paths


def _put_together(
    path: Path, places: range, sources: SampleSources, extras: Extras
) -> Iterator[list[Row]]:
    """Give the samples of one file."""
    with ipc.open_file(path) as file:
        table = file.read_all()
    keys = [("place", "ascending"), ("rank", "ascending"), ("value", "descending")]
    more = ("page_url", "number", "url")
    table = table.sort_by([*keys, *((name, "ascending") for name in more)])
    edges = np.searchsorted(table["place"].to_numpy(), np.arange(places.start, places.stop + 1))
    for first in range(0, len(places), AT_ONCE):
        numbers = range(first, min(len(places), first + AT_ONCE))
        pictures = [int(sources.order[places[number]]) for number in numbers]
        shots = [sources.merged.pictures[picture] for picture in pictures]
        extras.prepare(shots)
        looks = extras.looks(shots)
        rows = []
        for number, picture, shown in zip(numbers, pictures, looks, strict=True):
            end = min(edges[number + 1], edges[number] + MAX_MENTIONS)
            mentions = table.slice(edges[number], end - edges[number]).to_pylist()
            rows.append({**make_sample(picture, mentions, sources, extras), "looks": shown})
        yield rows


def make_sample(picture: int, mentions: list[Row], sources: SampleSources, extras: Extras) -> Row:
    """Return the row of a picture; its best mention is the first, and all of the row is of it.

    It is `silent` where nobody says anything of it, and nothing is drawn in it either.
    """
    merged = sources.merged
    shot, home, best = merged.pictures[picture], merged.homes[picture], mentions[0]
    data = extras.load(shot)
    texts = _score_texts(best, sources.scoring)
    drawn = ""
    if extras.drawn:
        drawn = extras.drawn(data, " ".join(best[name] for name in ("page_title", *SAID)))
        texts.append({"name": "drawn", "text": drawn})
    study = study_rank(_weigh(best, sources.scoring), sources.scoring)
    licences = [text for text in best["licences"] if text]
    known = [_show_mention(row, sources, home) for row in mentions]
    for row, mention in zip(mentions[:MAX_TOLD], known, strict=False):
        mention["texts"] = _to_json(_score_texts(row, sources.scoring))
        mention["attributes"] = _to_json(dict(sources.take_apart(row["attributes"].encode())))
    return {
        **_describe_shot(shot, home, data),
        **_describe_mention(best, texts[BEST_SLOT]),
        "caption": choose_caption(best) or drawn,
        "silent": not drawn and not any(map(_is_told, mentions)),
        "page_url": known[0]["page_url"],
        "page_title": known[0]["page_title"],
        "url_words": url_words(home),
        "rank_study": None if np.isnan(study) else float(study),
        "rank": float(merged.ours[picture]),
        "mentions": _unique(known),
        "link_texts": _link_texts(mentions),
        "copies": [
            {"url": copy.url, "sha256": copy.sha256, "width": copy.width, "height": copy.height}
            for copy in merged.copies[picture]
        ],
        "credit": shot.credit or next((row["credit"] for row in mentions if row["credit"]), ""),
        "licence": shot.licence or (licences[0] if licences else ""),
        "licences": licences,
        "consent": "allowed",
        "texts": texts,
    }


def _describe_mention(row: Row, scored: Row) -> Row:
    """Return what the best mention says of a sample."""
    return {
        "section_title": row["section"],
        "caption_alt_text_description": row["alt"],
        "caption_reference_description": row["caption"],
        "context_section_description": row["context"],
        "emphasised": read_emphasised(row["context"], row["emphasised"]),
        "title": row["title"],
        "language": row["language"] or "",
        "context_method": row["method"],
        "context_kind": row["kind"],
        "context_confidence": row["confidence"],
        **{name: scored[name] for name in ("perplexity", "keyword_score", "score")},
        "page_relevance": row["page_relevance"],
        "text_relevance": row["text_relevance"],
        "page_warc_file": row["page_file"],
        "page_warc_offset": row["page_offset"],
    }


def _is_told(row: Row) -> bool:
    """Whether somebody, not a program, wrote something of a picture."""
    generated = row["generated"].split()
    return any(row[name] and name not in generated for name in SAID)


def _describe_shot(shot: PictureCapture, home: str, data: bytes) -> Row:
    name = f"{shot.sha256[:16]}.{EXTENSIONS.get(shot.format, shot.format)}"
    return {
        "id": shot.sha256[:16],
        "image": {"bytes": data, "path": name},
        "url": home,
        "width": shot.width,
        "height": shot.height,
        "format": shot.format,
        "bytes": shot.bytes,
        "sha256": shot.sha256,
        "image_phash": f"{shot.phash:016x}",
        "frames": shot.frames,
        "data_mining": shot.data_mining,
        "fetched_at": shot.fetched_at,
        "warc_file": shot.file,
        "warc_offset": shot.offset,
    }


def _show_mention(row: Row, sources: SampleSources, home: str) -> Row:
    """Return a mention as a corpus shows it; what is in a frame is of the page around it."""
    pages = sources.pages
    outer = pages.frames.get(row["page_url"])
    score = _weigh(row, sources.scoring)[BEST_SLOT]
    title = (pages.titles.get(outer, "") if outer else "") or row["page_title"]
    return {
        "page_url": outer or row["page_url"],
        "page_title": title,
        "alt": row["alt"],
        "title": row["title"],
        "caption": row["caption"],
        "context": row["context"],
        "method": row["method"],
        "confidence": row["confidence"],
        "score": None if np.isnan(score) else float(score),
        "copy_url": row["url"] if row["url"] != home else "",
        "section_title": row["section"],
        "kind": row["kind"],
        "page_relevance": row["page_relevance"],
        "text_relevance": row["text_relevance"],
        "rank": row["value"],
    }


def _weigh(row: Row, scoring: Scoring) -> NDArray[np.float64]:
    perplexities = np.array(row["perplexities"], np.float64)
    return weigh_texts(perplexities, np.array(row["keyword_scores"], np.float64), scoring)


def _score_texts(row: Row, scoring: Scoring) -> list[Row]:
    """Return the texts of a mention with their scores."""
    columns = zip(
        TEXTS,
        row["texts"],
        row["words"],
        row["perplexities"],
        row["keyword_scores"],
        _weigh(row, scoring).tolist(),
        distance_weights().tolist(),
        strict=True,
    )
    names = ("name", "text", "words", "perplexity", "keyword_score", "score", "distance_weight")
    return [
        {name: None if value != value else value for name, value in zip(names, each, strict=True)}
        for each in columns
    ]


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _link_texts(mentions: Sequence[Row]) -> list[str]:
    """Return what links to a picture say, those of the best pages first."""
    texts = chain.from_iterable(row["link_texts"] for row in mentions)
    return list(islice(dict.fromkeys(texts), MAX_LINK_TEXTS))


def _unique(mentions: Sequence[Row]) -> list[Row]:
    """Return mentions without those that say the same on the same page; the best stay in front."""
    texts = ("page_url", "alt", "title", "caption", "context", "copy_url")
    found: dict[tuple[Any, ...], Row] = {}
    for mention in mentions:
        found.setdefault(tuple(mention[name] for name in texts), mention)
    return list(found.values())
