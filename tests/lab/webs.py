"""A small web in an archive: two hosts about owls, three about other things, a redirect.

In: nothing. Out: WARC files, and the settings of a collection that crawls them.
"""

import json
from pathlib import Path

from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange

OWLS = "the barn owl hunts at night over the meadow and feeds its owlets with voles in the nest box"
OTHERS = {
    "cars": "the engine of this car has a new gearbox and the garage sells tyres for the motorway",
    "law": "the court decided that the contract was void because the clause of the lease is unfair",
    "chess": "the opening gambit gives white a pawn more and the bishop holds the long diagonal",
}
PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x58\0\0\x01\x90\x08\x02\0\0\0" + b"\0" * 40
)  # says that it is 600 x 400
PER_HOST = 8
WORDS = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel"]


def page(title: str, text: str, links: list[str], image: str = "") -> bytes:
    """Return a page."""
    anchors = "".join(f'<p><a href="{url}">{url.rpartition("/")[2]}</a></p>' for url in links)
    shown = f'<img src="{image}" alt="{title}">' if image else ""
    return f"<title>{title}</title><h1>{title}</h1><p>{text}</p>{shown}{anchors}".encode()


def list_answers() -> dict[str, tuple[int, str, bytes]]:
    """Return status, type (or target of a redirect) and body of every address."""
    found: dict[str, tuple[int, str, bytes]] = {}
    hosts = {"owls.test": OWLS, "night.test": OWLS.replace("barn", "tawny")}
    hosts |= {f"{name}.test": text for name, text in OTHERS.items()}
    starts = [f"http://{host}/0" for host in hosts]
    for host, text in hosts.items():
        for number in range(PER_HOST):
            url = f"http://{host}/{number}"
            links = [f"http://{host}/{number + 1}", f"http://{host}/{(number * 3) % PER_HOST}"]
            links += starts if number == 0 else []
            body = page(f"{host} {number}", f"{text} {text} {WORDS[number]}", links, f"{url}.png")
            found[url] = (200, "text/html", body)
            found[f"{url}.png"] = (200, "image/png", PIXEL + url.encode())
    found["http://old.test/"] = (301, "http://cars.test/0", b"")
    return found


def record(folder: Path) -> Path:
    """Write the web into an archive."""
    with ArchiveWriter.open(folder, "web", None, {}) as archive:
        for url, (status, kind, body) in list_answers().items():
            name = "location" if status == 301 else "content-type"
            head = f"HTTP/1.1 {status} OK\r\n{name}: {kind}\r\n\r\n".encode()
            request = b"GET / HTTP/1.1\r\n\r\n"
            moment = "2026-01-01T00:00:00Z"
            archive.write(Exchange(url, request, head, status, {}, body, "", moment, 0.0, 0.0))
    return folder / "web-00000.warc.gz"


def write_settings(folder: Path, mode: str, max_pages: int = 30) -> Path:
    """Write the settings of a collection that knows three pages on owls."""
    folder.mkdir(parents=True, exist_ok=True)
    positive = [f"http://owls.test/{number}" for number in (1, 2, 3)]
    neutral = [f"http://{name}.test/{number}" for name in ("cars", "law") for number in (1, 2)]
    lines = [
        "[topic]",
        f"positive = {json.dumps(positive)}",
        f"neutral = {json.dumps(neutral)}",
        "[crawl]",
        'seeds = ["http://old.test/"]',
        f'mode = "{mode}"',
        f"max_pages = {max_pages}",
    ]
    (folder / "blickfang.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
