"""The report on two corpora: what the study of near-duplicates shows, as one page.

In: the figures that `pipeline.compared` gathers. Out: HTML that stands alone.
"""

from collections.abc import Iterator
from typing import Any

from blickfang.charts import Group, Series, bars, histogram, lines, svg
from blickfang.charts.draw_svg import escape
from blickfang.charts.shapes import Figure
from blickfang.compare.measure import MEANINGS
from blickfang.compare.pages import (
    make_numbers,
    make_page,
    make_table,
    say,
    show_count,
    show_share,
    show_value,
)
from blickfang.compare.tally import EDGES

ROWS = 25  # of the longer tables
DRAWN = 12  # top-level domains
Facts = dict[str, Any]


def make_report(facts: Facts) -> str:
    """Return the report."""
    a, b = facts["a"]["name"], facts["b"]["name"]
    parts = [
        f"<h1>{escape(a)} and {escape(b)}</h1>",
        say(_setting(facts["settings"]), "lead"),
        make_numbers(_headline(facts)),
        *_corpora(facts),
        *_addresses(facts["addresses"], _tell_part(facts["b"])),
        *_shared(facts["shared_documents"]),
        *_near(facts),
        *_kinds(facts),
        *_extrapolated(facts["extrapolated"]),
        *(part for each in facts["judgements"] for part in _judgements(each, _in_part(facts))),
    ]
    return make_page(f"{a} and {b} compared", parts)


def _setting(settings: Facts) -> str:
    words = "word" if settings["shingle"] == 1 else "words"
    how = f"Jaccard ≥ {settings['threshold']:g} of shingles of {settings['shingle']} {words}"
    basis = {
        "all": "all text",
        "main": "the main text",
        "either": "all text, or on the main text",
    }[settings["on"]]
    by = "MinHash sketches"
    if settings["method"] == "simhash":
        by = f"SimHashes that differ in at most {settings['distance']} bits"
    checked = "verified exactly" if settings["verify"] else "estimated from sketches, not verified"
    return f"A near-duplicate: {how}, on {basis}; proposed by {by}, {checked}."


def _headline(facts: Facts) -> list[tuple[str, str]]:
    a, b, urls, near = facts["a"], facts["b"], facts["addresses"], facts["near_duplicates"]
    found = show_share(near["a_found"], a["documents"])
    return [
        (show_count(a["documents"]), "documents in A"),
        (show_count(b["documents"]), "documents in B" + _read(b)),
        (
            show_count(urls["shared"]),
            f"shared addresses, {show_share(urls['shared'], urls['a'])} of A" + _read(b),
        ),
        (
            show_count(near["a_found"]),
            f"documents of A with a near-duplicate in B, {found}"
            + (" (in the segments drawn)" if _in_part(facts) else ""),
        ),
    ]


def _in_part(facts: Facts) -> bool:
    """Whether B was looked at in part."""
    return facts["extrapolated"] is not None


def _tell_part(corpus: Facts) -> str:
    """Return what part of a corpus the addresses are of; nothing if they are of all."""
    if corpus["files_read"] == corpus["files"]:
        return ""
    return (
        f"Of B only {corpus['files_read']:,} of {corpus['files']:,} files were read: shared "
        "addresses are those of these files. What to expect of all stands below, under "
        "Extrapolated."
    )


def _read(corpus: Facts) -> str:
    return "" if corpus["files_read"] == corpus["files"] else " (of the files drawn)"


def _corpora(facts: Facts) -> Iterator[str]:
    rows = []
    for letter in ("a", "b"):
        one = facts[letter]
        files = f"{one['files_read']:,} of {one['files']:,}"
        counts = ("documents", "empty", "addresses", "hosts", "failed", "renamed_ids")
        cells = [show_count(one[name]) for name in counts]
        rows.append([f"{letter.upper()}: {one['name']}", files, *cells])
    titles = [
        "corpus",
        "files",
        "documents",
        "empty",
        "addresses",
        "hosts",
        "not read",
        "ids twice",
    ]
    yield make_table(titles, rows)


def _draw(figure: Figure) -> str:
    return f"<figure>{svg(figure)}</figure>"


def _addresses(urls: Facts, part: str) -> Iterator[str]:
    yield "<h2>Shared addresses</h2>"
    if part:
        yield say(part, "note")
    if not urls["a"] or not urls["b"]:
        yield say("One of the corpora has no addresses.", "note")
        return
    of_a, of_b = (show_share(urls["shared"], urls[letter]) for letter in ("a", "b"))
    yield say(
        f"{urls['shared']:,} canonical addresses are in both: {of_a} of A's {urls['a']:,}, "
        f"{of_b} of B's {urls['b']:,}."
    )
    tops = urls["by_top_level"]
    if tops:
        drawn = tops[:DRAWN]
        groups = [
            Group(name, [100 * row[key] / max(urls[key], 1) for row in drawn])
            for name, key in (("of A", "a"), ("of B", "b"), ("of the shared ones", "shared"))
        ]
        title = "Top-level domains: share of the addresses"
        labels = [_dot(row["name"]) for row in drawn]
        yield _draw(bars(labels, groups, title=title, x="%", show="{:.1f}".format))
    yield _share_table("top-level domain", tops, urls["top_levels"])
    yield _share_table("host", urls["by_host"], urls["hosts"])


def _dot(name: str) -> str:
    return name if name.startswith("(") else f".{name}"


def _share_table(title: str, rows: list[Facts], total: int) -> str:
    shown = [
        [
            row["name"],
            show_count(row["a"]),
            show_count(row["b"]),
            show_count(row["shared"]),
            show_share(row["shared"], row["a"]),
            show_share(row["shared"], row["b"]),
        ]
        for row in rows[:ROWS]
    ]
    more = f"; the first {ROWS} of {total:,}" if total > ROWS else ""
    titles = [title, "A", "B", "shared", "of A", "of B"]
    return make_table(titles, shown, f"Addresses by {title}, most shared first{more}")


def _shared(shared: Facts) -> Iterator[str]:
    if not shared["documents"]:
        return
    yield "<h2>Documents behind shared addresses</h2>"
    near, total = shared["near_duplicates"], shared["documents"]
    mean, median = show_value(shared["mean"]), show_value(shared["median"])
    yield say(
        f"Of {total:,} addresses in both corpora, {near:,} ({show_share(near, total)}) lead to "
        f"near-duplicates; Jaccard {mean} on average, median {median}."
    )
    counts = {"documents": shared["jaccard"]}
    title = "Jaccard of the two documents behind a shared address"
    yield _draw(histogram(EDGES, counts, title=title, x="Jaccard", y="addresses"))
    yield _kind_table(shared["kinds"], "What the two documents behind a shared address share")


def _near(facts: Facts) -> Iterator[str]:
    near = facts["near_duplicates"]
    yield "<h2>Near-duplicates</h2>"
    yield say(
        f"{near['candidates']:,} candidate pairs, of which {near['pairs']:,} are near-duplicates "
        f"(precision {show_value(near['precision'])}). {near['a_found']:,} documents of A and "
        f"{near['b_found']:,} of B have one; of the documents of A with any candidate the best one "
        f"is a near-duplicate in {show_share(near['precision_of_best'])} of the cases."
    )
    yield say(_meeting(near))
    if near["not_compared"]:
        yield say(
            f"Up to {near['not_compared']:,} pairs were not compared: too many documents were "
            "alike. Each of them was compared with one that stands for the others.",
            "note",
        )
    yield from _segments(near["segments"])
    per = near["candidates_per_document"]
    titles = ["candidates a document of A that has any", "mean", "median", "75 %", "maximum"]
    values = [per[name] for name in ("mean", "median", "upper_quartile", "maximum")]
    yield make_table(titles, [["", *(f"{v:,.1f}" if v is not None else "–" for v in values)]])
    counts = {"all candidate pairs": near["jaccard_of_pairs"]}
    title = "Jaccard of all candidate pairs"
    yield _draw(histogram(EDGES, counts, title=title, x="Jaccard", y="pairs"))
    counts = {"best pairs": near["jaccard_of_best"]}
    title = "Jaccard of the best pair of each document of A"
    yield _draw(histogram(EDGES, counts, title=title, x="Jaccard", y="documents"))


def _meeting(near: Facts) -> str:
    return (
        f"{near['pairs_at_same_address']:,} of the near-duplicate pairs have the same address; "
        f"{near['best_at_same_address']:,} of the {near['a_found']:,} documents of A have their "
        f"best partner there, {near['a_found'] - near['best_at_same_address']:,} only elsewhere. "
        f"{near['shared_not_alike']:,} shared addresses lead to documents that are no longer alike."
    )


def _segments(segments: list[Facts]) -> Iterator[str]:
    if len(segments) > 1:
        x = [float(place) for place in range(1, len(segments) + 1)]
        curves = [
            Series(name, x, [float(each[key]) for each in segments])
            for name, key in (("candidates", "candidates"), ("near-duplicates", "pairs"))
        ]
        title = "Pairs a segment of B"
        yield _draw(lines(curves, title=title, x="segment", y="pairs", zero=True))
        curves = [
            Series(name, x, [float(each[key]) for each in segments])
            for name, key in (("accumulated", "accumulated"), ("in this segment", "a_found"))
        ]
        title = "Documents of A with a near-duplicate in B"
        yield _draw(lines(curves, title=title, x="segment", y="documents", zero=True))
    keys = ("documents", "candidates", "pairs", "a_found", "b_found", "accumulated")
    rows = [
        [str(each["number"]), *(show_count(each[key]) for key in keys)] for each in segments[:ROWS]
    ]
    more = f"; the first {ROWS} of {len(segments):,}" if len(segments) > ROWS else ""
    titles = [
        "segment",
        "documents",
        "candidates",
        "near-duplicates",
        "of A",
        "of B",
        "of A so far",
    ]
    yield make_table(titles, rows, f"Segments of B, and documents found{more}")


def _kinds(facts: Facts) -> Iterator[str]:
    kinds = facts["near_duplicates"]["kinds"]
    if kinds:
        yield "<h2>What near-duplicates share</h2>"
        yield _kind_table(
            kinds, "Near-duplicate pairs by what they share; docs/method.md defines it"
        )
    if facts.get("sheet"):
        yield f'<p><a href="sample.html">{facts["sheet"]:,} random pairs side by side</a></p>'


def _kind_table(kinds: Facts, caption: str) -> str:
    total = sum(kinds.values())
    rows = [
        [name, MEANINGS[name], show_count(count), show_share(count, total)]
        for name, count in kinds.items()
    ]
    return make_table(["kind", "meaning", "pairs", "share"], rows, caption, (0, 1))


def _extrapolated(found: Facts | None) -> Iterator[str]:
    if not found:
        return
    yield "<h2>Extrapolated to the whole of B</h2>"
    yield say(
        f"{found['segments_read']:,} of {found['segments']:,} segments were drawn. By the ratio to "
        f"their size in {found['by']}, with 95 % intervals:"
    )
    rows = []
    for name, key in (
        ("documents of B", "documents"),
        ("near-duplicate pairs", "pairs"),
        ("documents of B found", "b_found"),
        ("shared addresses", "shared_addresses"),
    ):
        if key not in found:
            continue
        one = found[key]
        cells = [show_count(one[part]) for part in ("value", "low", "high")]
        rows.append([name, *cells])
    bounds = found["a_found"]
    cells = ["–", show_count(bounds["at_least"]), show_count(bounds["at_most"])]
    rows.append(["documents of A found, bounds", *cells])
    yield make_table(["", "estimate", "from", "to"], rows)
    yield say(
        "Documents of A found in one segment are found again in others: for them the upper end of "
        "the interval is a bound only; what was found so far is the lower one.",
        "note",
    )


def _judgements(found: Facts, in_part: bool) -> Iterator[str]:
    name = f": {found['name']}" if found["name"] else ""
    yield f"<h2>Relevance judgements{escape(name)}</h2>"
    if in_part:
        yield say(
            "B was looked at in part: a judgement that is lost here may have a near-duplicate in "
            "a segment that was not drawn.",
            "note",
        )
    yield say(
        f"{found['carried']:,} of {found['judged']:,} judgements are carried over to B, "
        f"{found['lost']:,} are lost ({found['not_in_a']:,} of them on documents that A does not "
        f"have), {found['merged']:,} meet another one on the same document of B; "
        f"{found['conflicts']:,} such documents were judged differently. Of judged documents with "
        f"any candidate, {show_share(found['precision_of_best'])} have a near-duplicate."
    )
    rows = [
        [
            str(level["judgement"]),
            show_count(level["judged"]),
            show_count(level["carried"]),
            show_share(level["carried"], level["judged"]),
            show_count(level["same_url"]),
            show_count(level["lost"]),
            show_value(level["similarity"]),
        ]
        for level in found["levels"]
    ]
    titles = ["judgement", "judged", "carried", "share", "same address", "lost", "Jaccard"]
    yield make_table(titles, rows, "By level of judgement")
    labels = [f"judgement {level['judgement']}" for level in found["levels"]]
    groups = [
        Group(name, [float(level[key]) for level in found["levels"]])
        for name, key in (("carried", "carried"), ("lost", "lost"))
    ]
    yield _draw(bars(labels, groups, title="Judgements carried over", x="judgements", stacked=True))
