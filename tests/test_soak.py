"""The soak judges what it should: a leak is found, a flat hour passes; its web is a function."""

import io
from collections.abc import Callable

import pytest
from benchmarks.soakfigures import Checked, judge, plot
from benchmarks.soaksamples import Sample
from benchmarks.soakweb import FORMATS, PAGES, SUBJECTS, Web, draw, mark
from PIL import Image

WELL = Checked(0, "max_minutes", 1000, 0, 0, 2000, 0)
SAID = {name: [f"The {name} number {n} lies in the {name} row." for n in range(300)]
        for name in SUBJECTS}  # fmt: skip
Change = Callable[[int], dict[str, float]]


def an_hour(change: Change = lambda _: {}) -> list[Sample]:
    samples = []
    for number in range(361):
        values: dict[str, float] = dict.fromkeys(Sample._fields, 100)
        at = number * 10.0
        values |= {"at": at, "rss": 900, "uss": 500, "cpu": at / 2, "pages": number * 400}
        values |= {"answers": number * 500} | change(number)
        samples.append(Sample(**values))  # type: ignore[arg-type]
    return samples


def broken(samples: list[Sample], checked: Checked = WELL) -> list[str]:
    return [verdict.what for verdict in judge(samples, checked) if verdict.met is False]


def test_a_flat_hour_passes_and_can_be_drawn() -> None:
    assert broken(an_hour()) == []
    assert plot(an_hour()).count("<svg") == 4


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda n: {"rss": 900 + n * 0.2}, "RSS"),
        (lambda n: {"uss": 500 + n * 0.2}, "USS"),
        (lambda n: {"fds": 100 + n}, "fds"),
        (lambda n: {"tasks": 50 + n}, "tasks"),
        (lambda n: {"pages": 400 * n - 0.15 * n * n}, "pages a second of the clock"),
        (lambda n: {"cpu": n * 5 + 0.01 * n * n}, "answers a second of processor time"),
    ],
)
def test_what_leaks_or_slows_down_is_found(change: Change, found: str) -> None:
    assert any(what.startswith(found) for what in broken(an_hour(change)))


def test_an_end_that_is_not_clean_is_found() -> None:
    assert broken(an_hour(), WELL._replace(exit_code=1)) == ["the end"]
    assert broken(an_hour(), WELL._replace(twice=1)) == ["addresses archived twice"]
    assert len(broken(an_hour(), WELL._replace(unreadable=2, early=3))) == 2


def test_the_web_is_a_function_of_addresses() -> None:
    one, other = Web(SAID, 2400, 40.0), Web(SAID, 2400, 40.0)
    addresses = [one.name_page(host, 7 * host % PAGES) for host in range(200)]
    assert len(set(addresses)) == 200
    for address in addresses:
        assert one.answer(address.encode()) == other.answer(address.encode())
    statuses = {one.answer(address.encode()).status[:3] for address in addresses}
    assert {"200", "301"} <= statuses


@pytest.mark.parametrize("kind", FORMATS)
def test_marked_pictures_are_whole_and_differ(kind: str) -> None:
    pictures = [mark(kind, draw(kind, 3), bytes([n] * 16)) for n in range(2)]
    assert pictures[0] != pictures[1]
    for picture in pictures:
        with Image.open(io.BytesIO(picture)) as image:
            image.load()
            assert min(image.size) >= 512
