"""Experiments with annotating: what was acknowledged is kept, once, whatever happens to the server.

People answer over HTTP as the page's script does: what was not acknowledged is sent again, under
the name it had. The server is the real `blickfang serve`.
"""

import http.client
import json
import re
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from blickfang.config import make_collection
from blickfang.errors import BlickfangError
from blickfang.web import annotate
from blickfang.web.annotate import open_store
from tests.annotate.desks import items, pets
from tests.chaos.crawling import DATABASE, PAGE, damage, holding
from tests.chaos.judging import judge
from tests.chaos.lab import BY_WARDEN, COUNTED, MEMORY, Baseline, Lab, Trial, wait_until
from tests.chaos.nursery import Job, Running, starting
from tests.chaos.schedule import draw, draw_jumps
from tests.chaos.warden import Fault, Warden

ITEMS, PEOPLE = 14, ("ann", "bob")
TOPICS = ("cat", "pet", "other")
LINE = re.compile(r"open (http://\S+) in a browser")
TOKEN = re.compile(rb'name="csrf" content="([^"]+)"')
LASTS = ("full", "read-only", "tiny-disk")  # until somebody makes room
STARTS = 8
PATIENCE_S = 40.0


def choose(name: str, sample: str) -> dict[str, str]:
    """Return what somebody says of a sample: always the same."""
    return {"topic": TOPICS[(int(sample, 16) + len(name) + ord(name[0])) % 3], "text": "describes"}


def expect() -> dict[str, dict[str, str]]:
    """Return what all have said in the end."""
    samples = [item.sample for item in items(ITEMS)]
    return {f"{name} {sample}": choose(name, sample) for name in PEOPLE for sample in samples}


class Person:
    """Somebody who answers in a page."""

    def __init__(self, name: str, token: str) -> None:
        self.name, self.link = name, f"/a/{token}"
        self.outbox: list[dict[str, Any]] = []
        self.acknowledged: dict[str, dict[str, str]] = {}
        self.refused = 0  # of what a database knew that is lost
        self.cookie = self.csrf = ""
        self.is_done = False

    def work(self, address: str) -> str:
        """Send what waits, or ask for more; return what went wrong."""
        try:
            return self._work(address)
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            return f"no answer: {type(error).__name__}"

    def _work(self, address: str) -> str:
        status, body = self._ask(address, "GET", "")
        found = TOKEN.search(body)
        if status != 200 or not found:
            return f"status {status}"
        self.csrf = found[1].decode()
        if not self.outbox:
            status, body = self._ask(address, "POST", "/next", {"count": 3})
            if status != 200:
                return f"status {status}"
            units = json.loads(body)["units"]
            self.is_done = not units
            for unit in units:
                sample = unit["image"].rpartition("/")[2]
                answer = choose(self.name, sample)
                client = f"{self.name}-{unit['id']}"
                self.outbox.append({"client": client, "unit": unit["id"], "answers": answer})
        if self.outbox:
            status, body = self._ask(address, "POST", "/answers", self.outbox)
            if status != 200:
                return f"status {status}"
            self.refused += sum(outcome["what"] == "refused" for outcome in json.loads(body))
            self.acknowledged.update((one["client"], one["answers"]) for one in self.outbox)
            self.outbox = []
        return ""

    def _ask(self, address: str, method: str, path: str, value: Any = None) -> tuple[int, bytes]:
        with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)) as line:
            headers = {"cookie": self.cookie, "x-csrf-token": self.csrf}
            body = None if value is None else json.dumps(value)
            line.request(method, self.link + path, body, headers)
            answer = line.getresponse()
            made = answer.getheader("set-cookie")
            if made:
                self.cookie = made.partition(";")[0]
            return answer.status, answer.read()


class Office:
    """The server, started again whenever it has ended, and the people who answer."""

    def __init__(self, lab: Lab, trial: Trial, tokens: dict[str, str]) -> None:
        self.lab, self.trial = lab, trial
        self.people = [Person(name, token) for name, token in tokens.items()]
        self.starts = 0
        self.troubles: list[str] = []

    def serve(self, fault: Fault | None, until: int = 0, **world: Any) -> Warden | None:
        """Serve until all is answered, `until` answers are there, or the server has ended."""
        self.starts += 1
        out = f"{self.trial.out}-{self.starts}"
        root = self.trial.root
        arguments = ("serve", str(root), "--port", "0")
        with starting(self.lab.nursery, Job(arguments, out, **world), root, fault) as (run, warden):
            address = read_address(run, out)
            if address:
                self._answer(run, address, warden, until)
            run.signal(signal.SIGINT)
            ended = run.wait(15)
        kind = fault.kind if fault and fault.kind else self.trial.schedule.kind
        if any(person.refused for person in self.people) and kind not in DATABASE:
            self.trial.findings.append("refused an answer that it had asked for")
        self.trial.codes.append(ended.code)
        self.trial.said.append(ended.said)
        self.trial.findings += judge(ended, kind)
        if warden is not None:
            self.trial.struck = self.trial.struck or warden.struck
        return warden

    def _answer(self, run: Running, address: str, warden: Warden | None, until: int) -> None:
        end = time.monotonic() + PATIENCE_S
        failed = 0
        while not run.is_over() and not self.is_done() and time.monotonic() < end:
            for person in self.people:
                trouble = person.work(address)
                failed += bool(trouble)
                if trouble:
                    self.troubles.append(trouble)
            if until and self.count() >= until:
                return
            if warden is not None and failed >= 4 and warden.fault.kind in LASTS:
                warden.fault = Fault()  # somebody has made room
            if failed >= 4 and self.trial.schedule.kind == "tiny-disk":
                self.lab.make_room()
            if failed >= 8:
                return

    def is_done(self) -> bool:
        """Whether nobody has anything to answer any more."""
        return all(person.is_done and not person.outbox for person in self.people)

    def count(self) -> int:
        """Return how many answers were acknowledged."""
        return sum(len(person.acknowledged) for person in self.people)

    def finish(self) -> None:
        """Serve without faults until all is answered."""
        while not self.is_done():
            if self.starts >= STARTS:
                self.trial.findings.append(f"does not go on: {self.troubles[-1:]}")
                return
            self.serve(None)

    def compare(self) -> None:
        """Compare what is kept with what was said."""
        wanted = expect()
        try:
            found = read_labels(self.trial.root)
        except (BlickfangError, AssertionError) as error:
            self.trial.findings.append(f"left what cannot be read: {error}")
            return
        if found != wanted:
            missing = [key for key in wanted if found.get(key) != wanted[key]][:3]
            self.trial.findings.append(f"another result: {missing} of {len(wanted)}")
        if any(trouble == "status 500" for trouble in self.troubles):
            self.trial.findings.append("answers that something is broken (500)")


def read_address(run: Running, out: str) -> str:
    """Return where a server listens, "" if it ended before it did."""
    said = Path(f"{out}.err")

    def listens() -> bool:
        return run.is_over() or bool(said.exists() and LINE.search(said.read_text("utf-8")))

    wait_until(listens, 20)
    found = LINE.search(said.read_text("utf-8")) if said.exists() else None
    return found[1] if found and not run.is_over() else ""


def read_labels(root: Path) -> dict[str, dict[str, str]]:
    """Return what is kept; what is kept twice is an error."""
    found: dict[str, dict[str, str]] = {}
    with open_store(root) as store:
        for label in annotate.list_labels(store, "pets"):
            entry = found.setdefault(f"{label.annotator} {label.sample}", {})
            assert label.question not in entry, f"kept twice: {label}"
            entry[label.question] = label.category
    return found


def prepare(root: Path) -> dict[str, str]:
    """Make a task for some people; return their tokens."""
    root.parent.mkdir(parents=True, exist_ok=True)
    make_collection(root)
    with open_store(root) as store:
        annotate.add_task(store, pets(annotators=len(PEOPLE)), items(ITEMS))
        return {name: annotate.invite(store, "pets", name).token for name in PEOPLE}


def measure(lab: Lab) -> Baseline:
    """Return what serving does undisturbed."""
    if "annotate" not in lab.baselines:
        trial = Trial(draw(0), lab.folder / "undisturbed-annotate" / "birds", lab.folder / "said")
        office = Office(lab, trial, prepare(trial.root))
        before = size_of(trial.root)
        warden = office.serve(Fault())
        office.compare()
        assert not trial.findings, trial.findings
        counts = dict(warden.counts) if warden else {}
        lab.baselines["annotate"] = Baseline(expect(), counts, before, size_of(trial.root), 0.0)
    return lab.baselines["annotate"]


def size_of(root: Path) -> int:
    """Return how many bytes a folder takes."""
    return sum(-(-p.stat().st_size // PAGE) * PAGE for p in root.rglob("*") if p.is_file())


def try_annotate(lab: Lab, trial: Trial) -> None:
    """Let a server that people answer to meet a fault."""
    known, schedule = measure(lab), trial.schedule
    kind, chance = schedule.kind, schedule.chance
    with placed(lab, trial, known):
        office = Office(lab, trial, prepare(trial.root))
        if kind in BY_WARDEN:
            total = known.counts.get(COUNTED.get(kind, "change"), 0)
            office.serve(Fault(kind, schedule.when(total)))
        elif kind == "memory":
            office.serve(None, memory=int(chance.random() * MEMORY[1]))
        elif kind == "clock":
            office.serve(None, clock=draw_jumps(chance, 400))
        elif kind == "tiny-disk":
            lab.shrink(known.before + int(chance.random() * (known.after - known.before)))
            office.serve(None)
            lab.make_room()
        elif kind == "resets":
            _lose_answers(office, trial)
        else:
            _try_database(office, trial)
        office.finish()
        office.compare()


@contextmanager
def placed(lab: Lab, trial: Trial, known: Baseline) -> Iterator[None]:
    """Put the collection on a disk of its own where the schedule asks for that."""
    if trial.schedule.kind == "tiny-disk" and lab.mount(
        trial.root.parent / "disk", known.after * 4
    ):
        trial.root = trial.root.parent / "disk" / "birds"
    yield


def _lose_answers(office: Office, trial: Trial) -> None:
    """Let people lose the connection behind what they sent, so that they send it again."""
    chance = trial.schedule.chance
    real = Person._ask

    def lossy(self: Person, *arguments: Any) -> tuple[int, bytes]:
        result = real(self, *arguments)
        if chance.random() < 0.25:
            office.trial.struck = "answers lost on their way"
            raise ConnectionResetError("lost on its way")
        return result

    Person._ask = lossy  # type: ignore[method-assign, assignment]
    try:
        office.serve(None)
    finally:
        Person._ask = real  # type: ignore[method-assign]


def _try_database(office: Office, trial: Trial) -> None:
    """Let some answers come, kill the server, and damage or hold the database."""
    chance, kind = trial.schedule.chance, trial.schedule.kind
    many = chance.randint(2, 2 * ITEMS)
    path = trial.root / "labels.sqlite"
    trial.struck = kind
    if kind == "locked":
        office.serve(None, until=many)
        with holding(path):
            office.serve(None)
        return
    total = measure(office.lab).counts["change"]
    office.serve(Fault("kill", trial.schedule.when(total)))
    damage(path, kind, chance)
    office.serve(None)
    copy = path.with_name("labels-copy.sqlite")
    if f"give {copy.name}" in trial.said[-1] and copy.exists():  # do what it says
        for file in trial.root.glob("labels.sqlite*"):
            file.unlink()
        copy.rename(path)
    for person in office.people:
        person.is_done = False  # what is lost is asked again
