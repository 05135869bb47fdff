"""Fifty annotators at once, for a minute, against a real server: no answer lost, none kept twice.

Each annotator is a client of its own that does what the page does: fetches items ahead with their
images, answers one a second (people need longer), and now and then sends an answer again as if the
connection had been lost. Times are of the clock, from sending an answer until the server says that
it is safe on disk.
"""

import asyncio
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from tests.corpus.samples import write_samples

from benchmarks.timing import Row
from blickfang.config import make_collection
from blickfang.corpus import open_corpus
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store, plan_task, select_items
from blickfang.web.annotate.task import Task

PEOPLE, SECONDS, EVERY_S = 50, 60.0, 1.0
ITEMS, EACH = 240, 20  # more answers than can be given
AGAIN = 0.05  # share of answers that are sent twice
GOAL_MS = 100.0


class Told(NamedTuple):
    """What a client was told."""

    kept: dict[str, dict[str, str]]  # by the client's name of the answer
    answers_ms: list[float]
    items_ms: list[float]
    images_ms: list[float]


def run(folder: Path) -> list[Row]:
    """Let people answer, then count what the store holds."""
    root = folder / "annotating"
    make_collection(root)
    write_samples(root / "corpus", ITEMS)
    changes = {"name": "load", "annotators": EACH, "select": {"count": ITEMS}, "gold_share": 0.0}
    task = plan_task("topic", None, changes)
    with open_store(root) as store:
        annotate.add_task(store, task, select_items(open_corpus(root), task.select))
        links = ["/a/" + annotate.invite(store, "load", f"person {n}").token for n in range(PEOPLE)]
    with subprocess.Popen(
        [sys.executable, "-m", "blickfang", "serve", str(root), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            told = asyncio.run(_go(_find_address(server), links, task))
        finally:
            server.terminate()
    with open_store(root) as store:
        return _judge(store, told)


def _find_address(server: Any) -> str:
    for line in server.stderr:
        found = re.search(r"http://[\d.:]+", line)
        if found:
            return found[0]
    raise RuntimeError("the server did not start")


async def _go(base: str, links: list[str], task: Task) -> list[Told]:
    end = time.monotonic() + SECONDS
    people = [_annotate(base, link, task, number, end) for number, link in enumerate(links)]
    return await asyncio.gather(*people)


async def _annotate(base: str, link: str, task: Task, number: int, end: float) -> Told:
    """Do what the page of an annotator does."""
    chance = random.Random(number)  # noqa: S311
    told = Told({}, [], [], [])
    await asyncio.sleep(chance.random() * EVERY_S)  # people do not begin at the same moment
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(base + "/", cookie_jar=jar) as session:
        async with session.get(link) as page:
            found = re.search(r'name="csrf" content="(\w+)"', await page.text())
        assert found
        head = {"x-csrf-token": found[1]}
        units: list[dict[str, Any]] = []
        while time.monotonic() < end:
            if len(units) < 3:
                here = {unit["id"] for unit in units}
                batch = await _post(session, f"{link}/next", {"count": 6}, head, told.items_ms)
                fresh = [unit for unit in batch["units"] if unit["id"] not in here]
                for unit in fresh:
                    await _fetch(session, unit["image"], told.images_ms)
                units += fresh
            if not units:
                break
            unit = units.pop(0)
            answers = {q.name: chance.choice(q.categories).name for q in task.questions}
            name = f"p{number}-{unit['id']}"
            sent = [{"client": name, "unit": unit["id"], "answers": answers, "seconds": 1.0}]
            for _ in range(2 if chance.random() < AGAIN else 1):
                (outcome,) = await _post(session, f"{link}/answers", sent, head, told.answers_ms)
                assert outcome["what"] in ("kept", "again"), outcome
            told.kept[name] = answers
            await asyncio.sleep(EVERY_S * chance.uniform(0.8, 1.2))
    return told


async def _post(
    session: aiohttp.ClientSession, path: str, value: Any, head: dict[str, str], times: list[float]
) -> Any:
    began = time.perf_counter()
    async with session.post(path, json=value, headers=head) as answer:
        assert answer.status == 200, await answer.text()
        found = await answer.json()
    times.append(1000 * (time.perf_counter() - began))
    return found


async def _fetch(session: aiohttp.ClientSession, path: str, times: list[float]) -> None:
    began = time.perf_counter()
    async with session.get(path) as answer:
        assert answer.status == 200
        await answer.read()
    times.append(1000 * (time.perf_counter() - began))


def _judge(store: LabelStore, told: list[Told]) -> list[Row]:
    """Compare what clients were told with what the store holds."""
    with store.reading() as db:
        rows = db.execute("SELECT client, unit, annotator, answers FROM label").fetchall()
        surplus = db.execute("SELECT count(*) FROM unit WHERE done > need").fetchone()[0]
    kept = Counter(row["client"] for row in rows)
    expected = {name: answers for one in told for name, answers in one.kept.items()}
    pairs = Counter((row["unit"], row["annotator"]) for row in rows)
    exact = set(kept) == set(expected) and max(kept.values()) == max(pairs.values()) == 1
    said = {row["client"]: row["answers"] for row in rows}
    same = all(f'"{value}"' in said[n] for n, a in expected.items() for value in a.values())
    answers, items, images = (
        [each for one in told for each in getattr(one, name)]
        for name in ("answers_ms", "items_ms", "images_ms")
    )
    what = f"annotate, {PEOPLE} people for {SECONDS:.0f} s"
    return [
        Row(
            f"{what}: {len(expected):,} answers of {len(answers):,} sent, each kept once",
            "yes" if exact and same and not surplus else "NO",
            "",
            "",
            "yes",
            exact and same and not surplus,
        ),
        _time(f"{what}: an answer safe on disk", answers, GOAL_MS),
        _time(f"{what}: the next items", items, None),
        _time(f"{what}: an image", images, None),
    ]


def _time(what: str, times: list[float], goal: float | None) -> Row:
    late = statistics.quantiles(times, n=20)[18]
    shown = f"p95 {late:.0f} ms, median {statistics.median(times):.0f}, most {max(times):.0f}"
    limit = "" if goal is None else f"p95 ≤ {goal:.0f} ms"
    return Row(what, shown, "", "", limit, None if goal is None else late <= goal)
