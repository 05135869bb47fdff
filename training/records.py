"""Find the weights of record extraction: python -m training.records FOLDER [--write]

In: a folder with pages.jsonl, records/ and publications/ (pages, gold) and score.py. Out: printed,
the quality on each page with weights of other sites only, and with weights of all pages, which are
those that --write writes for the product. The same pages give the same bytes; `make gates` trains
anew and compares.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree, slice_text
from blickfang.records import rank_regions as ranking
from blickfang.records.extract import choose_publications
from blickfang.records.node_counts import read_marks
from blickfang.records.publications import choose_fields
from blickfang.records.publications.choose_fields import (
    ALONE,
    TOGETHER,
    FieldWeights,
    ListRows,
    RowChoices,
    Weighed,
    add_style,
    judge,
    learn_style,
    list_options,
    list_rows,
)
from blickfang.records.publications.record_row import cut_text, read_rows
from blickfang.records.rank_regions import MEASURES, measure_regions
from blickfang.records.region_rows import find_rows
from blickfang.records.regions import Regions, find_regions
from training.scorers import load_scorer

Floats = NDArray[np.float64]
Range = tuple[int, int]

FOLDS = 10
RANKING_PENALTY, FIELD_PENALTY = 3.0, 20.0
ROWS = 25  # of a page that are trained on
PAIRS = 120  # of a row
PAGE_WEIGHT = 20.0
VENUE = 0.8  # so much alike a venue must be to that of the gold
NEAR = 0.02  # a region so near to the best F is right too


class Group(NamedTuple):
    """What one softmax chooses from: rows of numbers, which are right, what it weighs."""

    rows: Floats
    right: NDArray[np.bool_]
    weight: float


@dataclass
class Sample:
    """A page with its regions and what is true of them."""

    meta: dict[str, Any]
    tree: Tree
    regions: Regions
    measures: Floats
    quality: Floats  # F of each region
    listed: ListRows | None = None  # the rows of the best region
    options: list[RowChoices] = field(default_factory=list)  # of these rows
    right: list[NDArray[np.bool_] | None] = field(default_factory=list)


def records_of(regions: Regions, region: int) -> list[Range]:
    """Return the ranges of nodes of a region."""
    rows = slice(int(regions.first[region]), int(regions.first[region + 1]))
    return list(zip(regions.start[rows].tolist(), regions.end[rows].tolist(), strict=True))


def texts_of(tree: Tree, records: list[Range]) -> list[dict[str, str]]:
    """Return the texts of records as the scorer reads them."""
    offset = tree.offset
    return [{"text": slice_text(tree, int(offset[a]), int(offset[b]))} for a, b in records]


def read_gold(score: ModuleType, folder: Path, meta: dict[str, Any]) -> Any:
    """Return the gold of a page as the scorer has it."""
    if meta["kind"] == "publications":
        return score.gold_pubs(str(folder), meta)
    rows = score.read(str(folder / "records" / "gold" / f"{meta['id']}.jsonl"))
    texts = [words for row in rows if (words := score.toks(row["text"]))]
    return [(words, Counter(words), len(words)) for words in texts]


def rate_region(score: ModuleType, meta: dict[str, Any], gold: Any, rows: Any) -> float:
    """Return F of the rows of a region."""
    if meta["kind"] == "publications":
        entries, ignored = gold
        found = score.score_seg_rows(entries, rows, ignored)
        return float(score.prf(*found, len(entries))[2])
    found = score.score_rec_rows(gold, rows, meta["gold_type"] == "node")
    return float(score.prf(*found, len(gold))[2])


def read_samples(folder: Path) -> list[Sample]:
    """Return all pages with the quality of their regions."""
    score, samples = load_scorer(folder), []
    for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        meta = json.loads(line)
        path = folder / meta["kind"] / "pages" / f"{meta['id']}.html.gz"
        parsed = parse_page(gzip.decompress(path.read_bytes()))
        if parsed is None:
            raise ValueError(path)
        tree, marks = parsed[0], read_marks(parsed[0])
        regions = find_regions(marks, find_rows(marks))
        gold = read_gold(score, folder, meta)
        quality = [
            rate_region(score, meta, gold, texts_of(tree, records_of(regions, region)))
            for region in range(len(regions.first) - 1)
        ]
        measures = measure_regions(marks, regions)
        sample = Sample(meta, tree, regions, measures, np.array(quality))
        if meta["kind"] == "publications":
            records = records_of(regions, int(np.argmax(quality)))
            sample.listed = list_rows(*read_rows(tree, records))
            sample.options = list_options(sample.listed)
            sample.right = [find_right(score, gold[0], options) for options in sample.options]
        samples.append(sample)
    return samples


def find_right(score: ModuleType, gold: Any, options: RowChoices) -> NDArray[np.bool_] | None:
    """Return which pairs of a row are right; None where none is, or the row is no publication."""
    row = options.row
    flat = f" {score.ntitle(row.text)} "
    hits = [entry for entry in gold if f" {entry['nt']} " in flat]
    if not hits:
        return None
    entry = max(hits, key=lambda found: len(found["nt"]))
    names = ["; ".join(cut_text(row, *item[:2]) for item in span.items) for span in options.authors]
    authors = np.array([score.nauth(name) == entry["na"] for name in names])
    titles = [score.ntitle(cut_text(row, *span)) for span in options.titles]
    same = np.array([title == entry["nt"] for title in titles])
    if not same.any():
        same = np.array([score.similar(title, entry["nt"]) for title in titles])
    right: NDArray[np.bool_] = authors[:, None] & same[None, :]
    right &= ~np.isnan(options.looks.pairs[..., 0])
    return right if right.any() else None


def fit(groups: list[Group], penalty: float) -> Floats:
    """Return weights that make what is right likely: Newton's method on a penalised softmax."""
    rows = np.concatenate([group.rows for group in groups])
    spread = rows.std(axis=0)
    spread[spread < 1e-9] = np.inf  # a constant says nothing
    rows = (rows - rows.mean(axis=0)) / spread
    right = np.concatenate([group.right for group in groups]).astype(float)
    sizes = np.array([len(group.rows) for group in groups])
    first = np.cumsum(sizes) - sizes
    each = np.array([group.weight for group in groups])
    weights = np.zeros(rows.shape[1])
    for _ in range(20):
        scores = rows @ weights
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, first), sizes))
        likely /= np.repeat(np.add.reduceat(likely, first), sizes)
        target = likely * right
        target /= np.repeat(np.maximum(np.add.reduceat(target, first), 1e-12), sizes)
        slope = rows.T @ ((target - likely) * np.repeat(each, sizes)) - penalty * weights
        means = np.add.reduceat(rows * likely[:, None], first, axis=0)
        curve = (rows.T * (likely * np.repeat(each, sizes))) @ rows - (means.T * each) @ means
        step = np.linalg.solve(curve + penalty * np.eye(len(weights)), slope)
        weights = weights + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-4:
            break
    found: Floats = weights / spread
    return found


def train_ranking(samples: list[Sample]) -> Floats:
    """Return the weights of the measures of regions."""
    groups = []
    for sample in samples:
        right = (sample.quality >= sample.quality.max() - NEAR) & (sample.quality > 0)
        groups.append(Group(sample.measures, right, 1.0))
    return fit(groups, RANKING_PENALTY)


def spread_out(looks: Weighed) -> Floats:
    """Return the numbers of all pairs of a row: authors x titles x numbers."""
    a, t = len(looks.authors), len(looks.titles)
    return np.concatenate(
        [
            np.broadcast_to(looks.authors[:, None, :], (a, t, looks.authors.shape[1])),
            np.broadcast_to(looks.titles[None, :, :], (a, t, looks.titles.shape[1])),
            looks.pairs,
        ],
        axis=2,
    )


def gather_pairs(
    samples: list[Sample], look: Callable[[int, RowChoices], tuple[Weighed, Floats]]
) -> Any:
    """Return the groups of the rows of all pages: the right pairs and the hardest others."""
    groups = []
    for number, sample in enumerate(samples):
        pairs_of = zip(sample.options, sample.right, strict=True)
        rows = [(options, right) for options, right in pairs_of if right is not None]
        rows = rows[:: max(1, len(rows) // ROWS)]
        for options, right in rows:
            looks, hard = look(number, options)
            pairs = spread_out(looks)
            apart = ~np.isnan(looks.pairs).any(axis=2)
            level = np.sort(hard[apart])[-min(PAIRS, int(apart.sum()))]
            kept = apart & (right | (hard >= level))
            groups.append(Group(pairs[kept], right[kept], PAGE_WEIGHT / len(rows)))
    return groups


def train_fields(samples: list[Sample]) -> FieldWeights:
    """Return the weights of the looks of spans, alone and together with the page's style.

    By looks alone first against any pairs, then against those that these weights take for right:
    what is plainly wrong teaches little of the ends of titles and lists of authors.
    """
    noise = np.random.default_rng(0)
    first = train_alone(samples, lambda row: noise.random(row.looks.pairs.shape[:2]))
    alone = train_alone(samples, lambda row: judge(row.looks, first))
    usual = train_together(samples, alone, None)
    return FieldWeights(alone, train_together(samples, alone, usual))


def train_alone(samples: list[Sample], hard: Callable[[RowChoices], Floats]) -> Weighed:
    """Return the weights of looks, given how hard it is to tell each pair from the right ones."""
    groups = gather_pairs(samples, lambda _, row: (row.looks, hard(row)))
    return cut_weights(fit(groups, FIELD_PENALTY), ALONE)


def train_together(samples: list[Sample], alone: Weighed, together: Weighed | None) -> Weighed:
    """Return the weights of looks and style, where the style is learned with those known so far."""
    styles = [learn_style(each.listed, alone, together) for each in samples if each.listed]
    groups = gather_pairs(
        samples, lambda number, row: (add_style(row, styles[number]), judge(row.looks, alone))
    )
    return cut_weights(fit(groups, FIELD_PENALTY), TOGETHER)


def cut_weights(weights: Floats, names: tuple[tuple[str, ...], ...]) -> Weighed:
    """Return the weights of authors, titles and pairs apart."""
    a, t, _ = (len(group) for group in names)
    return Weighed(weights[:a], weights[a : a + t], weights[a + t :])


def fold_of(samples: list[Sample]) -> NDArray[np.int64]:
    """Return the fold of each page; pages of one site stay together.

    Pages of lists are of one site each, those of publications of one repository a site.
    """
    sites = [
        sample.meta["repo"] if sample.meta["kind"] == "publications" else sample.meta["id"]
        for sample in samples
    ]
    order = {site: at for at, site in enumerate(dict.fromkeys(sites))}
    mixed = np.random.default_rng(1).permutation(len(order)) % FOLDS
    return np.array([mixed[order[site]] for site in sites])


class Found(NamedTuple):
    """What a page gave: its regions in order, and its publications."""

    sample: Sample
    order: list[int]
    entries: list[dict[str, str]]


def extract(sample: Sample, weights: Floats, fields: FieldWeights) -> Found:
    """Return what some weights give on a page, publications as the command finds them."""
    order, _ = ranking.rank_regions(sample.measures, weights)
    if sample.meta["kind"] != "publications":
        return Found(sample, order, [])
    lists = choose_publications(sample.tree, read_marks(sample.tree), 1, weights, fields)
    entries = [entry for _, found in lists for entry in found if entry]
    return Found(
        sample,
        order,
        [
            {
                "title": entry.title,
                "authors": "; ".join(person.name for person in entry.authors),
                "year": entry.year,
                "venue": entry.venue,
            }
            for entry in entries
        ],
    )


def cross_validate(samples: list[Sample]) -> list[Found]:
    """Return what each page gives with weights from other sites."""
    folds = fold_of(samples)
    found: list[Found] = []
    for fold in range(FOLDS):
        known = [s for s, other in zip(samples, folds, strict=True) if other != fold]
        weights = train(known)
        unseen = [s for s, other in zip(samples, folds, strict=True) if other == fold]
        found.extend(extract(sample, *weights) for sample in unseen)
    return found


def summarise(folder: Path, found: list[Found]) -> dict[str, float]:
    """Return the figures of the scorer, means over pages; of venues the share of all."""
    score, figures = load_scorer(folder), {}
    for kind, name in (("records", "lists"), ("publications", "segments")):
        pages = [page for page in found if page.sample.meta["kind"] == kind]
        first = [page.sample.quality[page.order[0]] for page in pages]
        three = [page.sample.quality[page.order[:3]].max() for page in pages]
        figures[f"{name}, first region"] = float(np.mean(first))
        figures[f"{name}, best of three"] = float(np.mean(three))
        figures[f"{name}, best region"] = float(np.mean([p.sample.quality.max() for p in pages]))
    rows, venues = [], []
    for page in found:
        if page.sample.meta["kind"] == "publications":
            gold, ignored = read_gold(score, folder, page.sample.meta)
            both = score.score_pub_rows(page.sample.meta, gold, ignored, page.entries)
            rows.append(
                [score.prf(both[1], both[2], both[3])[2], score.prf(both[0], *both[2:4])[2]]
            )
            rows[-1].append(both[4] / both[5] if both[5] else np.nan)
            venues.extend(rate_venues(score, gold, page.entries))
    table = np.array(rows)
    figures["publications, title and authors"] = float(table[:, 0].mean())
    figures["publications, title"] = float(table[:, 1].mean())
    figures["publications, year"] = float(np.nanmean(table[:, 2]))
    figures["publications, venue"] = float(np.mean(venues))
    figures["publications, pages with something"] = float((table[:, 0] > 0).sum())
    figures["publications, pages with F of .9"] = float((table[:, 0] >= 0.9).sum())
    return figures


def rate_venues(score: ModuleType, gold: Any, rows: list[dict[str, str]]) -> list[bool]:
    """Return for each venue of the gold of a page whether it was found, alike to four fifths."""
    found = {score.ntitle(row["title"]): row["venue"] for row in rows}
    return [
        score.similar(score.ntitle(found.get(each["nt"], "")), score.ntitle(each["venue"]), VENUE)
        for each in gold
        if each["venue"]
    ]


def write_ranking(weights: Floats) -> str:
    """Return the file of the weights of regions."""
    named = dict(zip(MEASURES, weights.round(3).tolist(), strict=True))
    return json.dumps(named, indent=1) + "\n"


def write_fields(weights: FieldWeights) -> str:
    """Return the file of the weights of fields."""
    parts = {}
    for name, names, found in (("alone", ALONE, weights[0]), ("together", TOGETHER, weights[1])):
        values = np.concatenate(found).round(3).tolist()
        parts[name] = dict(zip(sum(names, ()), values, strict=True))
    return json.dumps(parts, indent=1) + "\n"


def train(samples: list[Sample]) -> tuple[Floats, FieldWeights]:
    """Return the weights of regions and of fields that some pages teach."""
    fields = train_fields([sample for sample in samples if sample.options])
    return train_ranking(samples), fields


def write_weights(samples: list[Sample]) -> dict[Path, str]:
    """Return the files that the product reads, as these pages teach them."""
    regions, fields = train(samples)
    return {ranking.WEIGHTS: write_ranking(regions), choose_fields.WEIGHTS: write_fields(fields)}


def main() -> int:
    """Train, measure, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    samples = read_samples(asked.folder)
    files = write_weights(samples)
    if asked.write:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    regions, fields = (
        ranking.read_weights(files[ranking.WEIGHTS]),
        choose_fields.read_weights(files[choose_fields.WEIGHTS]),
    )
    known = summarise(asked.folder, [extract(sample, regions, fields) for sample in samples])
    unknown = summarise(asked.folder, cross_validate(samples))
    print(f"{'trained on':36} other sites  all pages")
    for name, value in unknown.items():
        print(f"{name:36} {value:>11.4g} {known[name]:>10.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
