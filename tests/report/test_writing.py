"""The page: escaped, self-contained, bounded; the same facts as JSON; figures as files."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from blickfang.errors import InputError
from blickfang.web.report import Run, write_report
from blickfang.web.report.write_report import MOST_BYTES, Written
from tests.report.runs import EVIL, make_card, make_jpeg, make_run


class Reader(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def check_harmless(reader: Reader) -> None:
    """No script, nothing loaded, no handler, no odd address."""
    assert not {"script", "iframe", "object", "embed", "link", "base", "form"} & set(reader.tags)
    for tag, name, value in reader.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "href") and not value.startswith("#"):
            assert value.startswith(("data:image/jpeg;base64,", "http://", "https://")), value
        if name == "src":
            assert value.startswith("data:"), "opens offline"
        if name == "style":
            pytest.fail("no inline style")


def test_hostile_strings_stay_strings(tmp_path: Path) -> None:
    runs = [make_run(text=EVIL), make_run("other", text=EVIL)]
    written = write_report(runs, tmp_path / "out", title=EVIL)
    reader = read(written.page)
    check_harmless(reader)
    page = written.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "{{" not in re.sub(r"\{\{ 7 \* 7 \}\}", "", page), "templates are not run twice"
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert page.count("</style>") == 1
    assert '<script>alert("x")</script>' in reader.text
    for figure in (tmp_path / "out" / "figures").glob("*.svg"):
        assert "<script" not in figure.read_text(encoding="utf-8")


def test_addresses_that_are_none_are_no_links(tmp_path: Path) -> None:
    card = make_card(1)._replace(url="javascript:alert(1)", page_url="data:text/html,x")
    written = write_report([Run("r", cards={"best": (card,)}, samples=1)], tmp_path / "out")
    reader = read(written.page)
    check_harmless(reader)
    assert "javascript:" not in written.page.read_text(encoding="utf-8")


def test_everything_there_is_is_shown(tmp_path: Path) -> None:
    written = write_report([make_run(), make_run("unfocused", seed=1)], tmp_path / "out")
    page = read(written.page).text
    for words in (
        *("Crawl statistics", "URIs/s", "KB/s", "Perplexity", "on the topic", "Categories"),
        *("Image funnel", "too small", "κ by pair", "corpus candidates", "misleading", "Consent"),
        *("robots.txt: disallow", "Licences", "Failures", "status 404", "Contact sheet", "0.610"),
        *("12.3", "8.33", "206", "1 of 30", "Duplicates", "note", "languages"),
    ):
        assert words in page, words
    names = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert {"perplexity.svg", "perplexity.pdf", "on-topic.svg", "funnel.pdf", "hosts.svg"} <= names
    assert len(names) == 2 * written.figures


def test_json_has_the_numbers(tmp_path: Path) -> None:
    run = make_run()
    written = write_report([run], tmp_path / "out")
    facts = json.loads(written.facts.read_text(encoding="utf-8"))
    (found,) = facts["runs"]
    assert found["sentences"] == int(run.pages.sentences.sum())
    assert found["uris_per_second"] == pytest.approx(500 / 60)
    assert found["kb_per_second"] == pytest.approx(12345.678 / 60)
    assert found["on_topic_share"] == pytest.approx(float((run.pages.on_topic == 1).mean()))
    assert found["funnel"][1]["dropped"] == [["too small", 20]]
    assert found["annotations"][0]["candidates"] == [[5, 1], [1, 2]]
    assert found["hosts_visited"] == 3
    assert facts["perplexity"][0]["x"][0] == facts["sentences_of_a_package"]


def test_groups_are_shown_as_mean_and_spread(tmp_path: Path) -> None:
    runs = [make_run(f"{mode} {seed}", mode, seed) for mode in ("a", "b") for seed in range(3)]
    page = read(write_report(runs, tmp_path / "out").page).text
    assert "Mean ± standard deviation" in page
    assert "Crawl statistics: every run" in page
    assert re.search(r"\d ± \d", page)


def test_many_and_empty_runs(tmp_path: Path) -> None:
    runs = [make_run(f"run {number}", seed=number) for number in range(15)]
    written = write_report([*runs, Run("nothing")], tmp_path / "out")
    assert "nothing" in read(written.page).text
    write_report([Run("nothing")], tmp_path / "alone")
    with pytest.raises(InputError, match="nothing to report"):
        write_report([], tmp_path / "none")


def test_the_page_stays_below_five_megabytes(tmp_path: Path) -> None:
    jpeg = make_jpeg(600, 95)  # 500 KB each
    cards = {
        name: tuple(make_card(at, jpeg=jpeg) for at in range(12)) for name in ("best", "worst")
    }
    runs = [Run(f"run {number}", cards=cards, samples=24) for number in range(4)]
    written = write_report(runs, tmp_path / "out")
    assert len(jpeg) * 96 > 5_000_000
    assert written.bytes == written.page.stat().st_size <= MOST_BYTES < 5_000_000
    assert "had no room" in read(written.page).text


def test_a_report_is_replaced_but_nothing_else_is(tmp_path: Path) -> None:
    first: Written = write_report([make_run()], tmp_path / "out")
    before = first.page.read_bytes()
    assert write_report([make_run()], tmp_path / "out").page.read_bytes() == before
    assert (tmp_path / "out" / "figures" / "perplexity.svg").exists()
    write_report([Run("nothing")], tmp_path / "out")
    assert list((tmp_path / "out").glob("figures/*")) == []
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="no report"):
        write_report([make_run()], tmp_path / "mine")
    with pytest.raises(InputError, match="is a file"):
        write_report([make_run()], tmp_path / "mine" / "thesis.txt")
