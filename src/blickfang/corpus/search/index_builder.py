"""The index of a corpus is built: whole or not at all.

In: a corpus. Out: a folder `search`. Its `index.json` names the folder that holds the rest and is
written last, in one step: a build that was killed leaves the older index, or none.

    search/index.json                  format, digest of the corpus' manifest, options, <name>
    search/<name>/text/                tantivy: texts
    search/<name>/looks/ lsi/ clip/    vectors
    search/<name>/facts.arrow          what hits show
    search/<name>/*.npy, terms.txt     what queries need
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.corpus import Corpus
from blickfang.corpus.search.clip import Clip
from blickfang.corpus.search.index_reader import FORMAT, POINTER, digest_of
from blickfang.corpus.search.nearest_vectors import Floats, write_vectors
from blickfang.corpus.search.query_terms import TermTable
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.corpus.search.semantic_index import (
    WeightedTerms,
    choose_terms,
    find_strongest,
    learn_space,
    weigh_terms,
    write_space,
)
from blickfang.corpus.search.term_counts import Bag, fill_bag
from blickfang.corpus.search.text_index import TextWriter
from blickfang.corpus.search.text_weights import COLUMNS, read_rows
from blickfang.corpus.search.visual_index import (
    compare_by,
    learn_measure,
    read_looks,
    write_measure,
)
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing_index, write_text

FACTS = (
    "id",
    "url",
    "caption",
    "page_url",
    "page_title",
    "width",
    "height",
    "format",
    "language",
    "licence",
    "credit",
    "rank",
)
BATCH = 4096
CLIP_BATCH = 32

Advance = Callable[[int, int], object]  # samples done, of how many
Order = NDArray[np.int64]


def stay_silent(_done: int, _total: int) -> None:
    """Show nothing."""


def build_index(
    corpus: Corpus,
    folder: Path,
    options: SearchOptions | None = None,
    advance: Advance = stay_silent,
) -> None:
    """Build the index of a corpus in a folder, in place of an older one."""
    options = options or SearchOptions()
    about = {"format": FORMAT, "corpus": digest_of(corpus), "options": asdict(options)}
    with replacing_index(Path(folder) / POINTER, about) as inside:
        rows = _write_facts(corpus, inside)
        counted, terms = _write_texts(corpus, inside, options, rows, advance)
        looks = _write_looks(corpus, inside, rows)
        _write_space(inside, counted, terms, looks)
        if options.clip_weights:
            _write_clip(corpus, inside, options, rows)


def _write_facts(corpus: Corpus, inside: Path) -> Order:
    """Write what hits show, in the order of ids; return the row of each sample of the corpus."""
    table = corpus.table(FACTS)
    names = np.array(table.column("id").to_pylist(), "S")
    order = np.argsort(names, kind="stable")
    if len(names) and (names[order][1:] == names[order][:-1]).any():
        raise InputError("two samples of the corpus have the same id; build the corpus again")
    facts = table.take(order).combine_chunks()
    with pa.ipc.new_file(str(inside / "facts.arrow"), facts.schema) as file:
        file.write_table(facts)
    rows = np.empty(len(order), np.int64)
    rows[order] = np.arange(len(order))
    np.save(inside / "ids.npy", names[order].astype("S16") if not len(names) else names[order])
    np.save(inside / "ranked.npy", rows)
    return rows


def _write_texts(
    corpus: Corpus, inside: Path, options: SearchOptions, rows: Order, advance: Advance
) -> tuple[WeightedTerms, TermTable]:
    """Write the index of texts; return the terms of all samples, in the order of rows."""
    writer, terms = TextWriter(inside / "text"), TermTable(options)
    bags: list[Bag] = []
    done = 0
    for batch in corpus.batches(COLUMNS, BATCH):
        bag = fill_bag(read_rows(batch), terms)
        writer.add(rows[done : done + len(batch)].tolist(), bag, terms.spelled)
        bags.append(bag._replace(spoken=[]))
        done += len(batch)
        advance(done, len(rows))
    writer.finish()
    return _sort_bags(bags, rows), terms


def _sort_bags(bags: list[Bag], rows: Order) -> WeightedTerms:
    """Return the terms of samples in the order of rows instead of that of the corpus."""
    lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(bag.starts) for bag in bags)])
    begins = np.cumsum(lengths) - lengths
    order = np.argsort(rows)
    starts = np.concatenate(([0], np.cumsum(lengths[order])))
    at = np.arange(starts[-1]) + np.repeat(begins[order] - starts[:-1], lengths[order])
    terms = np.concatenate([np.empty(0, np.int32), *(bag.terms for bag in bags)])
    weights = np.concatenate([np.empty(0, np.int32), *(bag.weights for bag in bags)])
    return WeightedTerms(starts, terms[at], weights[at])


def _write_looks(corpus: Corpus, inside: Path, rows: Order) -> Floats:
    """Write the visual vectors; return them, in the order of rows."""
    found = [read_looks(batch.column(0)) for batch in corpus.batches(["looks"], BATCH)]
    width = max((part.shape[1] for part in found), default=0)
    looks = np.zeros((len(rows), width), np.float32)
    done = 0
    for part in found:
        if part.shape[1] == width:
            looks[rows[done : done + len(part)]] = part
        done += len(part)
    measure = learn_measure(looks)
    write_measure(inside / "measure.npy", measure)
    compared = compare_by(measure, looks)
    write_vectors(inside / "looks", compared)
    return compared


def _write_space(inside: Path, counted: WeightedTerms, terms: TermTable, looks: Floats) -> None:
    """Write the semantic space and the places of samples in it."""
    chosen = choose_terms(counted, len(terms.spelled))
    joint, idf = weigh_terms(counted, chosen, len(terms.spelled))
    np.save(inside / "strongest.npy", find_strongest(joint))
    space, places = learn_space(joint, idf, looks)
    write_space(inside, space)
    write_vectors(inside / "lsi", places)
    spelled = "\n".join(terms.spelled[number] for number in chosen.tolist())
    write_text(inside / "terms.txt", spelled)


def _write_clip(corpus: Corpus, inside: Path, options: SearchOptions, rows: Order) -> None:
    """Write what CLIP sees in the pictures."""
    clip = Clip(options)
    parts = [
        clip.see([image["bytes"] or b"" for image in batch.column(0).to_pylist()])
        for batch in corpus.batches(["image"], CLIP_BATCH)
    ]
    width = max((part.shape[1] for part in parts), default=0)
    seen = np.zeros((len(rows), width), np.float32)
    done = 0
    for part in parts:
        if part.shape[1] == width:
            seen[rows[done : done + len(part)]] = part
        done += len(part)
    write_vectors(inside / "clip", seen)
