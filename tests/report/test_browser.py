"""Pages that stand alone in a real browser: offline, accessible, no overlaps. Skipped without."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from blickfang.errors import SettingsError
from blickfang.io.chromium import find_chromium, launch_options
from blickfang.web.report import write_report
from blickfang.web.report.comparison_report import make_report
from blickfang.web.report.pair_sheet import PairSide, Shown, make_sheet
from tests.compare.facts import make_facts
from tests.report.runs import make_run

# Boxes of the words of each figure; those of rows and columns that touch by a hair do not count.
OVERLAPS = """() => [...document.querySelectorAll('figure svg')].flatMap(figure => {
  const texts = [...figure.querySelectorAll('text')];
  const words = texts.map(each => [each.textContent, each.getBBox()]);
  const found = [];
  words.forEach(([one, a], at) => words.slice(at + 1).forEach(([other, b]) => {
    const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
    const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    if (wide > 1 && high > 4) found.push(one + ' | ' + other);
  }));
  const box = figure.viewBox.baseVal;
  words.filter(([_, a]) => a.x < -1 || a.x + a.width > box.width + 1)
       .forEach(([one]) => found.push('outside: ' + one));
  return found;
})"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]")
    try:
        executable = find_chromium()
    except SettingsError as error:
        pytest.skip(str(error))
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(**launch_options(executable))
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    modes = ("unfocused", "focused+keywords", "focused+images")
    runs = [make_run(f"{mode} {seed}", mode, seed) for mode in modes for seed in range(2)]
    return write_report(runs, tmp_path_factory.mktemp("report") / "out").page


@pytest.fixture(scope="module")
def pages(report: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("compared")
    values = {"all": 0.9, "main": None, "frame": 0.5, "contained": 1.0}
    pair = Shown(
        PairSide("a", "http://a.test/", "one two", "one"), PairSide("b", "", "one"), values, "same"
    )
    texts = {"comparison": make_report(make_facts()), "sheet": make_sheet([pair], "Pairs", 1)}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {"report": report, **{name: folder / f"{name}.html" for name in texts}}


def test_opens_offline_and_nothing_overlaps(browser: Any, report: Path) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report.as_uri())
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(WIDER) == 0
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(WIDER) == 0, "wide tables scroll by themselves"
    page.close()


@pytest.mark.parametrize("name", ["report", "comparison", "sheet"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_is_accessible(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = browser.new_page(color_scheme=scheme, bypass_csp=True)  # the checker is a script
    page.goto(pages[name].as_uri())
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()


def test_prints_whole(browser: Any, report: Path) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    printed = PdfReader(io.BytesIO(page.pdf(format="A4", print_background=True)))
    text = "\n".join(each.extract_text() for each in printed.pages)
    for words in ("Crawl statistics", "Contact sheet", "How it was measured", "KB/s"):
        assert words in text
    page.close()
