"""From the samples of a soak to figures, verdicts and a plot.

In: samples and what the archive holds. Out: `Verdict`s, each with its bound, and an SVG. Warming up
is the first tenth of the time; the second tenth is what the last is held against.
"""

from collections.abc import Callable, Sequence
from statistics import linear_regression, mean
from typing import NamedTuple

from benchmarks.soaksamples import Sample
from blickfang.web.charts import Series, lines, svg
from blickfang.web.charts.shapes import Figure

TENTH = 0.1
SLOPE = 0.05  # of the memory, an hour: what the whole crawl may still grow by in the second half
KEPT = 0.90  # of throughput
MORE = 1.10  # descriptors (at the same speed), threads, tasks: last quarter against second
SPARE = 16
LONG_MIN = 20.0  # shorter soaks warm up all the time: their memory is not judged
SMOOTH = 6  # samples: pages a second over a minute


class Verdict(NamedTuple):
    """One thing that a soak must show."""

    what: str
    measured: str
    bound: str
    met: bool | None  # None: too short to judge


class Checked(NamedTuple):
    """How a crawl ended, and what its archive holds."""

    exit_code: int
    stopped_because: str
    records: int
    unreadable: int
    twice: int  # addresses
    requests: int  # that the server saw
    early: int  # before the pause of their host was over


def part(samples: Sequence[Sample], begin: float, end: float) -> list[Sample]:
    """Return the samples between two shares of the time."""
    whole = samples[-1].at
    return [one for one in samples if begin * whole <= one.at <= end * whole]


def rate(samples: Sequence[Sample], of: str = "pages") -> float:
    """Return pages a second of the clock."""
    first, last = samples[0], samples[-1]
    return float((getattr(last, of) - getattr(first, of)) / (last.at - first.at))


def yield_of(samples: Sequence[Sample], of: str = "pages") -> float:
    """Return pages a second of processor time."""
    first, last = samples[0], samples[-1]
    return float((getattr(last, of) - getattr(first, of)) / (last.cpu - first.cpu))


def slope(samples: Sequence[Sample], of: str) -> float:
    """Return by how much something grows in an hour."""
    found = linear_regression([one.at for one in samples], [getattr(one, of) for one in samples])
    return float(found.slope * 3600)


def judge(samples: Sequence[Sample], checked: Checked) -> list[Verdict]:
    """Return all verdicts on a soak."""
    is_long = samples[-1].at >= LONG_MIN * 60
    second_half = part(samples, 0.5, 1.0)
    verdicts = []
    for name in ("rss", "uss"):
        grown, level = slope(second_half, name), mean(getattr(one, name) for one in second_half)
        verdicts.append(
            Verdict(
                f"{name.upper()} of all processes, second half",
                f"{grown:+.1f} MB/hour at {level:.0f} MB",
                f"≤ {SLOPE * level:.0f} MB/hour",
                grown <= SLOPE * level if is_long else None,
            )
        )
    verdicts += [_judge_descriptors(samples)]
    verdicts += [_judge_count(samples, name) for name in ("threads", "tasks")]
    verdicts += [
        _judge_rate(samples, how, name)
        for how in ("the clock", "processor time")
        for name in ("pages", "answers")
    ]
    return [*verdicts, *_judge_end(checked)]


def _judge_descriptors(samples: Sequence[Sample]) -> Verdict:
    """Judge descriptors by throughput: a connection is kept for 15 s, most of them are such."""
    early, late = (
        mean(one.fds for one in quarter) / rate(quarter, "answers")
        for quarter in (part(samples, 0.25, 0.5), part(samples, 0.75, 1.0))
    )
    return Verdict(
        "fds for each answer a second, last quarter against second",
        f"{late:.1f} against {early:.1f}; {max(one.fds for one in samples):,} at most",
        f"≤ {MORE * early:.1f}",
        late <= MORE * early,
    )


def _judge_count(samples: Sequence[Sample], name: str) -> Verdict:
    early, late = (
        mean(getattr(one, name) for one in part(samples, *edges))
        for edges in ((0.25, 0.5), (0.75, 1.0))
    )
    bound = MORE * early + SPARE
    return Verdict(
        f"{name}, last quarter against second",
        f"{late:.0f} against {early:.0f}",
        f"≤ {bound:.0f}",
        late <= bound,
    )


def _judge_rate(samples: Sequence[Sample], how: str, name: str) -> Verdict:
    measure: Callable[[Sequence[Sample], str], float]
    measure = rate if how == "the clock" else yield_of
    early = measure(part(samples, TENTH, 2 * TENTH), name)
    late = measure(part(samples, 1 - TENTH, 1.0), name)
    return Verdict(
        f"{name} a second of {how}, last tenth against second",
        f"{late:.1f} against {early:.1f}: {late / early if early else 0:.0%}",
        f"≥ {KEPT:.0%}",
        late >= KEPT * early > 0,
    )


def _judge_end(checked: Checked) -> list[Verdict]:
    clean = checked.exit_code == 0 and checked.stopped_because == "max_minutes"
    return [
        Verdict("the end", f"code {checked.exit_code}, {checked.stopped_because}", "code 0", clean),
        Verdict(
            "records of the archive that cannot be read",
            f"{checked.unreadable:,} of {checked.records:,}",
            "0",
            checked.unreadable == 0 and checked.records > 0,
        ),
        Verdict("addresses archived twice", f"{checked.twice:,}", "0", checked.twice == 0),
        Verdict(
            "requests before the pause of their host was over",
            f"{checked.early:,} of {checked.requests:,}",
            "0",
            checked.early == 0,
        ),
    ]


def summarise(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the figures of a soak."""
    steady, last = part(samples, TENTH, 1.0), samples[-1]
    whole = steady[-1].at - steady[0].at
    return {
        "minutes": last.at / 60,
        "pages": last.pages,
        "images": last.images,
        "answers": last.answers,
        "pages_per_s": rate(steady),
        "pages_per_cpu_s": yield_of(steady),
        "answers_per_cpu_s": yield_of(steady, "answers"),
        "cores_of_crawl": (steady[-1].cpu - steady[0].cpu) / whole,
        "cores_waited_for": (steady[-1].waited - steady[0].waited) / whole,
        "cores_of_server": (steady[-1].server_cpu - steady[0].server_cpu) / whole,
        "rss_mb_at_end": last.rss,
        "rss_mb_of_largest": max(one.largest for one in samples),
        "wal_mb_most": max(one.wal for one in samples),
        "disk_mb": last.disk,
        "written_mb": last.written,
        "objects_at_half": part(samples, 0.45, 0.55)[0].objects,
        "objects_at_end": last.objects,
    }


def plot(samples: Sequence[Sample]) -> str:
    """Return memory, descriptors and throughput over time, one below the other, as SVG."""
    minutes = [one.at / 60 for one in samples]

    def series(name: str, label: str) -> Series:
        return Series(label, minutes, [getattr(one, name) for one in samples])

    pairs = list(zip(samples, samples[SMOOTH:], strict=False))
    speed = [
        Series(label, minutes[SMOOTH:], [measure(pair, "pages") for pair in pairs])
        for label, measure in (("of the clock", rate), ("of processor time", yield_of))
    ]
    size = (720.0, 300.0)
    figures = [
        lines(
            [series("rss", "RSS"), series("uss", "USS"), series("largest", "largest process")],
            title="Memory of all processes",
            x="minutes",
            y="MB",
            zero=True,
            size=size,
        ),
        lines(
            [series("fds", "descriptors"), series("tasks", "tasks"), series("threads", "threads")],
            title="Open at a time",
            x="minutes",
            zero=True,
            size=size,
        ),
        lines(speed, title="Pages a second", x="minutes", zero=True, size=size),
    ]
    return stack(figures)


def stack(figures: Sequence[Figure]) -> str:
    """Return figures one below the other, as one SVG."""
    width, height = figures[0].width, figures[0].height
    parts = [
        svg(figure, alone=True).replace("<svg ", f'<svg y="{number * height:g}" ', 1)
        for number, figure in enumerate(figures)
    ]
    total = f"{height * len(figures):g}"
    head = '<svg xmlns="http://www.w3.org/2000/svg" '
    head += f'viewBox="0 0 {width:g} {total}" width="{width:g}" height="{total}">'
    return f"{head}\n{''.join(parts)}</svg>\n"
