"""The tables of a report.

In: groups of `Run`s. Out: `Table`s of texts, right-aligned where they are numbers; a table without
rows is left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from blickfang.io.plural import counted
from blickfang.web.charts.scales import write_value
from blickfang.web.report.measure_runs import RunGroup, on_topic_share, spread_of, whole_perplexity
from blickfang.web.report.report_figures import count_tlds, percent
from blickfang.web.report.report_values import Annotation, Run, Votes

MOST_ROWS, MOST_PAIRS, MOST_COLUMNS = 15, 30, 6
SHOWN_BY = {
    "Hosts: pages": "hosts",
    "Top-level domains: pages": "tlds",
    "Languages: pages": "languages",
}
FIRST = {
    "Hosts: pages": "host",
    "Hosts: images": "host",
    "Top-level domains: pages": "domain",
    "Languages: pages": "language",
    "Duplicates": "kind",
    "Consent": "signal",
    "Licences stated": "licence",
    "Failures": "reason",
}
VOTES_HEAD = ("category", "majority", "unanimous", "share of majority")
AGREEMENT_HEAD = ("question", "merged", "mean Cohen κ", "Fleiss κ", "Krippendorff α")
PAIRS_HEAD = ("question", "annotators", "common images", "Cohen κ")


class ReportTable(NamedTuple):
    """A table with a head; its first column names the rows."""

    section: str
    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Figure = tuple[str, Callable[[Run], float | None], Callable[[float], str]]


def _per_second(amount: float, run: Run) -> float | None:
    return amount / run.seconds if run.seconds > 0 else None


STATISTICS: tuple[Figure, ...] = (
    ("pages", lambda run: float(len(run.pages)), write_value),
    ("images", lambda run: float(run.images), write_value),
    ("sentences", lambda run: float(run.pages.sentences.sum()), write_value),
    ("tokens", lambda run: float(run.pages.tokens.sum()), write_value),
    ("hosts", lambda run: float(len({*run.hosts, *run.image_hosts})), write_value),
    ("URIs", lambda run: float(run.uris), write_value),
    ("volume, MB", lambda run: run.bytes / 1e6, write_value),
    ("seconds", lambda run: run.seconds or None, write_value),
    ("URIs/s", lambda run: _per_second(run.uris, run), write_value),
    ("KB/s", lambda run: _per_second(run.bytes / 1e3, run), write_value),
)
QUALITY: tuple[Figure, ...] = (
    ("on-topic share of pages", lambda run: on_topic_share(run.pages), percent),
    ("perplexity of all sentences", lambda run: whole_perplexity(run.pages), write_value),
    ("samples in the corpus", lambda run: float(run.samples) if run.funnel else None, write_value),
    ("samples a page", lambda run: run.samples / len(run.pages)
     if run.funnel and len(run.pages) else None, write_value),
)  # fmt: skip


def make_tables(groups: Sequence[RunGroup], drawn: Collection[str] = ()) -> list[ReportTable]:
    """Return the tables that there are data for, but for those that figures show."""
    tables = [_describe_runs(groups), *_statistics(groups), *_funnel(groups)]
    tables += _labels(groups)
    tables += _counts(groups)
    return [table for table in tables if table.rows and SHOWN_BY.get(table.title) not in drawn]


def _describe_runs(groups: Sequence[RunGroup]) -> ReportTable:
    """Return what the runs were, side by side where there are few."""
    runs = [run for group in groups for run in group.runs]
    names = list(dict.fromkeys(name for run in runs for name in run.about))
    if len(runs) > 4:  # a row a run
        names = [name for name in names if name != "keywords"]
        rows = [(run.name, *(run.about.get(name, "–") for name in names)) for run in runs]
        return ReportTable("runs", "The runs", "", ("run", *names), tuple(rows))
    rows = [(name, *(run.about.get(name, "–") for run in runs)) for name in names]
    return ReportTable(
        "runs", "The runs", "", ("setting", *(run.name for run in runs)), tuple(rows)
    )


def _statistics(groups: Sequence[RunGroup]) -> Iterator[ReportTable]:
    several = any(len(group.runs) > 1 for group in groups)
    note = "Mean ± standard deviation over the runs of a group." if several else ""
    for title, figures in (("Crawl statistics", STATISTICS), ("What came of it", QUALITY)):
        head = ("group" if several else "run", *(["runs"] if several else []))
        rows = []
        for group in groups:
            cells = [_show(group, read, write) for _, read, write in figures]
            rows.append((group.name, *([str(len(group.runs))] if several else []), *cells))
        names = tuple(name for name, _, _ in figures)
        whole = ((*head, *names), *rows)
        if several and len(groups) <= MOST_COLUMNS:  # means with deviations are wide
            whole = tuple(zip(*whole, strict=True))
        yield ReportTable("statistics", title, note, whole[0], whole[1:])
        if several:
            single = [
                (
                    run.name,
                    *(_show(RunGroup("", (run,)), read, write) for _, read, write in figures),
                )
                for group in groups
                for run in group.runs
            ]
            yield ReportTable(
                "every-run", f"{title}: every run", "", ("run", *names), tuple(single)
            )


def _show(
    group: RunGroup, read: Callable[[Run], float | None], write: Callable[[float], str]
) -> str:
    spread = spread_of([read(run) for run in group.runs])
    if spread is None:
        return "–"
    around = f" ± {write(spread.deviation).lstrip('−')}" if spread.deviation is not None else ""
    return f"{write(spread.mean)}{around}"


def _funnel(groups: Sequence[RunGroup]) -> Iterator[ReportTable]:
    groups = [
        RunGroup(group.name, built)
        for group in groups
        if (built := tuple(run for run in group.runs if run.funnel))
    ]
    runs = [run for group in groups for run in group.runs]
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(step.name for run in runs for step in run.funnel):
        left = partial(_left_after, name=name)
        rows.append((name, *(_show(group, left, write_value) for group in groups)))
        reasons = sum((Counter(_dropped_at(run, name)) for run in runs), Counter[str]())
        for why, _ in reasons.most_common(MOST_ROWS):
            lost = partial(_lost_at, name=name, why=why)
            rows.append((f"– {why}", *(_show(group, lost, _less) for group in groups)))
    head = ("step", *(group.name for group in groups))
    note = "Addresses of images that are left, and why others are not."
    yield ReportTable("images", "Image funnel", note, head, tuple(rows))


def _left_after(run: Run, name: str) -> float | None:
    return next((float(step.left) for step in run.funnel if step.name == name), None)


def _dropped_at(run: Run, name: str) -> dict[str, int]:
    return next((dict(step.dropped) for step in run.funnel if step.name == name), {})


def _lost_at(run: Run, name: str, why: str) -> float:
    return float(_dropped_at(run, name).get(why, 0))


def _less(value: float) -> str:
    return f"−{write_value(value)}" if value else "0"


def _counts(groups: Sequence[RunGroup]) -> Iterator[ReportTable]:
    parts: tuple[tuple[str, str, str, Callable[[Run], Mapping[str, int]]], ...] = (
        ("places", "Hosts: pages", "", lambda run: run.hosts),
        ("places", "Hosts: images", "", lambda run: run.image_hosts),
        ("places", "Top-level domains: pages", "", lambda run: count_tlds(run.hosts)),
        ("places", "Languages: pages", "", lambda run: run.languages),
        ("duplicates", "Duplicates", "", lambda run: run.duplicates),
        ("consent", "Consent", "Addresses that a signal of their owner kept out, by signal.",
         lambda run: run.consent),
        ("consent", "Licences stated", "Samples of the corpus.", lambda run: run.licences),
        ("failures", "Failures", "Addresses that could not be had, by reason.",
         lambda run: run.failures),
    )  # fmt: skip
    for section, title, note, read in parts:
        yield _count_table(groups, section, title, note, read)


def _count_table(
    groups: Sequence[RunGroup],
    section: str,
    title: str,
    note: str,
    read: Callable[[Run], Mapping[str, int]],
) -> ReportTable:
    total: Counter[str] = Counter()
    for group in groups:
        for run in group.runs:
            total.update(read(run))
    names = [name for name, _ in total.most_common(MOST_ROWS)]

    def show(group: RunGroup, count: Callable[[Mapping[str, int]], int]) -> str:
        return _show(group, lambda run: float(count(read(run))), write_value)

    rows = [
        (name, *(show(group, lambda found, name=name: found.get(name, 0)) for group in groups))  # type: ignore[misc]
        for name in names
    ]
    if len(total) > len(names):
        shown = frozenset(names)
        others = [
            show(group, lambda found: sum(n for name, n in found.items() if name not in shown))
            for group in groups
        ]
        rows.append((counted(len(total) - len(names), "other"), *others))
    return ReportTable(
        section, title, note, (FIRST[title], *(group.name for group in groups)), tuple(rows)
    )


def _labels(groups: Sequence[RunGroup]) -> Iterator[ReportTable]:
    for group in groups:
        for run in group.runs:
            for task in run.annotations:
                yield from _task_tables(run, task)


def _task_tables(run: Run, task: Annotation) -> Iterator[ReportTable]:
    of = f"{run.name}, task {task.task}"
    for votes in task.votes:
        if votes.merge:  # their agreement is shown; their votes are sums of those shown
            continue
        note = f"{counted(votes.items, 'image')} with all answers."
        yield ReportTable(
            "labels", f"{of}: {votes.question}", note, VOTES_HEAD, tuple(_vote_rows(votes))
        )
    agreement = tuple(
        (each.question, each.merge or "none", _kappa(each.kappa), _kappa(each.fleiss),
         _kappa(each.alpha))
        for each in task.votes
    )  # fmt: skip
    yield ReportTable("labels", f"{of}: agreement", "", AGREEMENT_HEAD, agreement)
    pairs = tuple(
        (votes.question, f"{one} – {other}", f"{items:,}", _kappa(kappa))
        for votes in task.votes
        if not votes.merge
        for one, other, items, kappa in votes.pairs[:MOST_PAIRS]
    )
    yield ReportTable("labels", f"{of}: κ by pair", "", PAIRS_HEAD, pairs)
    rows = tuple(
        (topic, *(f"{count:,}" for count in row), f"{sum(row):,}")
        for topic, row in zip(task.topics, task.candidates, strict=False)
    )
    note = "Images by what the majority says of topic (rows) and text (columns)."
    head = ("topic", *task.relations, "all")
    yield ReportTable("candidates", f"{of}: corpus candidates", note, head, rows)


def _vote_rows(votes: Votes) -> Iterator[tuple[str, ...]]:
    for name, most, all_of in zip(votes.categories, votes.majority, votes.unanimous, strict=True):
        share = percent(most / votes.items) if votes.items else "–"
        yield name, f"{most:,}", f"{all_of:,}", share
    yield "no majority", f"{votes.disagreement:,}", "–", "–"


def _kappa(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
