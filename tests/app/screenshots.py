"""Screenshots of every page for the documents: `make screenshots` writes them.

In: a collection with crawl and corpus; if none is named, that of `blickfang demo`, made in a folder
that is removed again. Out: docs/screenshots, those of annotating, too.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from tests.app.conftest import CHROMIUM
from tests.app.screenshots_annotate import take_annotating
from tests.app.webs import running

from blickfang.config import open_collection

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs" / "screenshots"
STYLE = ROOT / "src" / "blickfang" / "web" / "static" / "style.css"
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
        ("corpus-related", "/corpus?q=red+tower#related", wide),
        ("corpus-phone", "/corpus?q=red+tower", {"viewport": PHONE}),
        ("sample", f"{sample}?method=all", wide),
        ("crawl", "/crawl", wide),
        ("crawl-dark", "/crawl", dark),
        ("explain", f"/crawl/explain?url={links[-1] if links else ''}", wide),
        ("records", f"/records?url={lists}", wide),
        ("report", "/report", wide),
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
            path = folder / f"{name}.png"
            save(page.screenshot(full_page=is_long), path)
            taken.append(path)
        context.close()
    return taken


def save(data: bytes, path: Path) -> None:
    """Write a picture in 256 colours, those of the style sheet among them."""
    shot = Image.open(io.BytesIO(data)).convert("RGB")
    pixels = np.asarray(shot).reshape(-1, 3)
    colours, where = np.unique(pixels, axis=0, return_inverse=True)
    shown = set(map(bytes, colours))
    named = {*map(bytes.fromhex, re.findall("#([0-9a-f]{6})", STYLE.read_text(encoding="utf-8")))}
    ours = [list(colour) for colour in sorted(named & shown)]
    found = shot.quantize(256 - len(ours), Image.Quantize.FASTOCTREE).getpalette() or []
    palette = np.array([*ours, *np.reshape(found, (-1, 3)).tolist()], np.float32)[:256]
    # The nearest of all: what Pillow does with a given palette takes some for others.
    near = (palette**2).sum(1) - 2 * colours.astype(np.float32) @ palette.T
    drawn = Image.fromarray(near.argmin(1).astype(np.uint8)[where.ravel()].reshape(shot.size[::-1]))
    drawn.putpalette(palette.astype(np.uint8).tobytes())
    drawn.save(path, optimize=True)


def take_all(root: Path) -> None:
    """Take the pictures of a collection."""
    with running(open_collection(root)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        for path in take(address, FOLDER, browser):
            sys.stdout.write(f"{path}\n")
        browser.close()
    take_annotating(root, FOLDER, save)


def main() -> None:
    """Take the pictures of the collection that is named, or of a demo."""
    if len(sys.argv) > 1:
        take_all(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # pages that name the collection's folder show a short path
        subprocess.run([sys.executable, "-m", "blickfang", "demo", "demo"], check=True)
        take_all(Path("demo"))
        os.chdir(FOLDER)


if __name__ == "__main__":
    main()
