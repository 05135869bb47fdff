"""The application in a real browser: found, dropped, moved, downloaded; for everybody."""

import csv
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.app.screenshots import take
from tests.app.test_crawl_pages import HOST, long_web
from tests.app.visits import check_access, visiting, wait_for
from tests.app.webs import running
from tests.crawl.sites import Local, crawl_here, serving, settings, write_collection

from blickfang.config import open_collection
from blickfang.crawl.run import Watching
from blickfang.crawl.state.control import STOP, ask

PHONE = ("target-size", "scrollable-region-focusable")
PAGES = ("/corpus", "/crawl", "/crawl/explain", "/records", "/report", "/nowhere")
# What screens of other colours and sizes can change is looked at there, the rest once.
SCREENS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "wide": ({"viewport": {"width": 1280, "height": 860}}, ()),
    "dark": ({"color_scheme": "dark"}, ("color-contrast",)),
    "phone": ({"viewport": {"width": 390, "height": 800}, "has_touch": True}, PHONE),
}
DROP = """([text, name]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, {type: "image/png"}));
  document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
}"""


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_is_for_everybody(
    browser: Any, address: str, rows: list[dict[str, Any]], screen: str
) -> None:
    url = rows[0]["page_url"]
    more = (
        f"/corpus/sample/{rows[0]['id']}?method=all",
        "/corpus?q=lion",
        f"/records?url={url}",
        f"/crawl/explain?url={url}",
    )
    with visiting(browser, address, calm=False, **SCREENS[screen][0]) as page:
        for path in PAGES + more:
            page.goto(address + path)
            check_access(page, *SCREENS[screen][1])
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wider) <= 0, path


def test_no_page_complains(browser: Any, address: str, rows: list[dict[str, Any]]) -> None:
    url = rows[0]["page_url"]
    with visiting(browser, address) as page:
        for path in (*PAGES[:-1], f"/corpus/sample/{rows[0]['id']}", f"/records?url={url}"):
            page.goto(address + path, wait_until="load")
            page.wait_for_timeout(100)


def test_words_by_keyboard(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto(address + "/corpus")
        page.keyboard.press("/")
        page.keyboard.type("zebra")
        page.keyboard.press("Enter")
        page.wait_for_url("**/corpus?q=zebra")
        assert "zebra" in page.locator(".tile .caption").first.inner_text().lower()
        page.locator("a.look").first.focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.href") == page.locator("a.look").nth(
            1
        ).evaluate("link => link.href")
        page.keyboard.press("Space")
        assert page.locator("input[name=id]:checked").count() == 1
        page.keyboard.press("Enter")
        page.wait_for_url("**/corpus/sample/*")


def test_arrows_lead_over_the_heading_of_related_ones(browser: Any, address: str) -> None:
    where = """[...document.querySelectorAll('a.look')].map(link => {
      const box = link.closest('.tile').getBoundingClientRect();
      return [box.top, box.left, !!link.closest('[aria-label=Related]')];
    })"""
    at = "[...document.querySelectorAll('a.look')].indexOf(document.activeElement)"
    for width in (1280, 390):
        with visiting(browser, address, viewport={"width": width, "height": 800}) as page:
            page.goto(address + "/corpus?q=lion")
            heading = page.get_by_role("heading", level=2, name="Related: found by their meaning")
            assert heading.count() == 1
            places = page.evaluate(where)
            last = max(at for at, (_, _, related) in enumerate(places) if not related)
            assert places[last][0] < heading.bounding_box()["y"] < places[last + 1][0]
            page.locator("a.look").nth(last).focus()
            page.keyboard.press("ArrowRight")
            assert page.evaluate(at) == last + 1
            page.keyboard.press("ArrowLeft")
            assert page.evaluate(at) == last
            page.keyboard.press("ArrowDown")
            assert page.evaluate(at) > last
            below = places[page.evaluate(at)]
            assert below[0] == places[last + 1][0]  # the first row of the related ones
            assert below[1] == pytest.approx(places[last][1], abs=2)  # the same column
            page.keyboard.press("ArrowUp")
            assert page.evaluate(at) == last
            page.locator("a.look").first.focus()
            page.keyboard.press("ArrowUp")
            assert page.evaluate(at) == 0


@pytest.mark.parametrize("width", [390, 705, 768, 1280])
def test_what_is_jumped_to_is_not_behind_the_head(
    browser: Any, address: str, rows: list[dict[str, Any]], width: int
) -> None:
    hidden = """(() => {
      const head = document.querySelector(".top");
      const stays = getComputedStyle(head).position === "sticky";
      const top = document.querySelector("#page").getBoundingClientRect().top;
      return stays && head.getBoundingClientRect().bottom > top;
    })()"""
    with visiting(browser, address, viewport={"width": width, "height": 600}) as page:
        page.goto(address + f"/corpus/sample/{rows[0]['id']}#page")
        page.locator("#method").select_option("all")
        page.wait_for_url("**method=all**#page")
        page.wait_for_load_state("load")
        assert page.evaluate("scrollY") > 0
        assert page.evaluate(hidden) is False
        page.locator(".collection").evaluate("name => name.textContent = 'Löwen '.repeat(7)")
        page.goto(page.url.replace("#page", "#main"))
        page.goto(page.url.replace("#main", "#page"))
        assert page.evaluate(hidden) is False


def test_a_caption_shows_whole_lines(browser: Any, address: str) -> None:
    lines = """caption => {
      caption.textContent = "A long text, ".repeat(40);
      return caption.clientHeight / parseFloat(getComputedStyle(caption).lineHeight);
    }"""
    for width in (390, 1280):
        with visiting(browser, address, viewport={"width": width, "height": 800}) as page:
            page.goto(address + "/corpus?q=lion")
            assert page.locator(".tile .caption").first.evaluate(lines) == pytest.approx(3, abs=0.1)


def test_a_picture_is_dropped(browser: Any, address: str, rows: list[dict[str, Any]]) -> None:
    import base64

    row = rows[6]
    with visiting(browser, address) as page:
        page.goto(address + "/corpus?q=picture&language=" + row["language"])
        page.evaluate(DROP, [base64.b64encode(row["image"]["bytes"]).decode(), "mine.png"])
        page.wait_for_url("**/corpus?q=picture&picture=*&language=*")
        assert page.locator("#q").input_value() == "picture"
        first = page.locator("a.look").first.get_attribute("href")
        assert first == f"/corpus/sample/{row['id']}"
        found = page.url
        page.locator("a.look").first.click()
        page.wait_for_url("**/corpus/sample/*")
        page.get_by_role("link", name="← Corpus").click()
        page.wait_for_url(found)
    with visiting(browser, address, calm=False) as page:
        page.goto(address + "/corpus")
        page.evaluate(DROP, [base64.b64encode(b"no picture").decode(), "mine.png"])
        wait_for(page, "document.getElementById('said')?.textContent.includes('cannot')")


def test_pictures_of_grid_and_snapshot_are_shown(
    browser: Any, address: str, rows: list[dict[str, Any]]
) -> None:
    loaded = "[...document.images].every(i => i.loading === 'lazy' || i.naturalWidth > 0)"
    with visiting(browser, address) as page:
        page.goto(address + "/corpus")
        wait_for(page, "document.querySelector('.tile img').naturalWidth > 0")
        with page.expect_response(lambda answer: "/archived/" in answer.url) as shown:
            page.goto(address + f"/corpus/sample/{rows[1]['id']}")
            page.locator("iframe").scroll_into_view_if_needed()
        assert shown.value.status == 200
        assert page.evaluate(loaded)
        frame = page.frame_locator("iframe")
        assert frame.locator("mark").first.inner_text() == rows[1]["caption"]


def test_a_choice_is_exported(browser: Any, address: str) -> None:
    with visiting(browser, address) as page:
        page.goto(address + "/corpus")
        assert page.get_by_role("button", name="Export", exact=True).is_disabled()
        page.locator(".tick input").nth(0).check()
        page.locator(".tick input").nth(2).check()
        assert page.locator("#chosen").inner_text() == "2 chosen"
        with page.expect_download() as download:
            page.get_by_role("button", name="Export", exact=True).click()
        assert download.value.suggested_filename == "samples-files.zip"


def test_a_pattern_is_chosen_and_its_table_downloaded(
    browser: Any, address: str, rows: list[dict[str, Any]]
) -> None:
    with visiting(browser, address) as page:
        page.goto(address + "/records")
        page.fill("#url", rows[0]["page_url"])
        page.get_by_role("button", name="Look into it").first.click()
        page.wait_for_url("**/records?url=*")
        page.locator(".lists a", has_text="8 records").first.click()
        page.wait_for_url("**region=*")
        assert page.frame_locator("iframe").locator("mark.bf-odd").count() >= 4
        page.locator("input.name").first.fill("thing")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the table").click()
        with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
            table = list(csv.reader(file))
        assert table[0][0] == "thing"
        assert len(table) == 9


def test_screenshots_show_every_page(browser: Any, address: str, tmp_path: Path) -> None:
    taken = take(address, tmp_path, browser)
    names = {path.stem.partition("-")[0] for path in taken}
    assert {"corpus", "sample", "crawl", "explain", "records", "report"} <= names
    for path in taken:
        with Image.open(path) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 16  # not just a colour


def test_the_dashboard_moves(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"

    def watch(local: Local) -> None:
        Watching(local.coordinator, lambda _: True, folder).look()

    with serving(long_web(3000)) as server:
        write_collection(tmp_path, server, f"{HOST}/0", delay_s=0.02)
        options = settings(server, f"{HOST}/0", delay_s=0.02)
        crawling = threading.Thread(
            target=lambda: crawl_here(folder, options, watch=watch, limit_s=60)
        )
        crawling.start()
        try:
            with (
                running(open_collection(tmp_path)) as address,
                visiting(browser, address) as page,
            ):
                page.goto(address + "/crawl")
                page.get_by_role("button", name="Pause").wait_for(timeout=20_000)
                seen = pages_of(page)
                wait_for(page, f"{COUNT} > {seen + 10}")
                page.get_by_role("button", name="Pause").click()
                page.get_by_role("button", name="Go on").wait_for(timeout=20_000)
                page.get_by_role("button", name="Go on").click()
                seen = pages_of(page)
                wait_for(page, f"{COUNT} > {seen + 5}")
                page.get_by_role("button", name="Stop").click()
                page.get_by_text("at rest").wait_for(timeout=20_000)
        finally:
            ask(folder, STOP)
            crawling.join(20)


COUNT = "Number(document.querySelector('#part-figures b').textContent.replace(',', ''))"


def pages_of(page: Any) -> int:
    return int(re.sub(r"\D", "", page.locator("#part-figures b").first.inner_text()))
