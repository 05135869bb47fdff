"""A walk over the application: routes, samples and pages by HTTP, controls in Chromium.

In: a collection with archive, corpus and index, best one of real pages. Out: checks; what is wrong
is written to standard output, too. The routes are those of the application itself, so that a new
one cannot be forgotten. A copy of the collection is walked over: clicking changes it. All samples
are asked for, with their snapshots; of the pages, in the order of their addresses, each third as
lists (the 1st, 4th, ...) and each third with records marked (the 2nd, 5th, ...): all take too long.

    python -m tests.walk [COLLECTION]    # without one, the testbed is crawled first
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

import httpx
from selectolax.lexbor import LexborHTMLParser
from starlette.routing import Match, Mount, Route

from blickfang.config import Collection, open_collection
from blickfang.corpus import open_corpus
from blickfang.web import annotate, make_app
from blickfang.web.annotate import make_task, open_store
from blickfang.web.annotate.record_labels import Submission
from blickfang.web.annotate.start_task import start_task
from blickfang.web.annotate.task_presets import preset_values
from blickfang.web.archived_page import list_pages
from tests.checks import Check

TOKEN = "a-token-of-the-walk"  # noqa: S105 -- of a server that lives as long as the walk
CHROMIUM = Path("/usr/bin/chromium")
FLOORS = Path(__file__).parent / "floors.json"
PLACES = ("a[href]", "img[src]", "iframe[src]", "link[href]", "script[src]")
EVERY = 3  # page in order is asked for as lists, and the one behind it with records marked
EXPANDED = 5  # pages of a kind whose links are followed
SHOWN = 10  # troubles of a sort
ANSWERED_ONLY = {"POST /crawl/control": "answers 400: no crawl is running"}


class Trail:
    """What was asked for, what came of it, and what is wrong."""

    def __init__(self, collection: Collection) -> None:
        self.routes: dict[str, Route | Mount] = {}
        for route in make_app(collection).routes:
            if isinstance(route, Route):
                names = sorted((route.methods or set()) - {"HEAD"})
                self.routes |= {f"{method} {route.path}": route for method in names}
            elif isinstance(route, Mount):
                self.routes[f"GET {route.path}"] = route
        self.best: dict[str, int] = {}  # of each route: the lowest status
        self.troubles: dict[str, list[str]] = {"5xx": [], "dead": [], "script": []}
        self.seen: set[str] = set()
        self.lock = threading.Lock()

    def route_of(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        """Return the route that answers, "" if there is none, and values of its parameters: each
        under the address up to it."""
        scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}
        for name, route in self.routes.items():
            match, child = route.matches(scope)
            if match == Match.FULL and name.startswith(f"{method} "):
                values = child.get("path_params", {})
                return name, {route.path.partition("{" + k)[0]: str(v) for k, v in values.items()}
        return "", {}

    def note(self, method: str, url: str, status: int, *, is_link: bool = False) -> None:
        """Keep what an address answered."""
        parts = urlsplit(url)
        with self.lock:
            name = self.route_of(method, parts.path)[0]
            self.best[name] = min(self.best.get(name, 999), status)
            where = parts.path + (f"?{parts.query}" if parts.query else "")
            self.seen.add(where)
            if status >= 500:
                self.troubles["5xx"].append(f"{method} {where[:200]}: {status}")
            elif is_link and status >= 400:
                self.troubles["dead"].append(f"{where[:200]}: {status}")

    def complain(self, sort: str, sentence: str) -> None:
        """Keep what is wrong."""
        with self.lock:
            self.troubles[sort].append(sentence[:300])

    def unwalked(self) -> list[str]:
        """Return the routes that nobody has reached."""
        return [
            name
            for name in self.routes
            if self.best.get(name, 999) >= (500 if name in ANSWERED_ONLY else 400)
        ]


@contextmanager
def serving(root: Path, **more: str) -> Iterator[str]:
    """Run `blickfang serve` over a collection, its rules kept in a folder of their own."""
    shelf = root.with_name("rules")
    env = {**os.environ, "BLICKFANG_HOME": str(shelf), **more}
    command = [sys.executable, "-m", "blickfang", "serve", str(root), "--port", "0"]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        told = ""
        assert process.stderr is not None
        for line in process.stderr:
            told += line
            if found := re.search(r"open (http://[\d.:]+)/", line):
                break
        else:
            raise RuntimeError(f"the server did not start: {told}")
        rest = threading.Thread(target=process.stderr.read, daemon=True)
        rest.start()
        yield found[1]
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


class Walker:
    """Asks for addresses of the application and follows what its pages name."""

    def __init__(self, trail: Trail, client: httpx.Client) -> None:
        self.trail, self.client = trail, client
        self.expanded: Counter[tuple[str, bool]] = Counter()
        self.asked: set[str] = set()
        self.known: dict[str, str] = {}  # address up to a parameter → a value of it

    def ask(self, address: str, *, is_link: bool = True) -> httpx.Response:
        """Ask for an address; of a stream only its beginning."""
        with self.client.stream("GET", address) as answer:
            if "event-stream" in answer.headers.get("content-type", ""):
                next(answer.iter_bytes())
            else:
                answer.read()
        for step in (*answer.history, answer):
            self.trail.note("GET", str(step.url), step.status_code, is_link=is_link)
        return answer

    def follow(self, start: str) -> None:
        """Ask for a page and for all that it names, and so on; of each kind some are enough."""
        waiting = [start]
        while waiting:
            address = waiting.pop(0)
            if address in self.asked:
                continue
            self.asked.add(address)
            answer = self.ask(address)
            if "text/html" not in answer.headers.get("content-type", "") or answer.is_error:
                continue
            parts = urlsplit(str(answer.url))
            route, values = self.trail.route_of("GET", parts.path)
            self.known = values | self.known
            kind = route, bool(parts.query)  # labels can be chosen in too many ways for all
            self.expanded[kind] += 1
            if self.expanded[kind] <= EXPANDED:
                waiting += self.links_of(answer)

    def links_of(self, answer: httpx.Response) -> Iterable[str]:
        """Return the addresses within the application that a page names."""
        base = str(answer.url)
        parser = LexborHTMLParser(answer.text)
        for node in (node for place in PLACES for node in parser.css(place)):
            named = node.attributes.get("href") or node.attributes.get("src") or ""
            target = urljoin(base, named).partition("#")[0]
            if urlsplit(target).netloc == urlsplit(base).netloc:
                yield target

    def try_the_rest(self) -> None:
        """Ask for routes that no page names, with the parameters of their neighbours; send empty
        forms to all that take some, and the token."""
        found = re.search(r'name="csrf" content="(\w+)"', self.client.get("/records").text)
        fields = {"csrf": found[1] if found else "", "token": TOKEN}
        for name in list(self.trail.routes):
            method, _, pattern = name.partition(" ")
            path = pattern
            while found := re.search(r"\{(\w+)[^}]*\}", path):
                before = path[: found.start()]
                path = before + self.known.get(before, "x") + path[found.end() :]
            if method == "GET" and name not in self.trail.best:
                self.ask(path, is_link=False)
            elif method == "POST":
                answer = self.client.post(path, data=fields)
                first = (*answer.history, answer)[0]
                self.trail.note("POST", str(first.url), first.status_code)


def walk_by_http(collection: Collection, trail: Trail) -> Counter[str]:
    """Walk without a browser; return how many addresses of each sort were asked for."""
    samples = open_corpus(collection.root / "corpus").table(["id"]).column("id").to_pylist()
    pages = sorted(list_pages(collection, 1_000_000))
    listed, marked = pages[::EVERY], pages[1::EVERY]
    addresses = {
        "samples": [f"/corpus/sample/{name}" for name in samples],
        "snapshots": [f"/corpus/sample/{name}/snapshot" for name in samples],
        "pages of records": [f"/records?{urlencode({'url': url})}" for url in listed],
        "pages with records marked": [f"/records/page?{urlencode({'url': url})}" for url in marked],
    }
    with (
        serving(collection.root, BLICKFANG_TOKEN=TOKEN) as base,
        httpx.Client(base_url=base, follow_redirects=True, timeout=120) as client,
    ):
        walker = Walker(trail, client)
        client.get("/", params={"token": TOKEN})  # from now on a cookie lets us in
        walker.follow(f"{base}/")
        for address in (one for many in addresses.values() for one in many):
            walker.ask(address)
        walker.try_the_rest()
    return Counter({sort: len(many) for sort, many in addresses.items()})


def add_task(root: Path) -> None:
    """Let people be asked about samples; two of three disagree on the first."""
    task = make_task({**preset_values("topic"), "name": "walked", "annotators": 2})
    start_task(root, task)
    with open_store(root) as store:
        annotate.invite(store, task.name, "Zoe")  # her link is the first
        for name, topic in (("Ann", 0), ("Bob", 2)):
            who = annotate.invite(store, task.name, name)
            unit = annotate.assign(store, who, 1).units[0]
            said = {
                question.name: question.categories[topic * (question.name == "topic")].name
                for question in task.questions
            }
            annotate.keep(store, who, [Submission(f"walk-{name}", unit.id, said)])


def walk(collection: Collection, floors: dict[str, float]) -> Iterator[Check]:
    """Walk over a copy of a collection, by HTTP and in Chromium at the same time."""
    yield Check("walk: Chromium is at hand", CHROMIUM.exists(), 1, at_least=True)
    with tempfile.TemporaryDirectory() as name:
        root, other = Path(name) / "a" / "walked", Path(name) / "b" / "walked"
        shutil.copytree(collection.root, root)
        command = [sys.executable, "-m", "blickfang", "report", str(root), "-o", f"{root}/report"]
        subprocess.run(command, check=True, capture_output=True)
        add_task(root)
        shutil.copytree(root, other)
        copied = open_collection(other)
        trail = Trail(copied)
        counts: Counter[str] = Counter()
        by_http = threading.Thread(target=lambda: counts.update(walk_by_http(copied, trail)))
        by_http.start()
        clicks = 0
        if CHROMIUM.exists():
            from tests.clicks import click_through

            with serving(root) as base:
                clicks = click_through(base, trail, list_pages(copied)[0])
        by_http.join()
    for sort, sentences in (*trail.troubles.items(), ("not walked", trail.unwalked())):
        for sentence in sentences[:SHOWN]:
            sys.stdout.write(f"walk: {sort}: {sentence}\n")
    yield Check("walk: addresses asked for", len(trail.seen), floors["walk: addresses"], True)
    yield Check("walk: samples and pages of them", sum(counts.values()), floors["walk: all"], True)
    yield Check("walk: clicks in Chromium", clicks, floors["walk: clicks"], True)
    yield Check("walk: answers of 500 and more", len(trail.troubles["5xx"]), 0)
    yield Check("walk: dead links", len(trail.troubles["dead"]), 0)
    yield Check("walk: script errors", len(trail.troubles["script"]), 0)
    yield Check("walk: routes that nobody reached", len(trail.unwalked()), 0)


def main() -> int:
    """Walk over a collection, or over one of the testbed; return how many checks failed."""
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))["testbed"]["limits"]
    with tempfile.TemporaryDirectory() as name:
        if len(sys.argv) > 1:
            collection = open_collection(Path(sys.argv[1]))
        else:
            from tests.testbed import make_collection

            collection = make_collection(Path(name) / "testbed")
        failed = 0
        for check in walk(collection, floors):
            failed += not check.passed
            sys.stdout.write(f"{check.tell('testbed')}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
