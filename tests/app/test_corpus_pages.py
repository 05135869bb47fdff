"""The corpus: searching, narrowing, looking, taking along, taking out."""

import html
import io
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient
from tests.annotate.desks import person, pets, say
from tests.app.webs import plain_rows, write_rows

from blickfang.config import Collection, open_collection
from blickfang.corpus.search import search_index
from blickfang.io.urls import host
from blickfang.web import annotate, corpus_routes, make_app
from blickfang.web.access import make_access
from blickfang.web.annotate import open_store
from blickfang.web.annotate.item_selection import TaskItem
from blickfang.web.annotation_state import Bureau
from blickfang.web.corpus_routes import tell_match
from blickfang.web.export_routes import add_removals
from blickfang.web.sample_routes import sign_picture


def ids(text: str) -> list[str]:
    return re.findall(r'href="/corpus/sample/([0-9a-f]{16})"', text)


def token(client: TestClient) -> dict[str, str]:
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/corpus").text)
    assert found
    return {"csrf": found[1]}


def test_the_best_come_first(client: TestClient, rows: list[dict[str, Any]]) -> None:
    page = client.get("/corpus")
    assert ids(page.text) == [row["id"] for row in rows][:48]
    assert "A lion, number 0" in page.text
    assert float(page.headers["server-timing"].rpartition("=")[2]) > 0


def test_words_find_samples(client: TestClient) -> None:
    page = client.get("/corpus", params={"q": "zebra"})
    captions = re.findall(r'class="caption">([^<]*)<', page.text)
    assert captions
    assert all("zebra" in caption.lower() for caption in captions[:5])
    assert "Nothing fits" in client.get("/corpus", params={"q": "xyzzy"}).text


def test_a_dropped_picture_finds_itself(client: TestClient, rows: list[dict[str, Any]]) -> None:
    row = rows[10]
    files = {"picture": ("a.bin", row["image"]["bytes"])}
    page = client.post("/corpus/picture", data=token(client), files=files)
    assert "/corpus?picture=" in str(page.url)
    assert ids(page.text)[0] == row["id"]
    source = re.search(r"/corpus/dropped/\w+\.jpg", page.text)
    assert source
    assert client.get(source[0]).headers["content-type"] == "image/jpeg"


def test_a_dropped_picture_keeps_words_labels_and_order(
    client: TestClient, rows: list[dict[str, Any]]
) -> None:
    query = {"q": "picture -zebra", "language": "de", "sort": "size", "like": rows[1]["id"]}
    page = client.get("/corpus", params=query).text
    form = re.search(r'action="(/corpus/picture[^"]*)"', page)
    assert form
    files = {"picture": ("a.jpg", rows[5]["image"]["bytes"])}
    found = client.post(html.unescape(form[1]), data=token(client), files=files)
    assert found.status_code == 200
    kept = dict(found.url.params)
    assert kept.pop("picture")
    assert kept == {
        "q": "picture -zebra",
        "language": "de",
        "sort": "size",
    }  # one example at a time
    german = {row["id"] for row in rows if row["language"] == "de" and "zebra" not in row["url"]}
    assert set(ids(found.text)) <= german
    assert 'name="sort" value="size"' in found.text  # other words keep the order
    without = re.search(r'<a href="([^"]*)">without it', found.text)
    assert without
    assert dict(client.get(html.unescape(without[1])).url.params) == kept
    more = re.search(r'href="([^"]*)" title="More like this"', found.text)
    assert more
    assert {"q", "language", "sort", "like"} == set(
        client.get(html.unescape(more[1])).url.params.keys()
    )


def test_what_is_found_tells_how_well_it_matches(
    client: TestClient, rows: list[dict[str, Any]]
) -> None:
    index = client.app.state.shelves.get().index  # type: ignore[attr-defined]
    pills = r'(?s)name="id" value="(\w+)".*?<span class="pill[ on]*" title="([^"]*)">([^<]*)<'
    for query in ({"q": "lion"}, {"like": rows[3]["id"]}):
        hits = search_index(index, query.get("q", ""), like=query.get("like"), limit=480)
        told = re.findall(pills, client.get("/corpus", params=query).text)
        assert [name for name, _, _ in told] == [hit.id for hit in hits[:48]]
        for (_, title, shown), hit in zip(told, hits, strict=False):
            assert shown.startswith(f"{hit.score:.2f} ")
            assert title.startswith("Match with your search")
            ways = shown.partition(" ")[2].split(" + ")
            assert ("words" in ways) == (hit.parts.get("text", 0) > 0)
            assert ways == ["related"] or "related" not in ways
    told = re.findall(pills, client.get("/corpus").text)
    assert {title for _, title, _ in told} == {"Rank on the topic: 0 to 1"}


@pytest.mark.parametrize("sort", ["best", "size"])
@pytest.mark.parametrize("per_page", [48, 3])
def test_related_ones_stand_apart_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, per_page: int, sort: str
) -> None:
    monkeypatch.setattr(corpus_routes, "PER_PAGE", per_page)
    index = client.app.state.shelves.get().index  # type: ignore[attr-defined]
    for words in ("lion", "Löwe", "a picture"):
        hits = search_index(index, words, limit=480)
        matching = {hit.id for hit in hits if not hit.related}
        related = {hit.id for hit in hits if hit.related}
        assert related
        texts = [
            client.get("/corpus", params={"q": words, "sort": sort, "page": page}).text
            for page in range(1, -(-len(hits) // per_page) + 1)
        ]
        before, *after = "".join(texts).split('<h2 class="apart" id="related">')
        assert len(after) == 1  # one heading on all pages
        assert after[0].startswith(
            "Related: found by their meaning, without any of your words</h2>"
        )
        assert set(ids(before)) == matching
        assert set(ids(after[0])) == related
        verb = "matches" if len(matching) == 1 else "match"
        for page, text in enumerate(texts):
            assert f": {len(matching)} {verb}, {len(related)} related" in text
            assert ("this page: related" in text) == (page * per_page > len(matching))
            assert not re.search(r'<ul class="grid"[^>]*>\s*</ul>', text)


def test_a_boundary_between_pages_has_its_heading(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = client.app.state.shelves.get().index  # type: ignore[attr-defined]
    matching = sum(not hit.related for hit in search_index(index, "lion", limit=480))
    monkeypatch.setattr(corpus_routes, "PER_PAGE", matching)
    first, second = (
        client.get("/corpus", params={"q": "lion", "page": page}).text for page in (1, 2)
    )
    assert 'id="related"' not in first
    assert second.index('id="related"') < second.index('class="tile"')


def test_without_words_nothing_stands_apart(client: TestClient, rows: list[dict[str, Any]]) -> None:
    like = rows[3]["id"]
    for query in ({}, {"like": like}, {"like": like, "q": "-zebra"}, {"q": "-zebra"}):
        text = client.get("/corpus", params=query).text
        assert ids(text)
        assert 'id="related"' not in text
        assert " related" not in re.sub(r'(?s)<span class="pill.*?</span>', "", text)
    files = {"picture": ("a.jpg", rows[5]["image"]["bytes"])}
    both = client.post("/corpus/picture?q=lion", data=token(client), files=files).text
    assert "found by their meaning or look, without" in both
    alone = client.post("/corpus/picture", data=token(client), files=files).text
    assert 'id="related"' not in alone


@pytest.mark.parametrize(
    ("parts", "by"),
    [
        ({"text": 0.9, "lsi": 0.4}, "words"),
        ({"text": 0.0, "lsi": 0.4}, "related"),
        ({"visual": 0.3, "lsi": 0.9}, "look"),
        ({"text": 0.4, "visual": 0.3}, "words"),
        ({"text": 0.4, "visual": 0.8}, "words + look"),
        ({"text": 0.0, "visual": 0.2, "lsi": 0.2}, "related"),
        ({"text": 0.2, "clip": 0.7}, "words + content"),
    ],
)
def test_a_match_names_what_it_is_by(client: TestClient, parts: dict[str, float], by: str) -> None:
    index = client.app.state.shelves.get().index  # type: ignore[attr-defined]
    hit = search_index(index, "lion", limit=1)[0]
    assert tell_match(hit._replace(parts=parts)).by == by


@pytest.mark.parametrize("data", [b"", b"no picture", b"<svg onload=alert(1)>"])
def test_what_is_no_picture_is_refused(client: TestClient, data: bytes) -> None:
    files = {"picture": ("a.jpg", data)}
    answer = client.post("/corpus/picture", data=token(client), files=files)
    assert answer.status_code == 400
    assert "cannot search by this file" in answer.text


def test_more_like_this(client: TestClient, rows: list[dict[str, Any]]) -> None:
    found = ids(client.get("/corpus", params={"like": rows[2]["id"]}).text)
    assert rows[2]["id"] not in found
    motif = rows[2]["url"].split("/")[4]
    assert motif in next(row["url"] for row in rows if row["id"] == found[0])
    assert client.get("/corpus", params={"like": "nonsense"}).status_code == 404


def test_facets_narrow_down_and_count(client: TestClient, rows: list[dict[str, Any]]) -> None:
    german = [row["id"] for row in rows if row["language"] == "de"]
    page = client.get("/corpus", params={"language": "de"})
    assert ids(page.text) == german
    here = [row for row in rows if row["language"] == "de" and "//b.example.org" in row["page_url"]]
    both = client.get("/corpus", params={"language": "de", "host": "b.example.org"})
    assert ids(both.text) == [row["id"] for row in here]
    shown = re.search(r"<span>b\.example\.org</span> <span class=\"count\">(\d+)", page.text)
    assert shown
    assert int(shown[1]) == len(here)
    searched = client.get("/corpus", params={"q": "picture lion löwe", "language": "de"})
    assert set(ids(searched.text)) <= set(german)


def test_orders(client: TestClient, rows: list[dict[str, Any]]) -> None:
    found = ids(client.get("/corpus", params={"sort": "size"}).text)
    areas = {row["id"]: row["width"] * row["height"] for row in rows}
    assert [areas[name] for name in found] == sorted(areas.values(), reverse=True)
    found = ids(client.get("/corpus", params={"sort": "score"}).text)
    assert found == [row["id"] for row in sorted(rows, key=lambda row: row["score"])]


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=²", "page=99999999999", "sort=x", "host=%00"]
)
def test_odd_parameters_do_no_harm(client: TestClient, query: str) -> None:
    assert client.get(f"/corpus?{query}").status_code == 200


def test_pictures_are_encoded_anew(client: TestClient, rows: list[dict[str, Any]]) -> None:
    for size, most in (("small", 360), ("large", 1600)):
        answer = client.get(f"/corpus/{size}/{rows[1]['id']}.jpg")
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]
        picture = Image.open(io.BytesIO(answer.content))
        assert max(picture.size) <= most
        assert abs(picture.width / picture.height - rows[1]["width"] / rows[1]["height"]) < 0.05
    assert client.get("/corpus/small/0000000000000000.jpg").status_code == 404
    assert client.get("/corpus/small/../x.jpg").status_code == 404


def test_a_sample_has_everything(client: TestClient, rows: list[dict[str, Any]]) -> None:
    row = rows[4]
    text = client.get(f"/corpus/sample/{row['id']}").text
    for said in (row["caption"], row["sha256"], row["licence"], "A. Person", "parent-1", "204"):
        assert said in text
    assert "robots" in text  # of the ledger
    assert client.get("/corpus/sample/nonsense").status_code == 404


def test_the_snapshot_marks_the_text_and_can_do_nothing(
    client: TestClient, rows: list[dict[str, Any]]
) -> None:
    row = rows[1]
    answer = client.get(f"/corpus/sample/{row['id']}/snapshot")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; img-src 127.0.0.1:8765/archived/;")
    assert "script-src" not in policy
    marked = re.findall(r"<mark[^>]*>([^<]*)</mark>", answer.text)
    assert row["caption"] in marked
    assert rows[0]["caption"] not in marked  # the other one on this page
    assert answer.text.count("<bf-spot") == 1
    every = client.get(f"/corpus/sample/{row['id']}/snapshot?method=all").text
    assert len(re.findall("<mark", every)) > len(marked)
    source = re.findall(r'src="(/archived/[^"]*)"', answer.text)
    assert len(source) == 2
    picture = client.get(source[0].replace("&amp;", "&"))
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["cross-origin-resource-policy"] == "cross-origin"


def test_the_archive_shows_only_what_we_signed(client: TestClient) -> None:
    answer = client.get(
        "/archived/" + "0" * 40, params={"url": "http://a.example.org/pages/0.html"}
    )
    assert answer.status_code == 400
    row = client.get("/corpus").text
    other = client.get(f"/corpus/sample/{ids(row)[0]}/snapshot", params={"page": "http://x.org/"})
    assert other.status_code == 400


def test_a_selection_is_exported(client: TestClient, rows: list[dict[str, Any]]) -> None:
    chosen = [rows[3]["id"], rows[5]["id"]]
    data = {**token(client), "id": chosen, "to": "jsonl"}
    answer = client.post("/corpus/export", data=data)
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist()).decode("latin-1")
    assert all(name in text for name in chosen)
    assert rows[4]["id"] not in text
    everything = client.post("/corpus/export?language=de", data={**token(client), "all": "1"})
    with zipfile.ZipFile(io.BytesIO(everything.content)) as archive:
        pictures = [name for name in archive.namelist() if name.startswith("images/")]
    german = sum(row["language"] == "de" for row in rows)
    assert sum(not name.endswith((".xml", ".tsv", ".txt")) for name in pictures) == german
    for wrong in ({}, {"id": "../../etc"}, {"id": chosen, "to": "nonsense"}):
        assert client.post("/corpus/export", data=token(client) | wrong).status_code in (400, 409)


def test_removal_hides_and_is_kept(tmp_path: Path) -> None:
    write_rows(tmp_path, rows := plain_rows(6))
    (tmp_path / "blickfang.toml").write_text("")
    (tmp_path / "removals.txt").write_text("example.net  # asked for by its owner")
    client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
    shown = ids(client.get("/corpus").text)
    assert shown == [row["id"] for row in rows if "example.net" not in row["page_url"]]
    data = {**token(client), "id": rows[0]["id"], "reason": "a face\nhost.example"}
    removed = client.post("/corpus/remove?q=picture&language=en", data=data)
    assert removed.status_code == 200
    assert dict(removed.url.params) == {"q": "picture", "language": "en"}  # the same search again
    assert rows[0]["id"] not in ids(client.get("/corpus").text)
    lines = (tmp_path / "removals.txt").read_text().splitlines()
    assert lines[0] == "example.net  # asked for by its owner"
    assert re.fullmatch(rows[0]["id"] + r"  # [\d-]{10}, a face host\.example", lines[1])
    assert "on the removal list" in client.get(f"/corpus/sample/{rows[0]['id']}").text
    unknown = client.post("/corpus/remove", data={**token(client), "id": "0" * 16})
    assert unknown.status_code == 404


def test_what_was_removed_is_for_the_administrator_alone(tmp_path: Path) -> None:
    write_rows(tmp_path, rows := plain_rows(3))
    (tmp_path / "blickfang.toml").write_text("")
    (tmp_path / "removals.txt").write_text(f"{rows[0]['id']}\n")
    secret = "a-token-of-a-fair-length"  # noqa: S105
    app = make_app(open_collection(tmp_path), make_access("127.0.0.1", secret))
    guest, owner = (TestClient(app, base_url="http://127.0.0.1") for _ in range(2))
    owner.headers["authorization"] = f"Bearer {secret}"
    name = rows[0]["id"]
    paths = (f"sample/{name}", f"sample/{name}/snapshot", f"small/{name}.jpg", f"large/{name}.jpg")
    for path in paths:
        assert owner.get(f"/corpus/{path}").status_code == 200
        assert guest.get(f"/corpus/{path}").status_code == 401
    page = owner.get(f"/corpus/sample/{name}").text
    assert "take what names it out of removals.txt" in page
    assert "/corpus/export" not in page


def test_signed_addresses_do_not_show_what_was_removed(
    collection: Collection, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    shutil.copytree(collection.root, tmp_path / "motifs")
    app = make_app(open_collection(tmp_path / "motifs"))
    client = TestClient(app, base_url="http://127.0.0.1")
    url = rows[0]["url"]
    address = sign_picture(app.state.access, url)
    assert client.get(address).status_code == 200
    for listed in (rows[0]["sha256"], url, rows[0]["page_url"], host(url)):
        (tmp_path / "motifs" / "removals.txt").write_text(f"{listed}\n")
        assert client.get(address).status_code == 404, listed
    (tmp_path / "motifs" / "removals.txt").unlink()
    assert client.get(address).status_code == 200


def test_a_broken_list_is_not_made_worse(tmp_path: Path) -> None:
    path = tmp_path / "removals.txt"
    path.write_text("what is this\n")
    with pytest.raises(Exception, match="no address"):
        add_removals(path, ["0" * 16], "")
    assert path.read_text() == "what is this\n"


def test_a_new_corpus_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "blickfang.toml").write_text("")
    client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
    assert client.get("/", follow_redirects=False).headers["location"] == "/crawl"
    missing = client.get("/corpus")
    assert missing.status_code == 200  # the usual state during a first crawl
    assert "blickfang build" in missing.text
    write_rows(tmp_path, rows := plain_rows(3))
    assert ids(client.get("/corpus").text) == [row["id"] for row in rows]
    write_rows(tmp_path, rows := plain_rows(5))
    assert ids(client.get("/corpus").text) == [row["id"] for row in rows]


def test_annotated_samples_can_be_told_apart(tmp_path: Path) -> None:
    write_rows(tmp_path, rows := plain_rows(6))
    (tmp_path / "blickfang.toml").write_text("")
    client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
    assert ids(client.get("/corpus?annotated=yes").text) == []
    with open_store(tmp_path) as store:
        annotate.add_task(store, pets(), [TaskItem(rows[2]["id"], "a text")])
        annotate.invite(store, "pets", "ann")
        ann = person(store, "ann")
        assert say(store, ann, annotate.assign(store, ann).units[0].id).what == "kept"
    assert ids(client.get("/corpus?annotated=yes").text) == [rows[2]["id"]]
    assert len(ids(client.get("/corpus?annotated=no").text)) == 5


def test_what_was_removed_is_shown_to_no_annotator(tmp_path: Path) -> None:
    write_rows(tmp_path, rows := plain_rows(3))
    bureau = Bureau(tmp_path)
    first, second = rows[0]["id"], rows[1]["id"]
    assert bureau.picture(first)
    annotate.add_task(
        bureau.store(), pets(annotators=1), [TaskItem(row["id"], "a pet") for row in rows]
    )
    ann = annotate.invite(bureau.store(), "pets", "ann")
    (tmp_path / "removals.txt").write_text(f"{first}\n")
    assert bureau.picture(first) is None
    assert bureau.picture(second)
    asked = {unit.item.sample for unit in annotate.assign(bureau.store(), ann).units}
    assert asked == {row["id"] for row in rows[1:]}
    bureau.close()
