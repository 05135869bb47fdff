"""Screenshots of every page for the documents: `python -m tests.app.screenshots DIR` writes them.

In: a collection with crawl and corpus, best that of `blickfang demo`. Out: docs/screenshots.
"""

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.app.conftest import CHROMIUM
from tests.app.webs import running

from blickfang.collection import open_collection

FOLDER = Path(__file__).parent.parent.parent / "docs" / "screenshots"
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 800}


def list_pages(address: str, browser: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """Return name, path and screen of every picture to take."""
    page = browser.new_page()
    page.goto(address + "/corpus")
    sample = page.locator("a.look").nth(3).get_attribute("href")
    page.goto(address + "/records")
    links = page.locator("datalist option").evaluate_all("all => all.map(one => one.value)")
    page.close()
    lists = next((link for link in links if "index" in link), links[0] if links else "")
    wide, dark = {"viewport": WIDE}, {"viewport": WIDE, "color_scheme": "dark"}
    return [
        ("corpus", "/corpus", wide),
        ("corpus-dark", "/corpus?q=red+tower", dark),
        ("corpus-phone", "/corpus?q=red+tower", {"viewport": PHONE}),
        ("sample", f"{sample}?method=all", wide),
        ("crawl", "/crawl", wide),
        ("crawl-dark", "/crawl", dark),
        ("explain", f"/crawl/explain?url={links[-1] if links else ''}", wide),
        ("records", f"/records?url={lists}", wide),
        ("report", "/report", wide),
        ("annotate", "/annotate", wide),
    ]


def take(address: str, folder: Path, browser: Any) -> list[Path]:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    for name, where, screen in list_pages(address, browser):
        context = browser.new_context(**screen)
        page = context.new_page()
        answer = page.goto(address + where, wait_until="load")
        page.wait_for_timeout(800)
        if answer.status == 200:
            is_long = name in ("sample", "crawl", "records")
            shot = Image.open(io.BytesIO(page.screenshot(full_page=is_long))).convert("RGB")
            path = folder / f"{name}.png"
            shot.quantize(128, dither=Image.Dither.NONE).save(path, compress_level=9)
            taken.append(path)
        context.close()
    return taken


def main() -> None:
    """Take the pictures of a collection."""
    collection = open_collection(Path(sys.argv[1]))
    with running(collection) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        for path in take(address, FOLDER, browser):
            sys.stdout.write(f"{path}\n")
        browser.close()


if __name__ == "__main__":
    main()
