"""Snapshots of pages as they are found: every kind of node, frames, encodings, captures that left.

In: minimal pages. Out: what the application shows of them; nothing of it may fail.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.app.webs import make_whole, plain_rows

from blickfang.html.page import parse_page
from blickfang.web import make_app
from blickfang.web.snapshot import SnapshotMarks, make_snapshot

LIST = "<ul>" + "".join(f"<li><b>N {n}</b> <i>{n} coins</i></li>" for n in range(6)) + "</ul>"
FORMS = {
    "a comment": f"<body><!-- menu -->{LIST}<!-- end -->",
    "comments everywhere": f"<!-- a --><html><head><!-- b --><title>t</title></head><body>{LIST}"
    "<table><!-- c --><tr><!-- d --><td>x</table></body><!-- e --></html><!-- f -->",
    "a conditional comment": f"<body><!--[if IE 6]><p>Old</p><![endif]-->{LIST}",
    "a comment that is not closed": f"<body>{LIST}<!-- so on",
    "a comment in a comment": f"<body><!-- a <!-- b --> -->{LIST}",
    "a processing instruction": f"<body><?php echo 1 ?>{LIST}<?xml version='1.0'?>",
    "a doctype inside": f"<body><!doctype html>{LIST}<!DOCTYPE svg>",
    "a bogus declaration": f"<body><!ELEMENT br EMPTY><![if !vml]>{LIST}<![endif]></ >",
    "cdata": f"<body><svg viewBox='0 0 9 9'><![CDATA[a < b]]><desc><!-- d --></desc></svg>{LIST}",
    "cdata outside": f"<body><![CDATA[ x ]]>{LIST}",
    "foreign elements": "<body><svg><foreignObject><!-- a --><p>x</p></foreignObject><a xlink:href="
    f"'http://a.example/' xlink:actuate=onLoad>b</a></svg><math><!-- m --><mi>x</math>{LIST}",
    "templates": f"<body><template><!-- t --><p onclick=1>x</p></template>{LIST}",
    "odd names": f"<body><x:y z:w=1 =a \"'=2 f<g=3><!-- x --></x:y>{LIST}",
    "raw texts": f"<body>{LIST}<textarea><!-- no --></textarea><xmp><!-- x --></xmp><!-- y -->",
    "null bytes": f"<body>\0<!-- \0 --><p ti\0tle='\0'>\0</p>{LIST}",
    "nothing but a comment": "<!-- nothing -->",
    "nothing": " ",
    "deep": "<!-- x --><div>" * 3000 + LIST,
    "frames": "<frameset cols='1,*'><!-- f --><frame src=a.html><noframes>None</frameset>",
    "an inner frame": f"<body><iframe srcdoc='<p>x'><!-- i --></iframe>{LIST}",
}
UTF_16 = b"\xff\xfe" + FORMS["a comment"].encode("utf-16-le")
LATIN = b"<!-- \xfc --><p>K\xe4se</p>" + LIST.encode()


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_node_is_shown_or_left_out(form: str) -> None:
    parsed = parse_page(FORMS[form].encode(), "text/html")
    if parsed is None:
        assert not FORMS[form].strip()
        return
    tree = parsed[0]
    marks = {int(node): ("bf-3", "x") for node in (tree.tag == 0).nonzero()[0]}
    shown = make_snapshot(tree, SnapshotMarks(marks), lambda _: "")
    body = re.sub("<(textarea|xmp)>.*?</", "", shown.partition("</head>")[2])
    assert not re.search("<[!?]|href|srcdoc|onclick|actuate", body)
    assert ("N 5" in shown) == ("N 5" in FORMS[form])
    if LIST in FORMS[form]:
        assert re.search(r"<mark[^>]*>[^<]*N 5", shown)


def test_texts_that_are_no_html_are_marked() -> None:
    parsed = parse_page(b"<body><p>A</p><xmp>\n x <b>&amp; y</b></xmp><p>B</p>")
    assert parsed
    tree = parsed[0]
    nodes = [int(node) for node in (tree.tag == 0).nonzero()[0]]
    marks = SnapshotMarks(dict.fromkeys(nodes, ("bf-3", "x")), spots=nodes[1:2])
    shown = make_snapshot(tree, marks, lambda _: "")
    assert re.search(r"<pre><mark[^>]*>x &lt;b&gt;&amp;amp; y&lt;/b&gt;</mark></pre>", shown)
    assert '<bf-spot id="bf-spot"></bf-spot><p>' in shown
    assert re.findall(r"<mark[^>]*>(A|B)</mark>", shown) == ["A", "B"]
    assert not re.search("<xmp>[^<]", shown.replace("<xmp>\n ", ""))  # no mark is text


def test_a_drawing_keeps_its_scale_and_frames_are_named() -> None:
    for form, kept in (("cdata", 'viewBox="0 0 9 9"'), ("frames", "set of frames")):
        parsed = parse_page(FORMS[form].encode(), "text/html")
        assert parsed
        assert kept in make_snapshot(parsed[0], SnapshotMarks({}), lambda _: "")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[TestClient, list[dict[str, Any]]]:
    """An application over pages of all these forms, and the samples on them."""
    rows = plain_rows(60)
    urls = list(dict.fromkeys(row["page_url"] for row in rows))
    forms = [form.encode() for form in FORMS.values()] + [UTF_16, LATIN]
    pages = {}
    for url, form in zip(urls, forms, strict=False):
        shown = "".join(f'<img src="{row["url"]}">' for row in rows if row["page_url"] == url)
        pages[url] = form if form is UTF_16 else form + shown.encode()
    assert len(pages) == min(len(urls), len(forms))
    collection = make_whole(tmp_path_factory.mktemp("forms") / "forms", rows, pages)
    client = TestClient(
        make_app(collection), base_url="http://127.0.0.1", raise_server_exceptions=False
    )
    return client, rows


def test_every_sample_and_page_is_shown(found: tuple[TestClient, list[dict[str, Any]]]) -> None:
    client, rows = found
    broken = []
    for row in rows:
        for path in (
            f"/corpus/sample/{row['id']}/snapshot?method=all",
            "/records",
            "/records/page",
        ):
            params = None if "?" in path else {"url": row["page_url"]}
            answer = client.get(path, params=params)
            if answer.status_code >= 500:
                broken.append((path, row["page_url"], answer.status_code))
    assert broken == []


def test_a_capture_that_left_is_told(
    found: tuple[TestClient, list[dict[str, Any]]], tmp_path: Path
) -> None:
    client, rows = found
    folder = client.app.state.collection.crawl_folder  # type: ignore[attr-defined]
    shutil.copytree(folder, tmp_path / "crawl")
    try:
        for path in folder.rglob("*.warc*"):
            path.unlink()
        snapshot = client.get(f"/corpus/sample/{rows[0]['id']}/snapshot")
        assert snapshot.status_code == 200
        assert "not at hand: cannot read" in snapshot.text
        listed = client.get("/records", params={"url": rows[0]["page_url"]})
        assert listed.status_code == 400
        assert "cannot read" in listed.text
    finally:
        shutil.copytree(tmp_path / "crawl", folder, dirs_exist_ok=True)
