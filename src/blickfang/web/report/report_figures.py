"""The figures of a report.

In: groups of `Run`s. Out: `Drawn` figures with names for their files and captions; a figure whose
data no run has is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from blickfang.web.charts import BarGroup as Bars
from blickfang.web.charts import Series, bars, funnel, histogram, lines
from blickfang.web.charts.shapes import Figure
from blickfang.web.report.measure_runs import (
    RunGroup,
    category_packages,
    choose_package,
    on_topic_curves,
    perplexity_curves,
    spread_of,
)
from blickfang.web.report.report_values import Annotation, Run

MOST_SIDE_BY_SIDE = 4  # groups whose bars stand beside each other; of more, tables tell
MOST_STACKS = 12  # groups whose categories are drawn, each in a figure of its own
ROWS = 12
WIDE, SMALL = (720.0, 300.0), (490.0, 300.0)  # small ones stand in pairs


class ReportFigure(NamedTuple):
    """A figure with the name of its files, its section and what to know about it."""

    name: str
    section: str
    caption: str
    figure: Figure


def percent(value: float) -> str:
    """Write a share.

    >>> percent(0.5), percent(0.123), percent(1.0)
    ('50 %', '12.3 %', '100 %')
    """
    return f"{100 * value:.3g} %"


def draw_figures(groups: Sequence[RunGroup]) -> list[ReportFigure]:
    """Return the figures that there are data for."""
    parts = (_draw_focus, _draw_categories, _draw_funnels, _draw_labels, _draw_places)
    return [drawn for part in parts for drawn in part(groups)]


def _draw_focus(groups: Sequence[RunGroup]) -> Iterator[ReportFigure]:
    several = any(len(group.runs) > 1 for group in groups)
    band = " Bands: one standard deviation over the runs of a group." if several else ""
    curves, size = perplexity_curves(groups)
    if curves:
        figure = lines(
            curves,
            title="Perplexity of crawled sentences under the test model",
            x="sentences crawled so far",
            y="perplexity of a package; low is on topic",
            log_x=True,
            log_y=True,
        )
        yield ReportFigure(
            "perplexity",
            "focus",
            f"Packages of {size:,} sentences in the order they were crawled.{band}",
            figure,
        )
    shares = on_topic_curves(groups)
    if shares:
        judges = sorted({run.judged_by for group in groups for run in group.runs} - {""})
        figure = lines(
            shares,
            title="Share of pages on the topic",
            x="pages fetched so far",
            y="share of them on the topic",
            zero=True,
            show_y=percent,
        )
        yield ReportFigure("on-topic", "focus", f"Judged by {'; '.join(judges)}.{band}", figure)


def _draw_categories(groups: Sequence[RunGroup]) -> Iterator[ReportFigure]:
    packages = [category_packages([run.pages for run in group.runs]) for group in groups]
    # Colours follow the order of the names: a name that one group has takes its place in all.
    met = {name for _, counts in packages for name, values in counts.items() if any(values)}
    many = len(groups) > 1
    for number, (group, (edges, found)) in enumerate(zip(groups, packages, strict=True), 1):
        counts = {name: values for name, values in found.items() if name in met}
        if number > MOST_STACKS or len(edges) < 2:
            continue
        figure = histogram(
            edges,
            counts,
            title=f"Categories over crawl time{': ' + group.name if many else ''}",
            x="pages fetched so far",
            y="pages, mean of the runs" if len(group.runs) > 1 else "pages",
            stacked=True,
            size=SMALL if many else WIDE,
        )
        caption = f"Packages of pages in the order they were fetched, by {group.runs[0].judged_by}."
        yield ReportFigure(f"categories-{number}", "categories", caption, figure)


def _draw_funnels(groups: Sequence[RunGroup]) -> Iterator[ReportFigure]:
    runs = [run for group in groups for run in group.runs if run.funnel]
    if len(runs) == 1:
        steps = [
            (step.name, step.left, " · ".join(f"{why} {count:,}" for why, count in step.dropped))
            for step in runs[0].funnel
        ]
        figure = funnel(steps, title="Image addresses left after each step")
    elif runs and len(groups) <= MOST_SIDE_BY_SIDE:
        names = list(dict.fromkeys(step.name for run in runs for step in run.funnel))
        table = [
            (group.name, [{s.name: float(s.left) for s in run.funnel} for run in group.runs])
            for group in groups
        ]
        shown = [_average(name, found, names) for name, found in table]
        figure = bars(
            names, shown, title="Image addresses left after each step", x="addresses left"
        )
    else:
        return
    yield ReportFigure("funnel", "images", "What each step of the build left.", figure)


def _average(name: str, found: Sequence[Mapping[str, float]], labels: Sequence[str]) -> Bars:
    """Return the bars of a group: means, with the deviation as whiskers."""
    spreads = [spread_of([each.get(label, 0.0) for each in found]) for label in labels]
    return Bars(
        name,
        [spread.mean if spread else None for spread in spreads],
        [spread.deviation if spread else None for spread in spreads],
    )


def _draw_labels(groups: Sequence[RunGroup]) -> Iterator[ReportFigure]:
    """Draw what people said: the share on topic, and topics over crawl time."""
    found = [
        (run, task)
        for group in groups
        for run in group.runs
        for task in run.annotations
        if task.over_time
    ]
    if found:
        several = len({task.task for _, task in found}) > 1
        figure = lines(
            [
                _share_labelled(f"{run.name}, {task.task}" if several else run.name, task)
                for run, task in found
            ],
            title="Share of labelled images on the topic",
            x="labelled images in the order they were fetched",
            y="share of them on the topic so far",
            zero=True,
            show_y=percent,
        )
        caption = "By the category that the majority of annotators gave."
        yield ReportFigure("on-topic-labels", "labels", caption, figure)
    for number, (run, task) in enumerate(found, 1):
        yield _draw_task(run, task, number)


def _share_labelled(name: str, task: Annotation) -> Series:
    """Return after each labelled image the share on topic so far."""
    hits = [topic in task.on_topic for topic in task.over_time]
    shares = [total / at for at, total in enumerate(accumulate(hits), 1)]
    return Series(name, [float(at) for at in range(1, len(shares) + 1)], shares)


def _draw_task(run: Run, task: Annotation, number: int) -> ReportFigure:
    size = choose_package([len(task.over_time)], 12)
    parts = range(0, len(task.over_time), size)
    counts = {
        topic: [float(task.over_time[at : at + size].count(topic)) for at in parts]
        for topic in task.topics
    }
    figure = histogram(
        [*map(float, parts), float(len(task.over_time))],
        counts,
        title=f"Labelled images over crawl time: {run.name}",
        x="labelled images in the order they were fetched",
        y="images",
        stacked=True,
        size=WIDE,
    )
    caption = f"Task {task.task}: the category that the majority gave."
    return ReportFigure(f"labels-{number}", "labels", caption, figure)


def _draw_places(groups: Sequence[RunGroup]) -> Iterator[ReportFigure]:
    if len(groups) > MOST_SIDE_BY_SIDE:
        return
    parts: tuple[tuple[str, str, Callable[[Run], Mapping[str, int]]], ...] = (
        ("hosts", "Hosts with the most pages", lambda run: run.hosts),
        ("tlds", "Top-level domains", lambda run: count_tlds(run.hosts)),
        ("languages", "Languages of pages", lambda run: run.languages),
    )
    for name, title, read in parts:
        total: Counter[str] = Counter()
        for group in groups:
            for run in group.runs:
                total.update(read(run))
        labels = [label for label, _ in total.most_common(ROWS)]
        if labels:
            shown = [
                _average(group.name, [read(run) for run in group.runs], labels) for group in groups
            ]
            figure = bars(labels, shown, title=title, x="pages", width=SMALL[0])
            rest = len(total) - len(labels)
            caption = f"{rest:,} more are in report.json." if rest > 0 else ""
            yield ReportFigure(name, "places", caption, figure)


def count_tlds(hosts: Mapping[str, int]) -> dict[str, int]:
    """Return pages by top-level domain; addresses in numbers have none.

    >>> count_tlds({"a.example.org": 2, "b.org": 1, "127.0.0.1": 3})
    {'org': 3, '(none)': 3}
    """
    found: Counter[str] = Counter()
    for host, count in hosts.items():
        last = host.partition(":")[0].rpartition(".")[2]
        found["(none)" if not last or last.isdigit() or "[" in host else last] += count
    return dict(found)
