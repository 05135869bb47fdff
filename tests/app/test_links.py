"""Personal links: what they open, what they do not, and what is refused."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.corpus.samples import write_samples

from blickfang.config import make_collection, open_collection
from blickfang.corpus import open_corpus
from blickfang.web import Access, annotate, make_app
from blickfang.web.annotate import LabelStore, make_task, plan_task, select_items
from blickfang.web.annotate.item_selection import TaskItem
from blickfang.web.annotate.task import describe_task

TOKEN = "a-token-of-a-fair-length"  # noqa: S105
BASE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("links") / "animals"
    make_collection(folder)
    write_samples(folder / "corpus", 6)
    return folder


@pytest.fixture
def client(root: Path) -> Iterator[TestClient]:
    """A visitor from elsewhere: the server asks for the administrator's token."""
    app = make_app(open_collection(root), Access(TOKEN))
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as made:
        yield made
    app.state.bureau.close()


@pytest.fixture
def store(client: TestClient, root: Path) -> LabelStore:
    store: LabelStore = client.app.state.bureau.store()  # type: ignore[attr-defined]
    name = f"task-{len(annotate.list_tasks(store))}"
    task = plan_task("cats", None, {"name": name, "select": {"count": 3}, "gold_share": 0.0})
    annotate.add_task(store, task, select_items(open_corpus(root), task.select))
    return store


def enter(client: TestClient, store: LabelStore) -> tuple[str, dict[str, str]]:
    """Open the link of a new annotator; return it, and what its page may send."""
    link = "/a/" + annotate.invite(store, annotate.list_tasks(store)[0].task.name, "Ada").token
    found = re.search(r'name="csrf" content="(\w+)"', client.get(link).text)
    assert found
    return link, {"x-csrf-token": found[1]}


def test_a_link_opens_its_own_pages_only(client: TestClient, store: LabelStore, root: Path) -> None:
    link, head = enter(client, store)
    assert client.get(f"{link}/help").status_code == 200
    units = client.post(f"{link}/next", json={"count": 9}, headers=head).json()["units"]
    assert len(units) == 3
    picture = client.get(units[0]["image"])
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["x-content-type-options"] == "nosniff"
    asked = {unit["image"].rsplit("/", 1)[1] for unit in units}
    others = {row["id"] for row in open_corpus(root).table(["id"]).to_pylist()} - asked
    assert client.get(f"{link}/image/{others.pop()}").status_code == 404
    assert client.get(f"{link}/image/..%2f..%2fx").status_code == 404
    for path in ("/annotate", "/annotate/new", f"/annotate/picture/{asked.pop()}", "/corpus"):
        assert client.get(path).status_code == 401, path


def test_the_help_page_shows_examples(client: TestClient, store: LabelStore, root: Path) -> None:
    rows = open_corpus(root).table(["id"]).to_pylist()
    example = {"sample": rows[0]["id"], "answers": {"topic": "pet"}, "why": "<a dog>"}
    values = describe_task(plan_task("cats", None, {"name": "examples"})) | {"example": [example]}
    task = make_task(values)
    annotate.add_task(store, task, select_items(open_corpus(root), task.select))
    assert rows[0]["id"] not in {unit.sample for unit in asked_of(store)}
    link, _ = enter(client, store)
    text = client.get(f"{link}/help").text
    assert "&lt;a dog&gt;" in text
    assert '<span class="pill on">pet</span>' in text
    assert client.get(f"{link}/image/{rows[0]['id']}?small=1").status_code == 200


def asked_of(store: LabelStore) -> list[TaskItem]:
    return annotate.list_items(store, annotate.list_tasks(store)[0].task.name)


def test_a_link_that_ended_is_of_no_use(client: TestClient, store: LabelStore) -> None:
    link, head = enter(client, store)
    annotate.revoke(store, annotate.list_tasks(store)[0].task.name, "Ada")
    assert client.get(link).status_code == 404
    assert client.get(f"{link}/image/0123456789abcdef").status_code == 404
    for path in ("next", "answers", "leave"):
        assert client.post(f"{link}/{path}", json={}, headers=head).status_code == 410
    assert client.get(f"{link}/again").status_code == 410


@pytest.mark.parametrize("body", ["", "[", "{}", "[1]", '[{"client": 3}]', "[" * 50_000])
def test_what_is_no_answer_changes_nothing(
    client: TestClient, store: LabelStore, body: str
) -> None:
    link, head = enter(client, store)
    head["content-type"] = "application/json"
    answer = client.post(f"{link}/answers", content=body, headers=head)
    assert answer.status_code == 400
    assert annotate.list_labels(store, annotate.list_tasks(store)[0].task.name) == []


def test_answers_that_cannot_be_kept_now_shall_come_again(
    client: TestClient, store: LabelStore, root: Path
) -> None:
    link, head = enter(client, store)
    unit = client.post(f"{link}/next", json={"count": 1}, headers=head).json()["units"][0]["id"]
    with store.reading() as db:
        db.execute("PRAGMA busy_timeout = 1")
    answers = [{"client": "a1", "unit": unit, "answers": {"topic": "cat", "text": "fits"}}]
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    answer = client.post(f"{link}/answers", json=answers, headers=head)
    assert answer.status_code == 503  # at 400 the page would drop them
    assert str(root) not in answer.text
    other.close()
    assert client.post(f"{link}/answers", json=answers, headers=head).status_code == 200
    assert len(annotate.list_labels(store, annotate.list_tasks(store)[0].task.name)) == 2


def test_other_sites_cannot_answer(client: TestClient, store: LabelStore) -> None:
    link, head = enter(client, store)
    assert client.post(f"{link}/next", json={}).status_code == 403
    evil = head | {"origin": "http://evil.test"}
    assert client.post(f"{link}/next", json={}, headers=evil).status_code == 403


def test_leaving_lets_go(client: TestClient, store: LabelStore) -> None:
    link, head = enter(client, store)
    units = client.post(f"{link}/next", json={"count": 3}, headers=head).json()["units"]
    held = "SELECT count(*) FROM lease WHERE live = 1 AND annotator = ?"
    who = annotate.list_annotators(store, annotate.list_tasks(store)[0].task.name)[0]
    for keep, left in ((f"[{units[0]['id']}]", 1), ("nonsense", 0)):
        form = {"csrf": head["x-csrf-token"], "keep": keep}
        assert client.post(f"{link}/leave", data=form).status_code == 204
        with store.reading() as db:
            assert db.execute(held, (who.id,)).fetchone()[0] == left


@pytest.fixture
def admin(client: TestClient) -> dict[str, str]:
    """What the administrator sends with every request."""
    head = {"authorization": f"Bearer {TOKEN}"}
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/annotate", headers=head).text)
    assert found
    return head | {"x-csrf-token": found[1]}


def test_a_form_with_mistakes_says_them(client: TestClient, store: LabelStore, admin: Any) -> None:
    before = len(annotate.list_tasks(store))
    for fields, message in (
        ({"name": "x", "text0": "", "by": "form"}, "no question"),
        ({"name": "x", "text0": "What?", "categories0": "1 | a", "by": "form"}, "2 to 20"),
        ({"name": "x", "annotators": "many", "by": "form"}, "whole number"),
        ({"toml": "a = [", "by": "toml"}, "not valid TOML"),
        ({"toml": 'name = "x"\n[[gold]]\nsample = "1"', "by": "toml"}, "no question"),
    ):
        answer = client.post(
            "/annotate/new", data={"preset": "topic", "how": "top", **fields}, headers=admin
        )
        told = re.search(r'role="alert">(.*?)</p>', answer.text)
        assert answer.status_code == 400
        assert told is not None
        assert message in told[1]
    assert len(annotate.list_tasks(store)) == before
    typed = {"preset": "topic", "how": "top", "by": "form", "title": "<Mine>", "text0": ""}
    answer = client.post("/annotate/new", data=typed, headers=admin)
    assert 'value="&lt;Mine&gt;"' in answer.text  # what was typed stays


def test_labels_come_and_go_as_files(client: TestClient, store: LabelStore, admin: Any) -> None:
    name = annotate.list_tasks(store)[0].task.name
    sample = annotate.list_items(store, name)[0].sample
    row = f"sample\tannotator\tquestion\tcategory\n{sample}\tBen\ttopic\tcat\n"
    row += f"{sample}\tBen\ttext\tfits\n"
    path = f"/annotate/task/{name}"
    files = {"file": ("labels.tsv", row.encode())}
    client.post(f"{path}/import", data={"form": "tsv"}, files=files, headers=admin)
    assert [label.category for label in annotate.list_labels(store, name)] == ["cat", "fits"]
    for form in ("tsv", "json", "labelstudio", "config"):
        answer = client.get(f"{path}/export/{form}", headers=admin)
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
    assert client.get(f"{path}/export/exe", headers=admin).status_code == 409
    assert client.get("/annotate/task/none", headers=admin).status_code == 404
    files = {"file": ("labels.tsv", b"\xff\xfe\x00")}
    answer = client.post(f"{path}/import", data={"form": "tsv"}, files=files, headers=admin)
    assert answer.status_code == 400
