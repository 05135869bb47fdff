"""Records: the listings' and the institute's, with their true fields, and papers that open."""

from collections import Counter
from html import unescape

from blickfang.demo import DemoWeb


def test_many_records_of_many_kinds(web: DemoWeb) -> None:
    kinds = Counter(record.kind for record in web.records)
    assert kinds["publication"] >= 36
    assert min(kinds[kind] for kind in ("lighthouse", "mushroom", "kite", "plate")) >= 10
    assert len({record.page for record in web.records if record.kind == "publication"}) == 4


def test_fields_stand_on_their_page(web: DemoWeb) -> None:
    hosts = {page.url: page.host for page in web.pages}
    for record in web.records:
        code = "cp1252" if hosts[record.page] == "harbour-lights.test" else "utf-8"
        html = unescape(web.answer(record.page).body.decode(code))
        for name, value in record.fields:
            if name in ("link", "image"):
                value = value.partition(".test")[2]
            assert value in html, record


def test_papers_have_a_sound_cross_reference_table(web: DemoWeb) -> None:
    links = [dict(record.fields).get("link", "") for record in web.records]
    papers = [link for link in links if link]
    assert len(papers) >= 20
    assert "" in [dict(it.fields).get("link") for it in web.records if it.kind == "publication"]
    for url in papers:
        answer = web.answer(url)
        assert answer.header("Content-Type") == "application/pdf"
        start = int(answer.body.rsplit(b"startxref\n", 1)[1].split()[0])
        assert answer.body[start:].startswith(b"xref")
        first = int(answer.body[start:].splitlines()[3].split()[0])
        assert answer.body[first:].startswith(b"1 0 obj")
