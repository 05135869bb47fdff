"""Scrapy as most people use it: parsel, LinkExtractor, kenlm, warcio, its own queue and filter.

In: an ARPA model of the topic, seeds (a file, one address a line), a proxy. Out: an archive of
gzipped records. The page, the text of each link and that of each image are scored; the priority of
a link is made of the scores of both.

    python -m benchmarks.peers.ordinary MODEL SEEDS ARCHIVE PROXY
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import kenlm
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

WORD = re.compile(r"[^\W\d_]+")
PAGE_SHARE, LINK_SHARE = 0.7, 0.3
BEYOND = 1000.0  # perplexities from which priorities do not differ any more
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "LOG_LEVEL": "WARNING",
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class Ordinary(Spider):
    """Scores pages and links, archives pages."""

    name = "ordinary"
    model: ClassVar[Any]
    writer: ClassVar[Any]
    seeds: ClassVar[list[str]]
    proxy: ClassVar[str]
    extractor = LinkExtractor()

    async def start(self) -> Any:
        """Give the seeds."""
        for url in self.seeds:
            yield Request(url, meta={"proxy": self.proxy})

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Score a page, archive it, follow its links."""
        if not isinstance(response, HtmlResponse):
            return
        texts = response.xpath("//body//text()[not(parent::script or parent::style)]").getall()
        page = self.perplexity(" ".join(texts))
        images = [
            (response.urljoin(image.attrib.get("src", "")), image.attrib.get("alt", ""))
            for image in response.css("img")
        ]
        scores = {url: self.perplexity(alt) for url, alt in images}
        self.keep(response, page, len(scores))
        for link in self.extractor.extract_links(response):
            score = PAGE_SHARE * page + LINK_SHARE * self.perplexity(link.text)
            priority = -int(min(score, BEYOND) / 10)
            yield Request(link.url, priority=priority, meta={"proxy": self.proxy})

    def perplexity(self, text: str) -> float:
        """Return how surprising a text is."""
        words = WORD.findall(text.lower())
        if not words:
            return BEYOND
        score: float = self.model.score(" ".join(words))
        return float(10.0 ** (-score / (len(words) + 1)))

    def keep(self, response: HtmlResponse, score: float, images: int) -> None:
        """Archive a page."""
        headers = [
            (name.decode(), b", ".join(values).decode())
            for name, values in response.headers.items()
        ]
        head = StatusAndHeaders(f"{response.status} OK", headers, protocol="HTTP/1.1")
        told = {"X-Score": f"{score:.3f}", "X-Images": str(images)}
        record = self.writer.create_warc_record(
            response.url,
            "response",
            payload=BytesIO(response.body),
            http_headers=head,
            warc_headers_dict=told,
        )
        self.writer.write_record(record)


def main() -> None:
    """Crawl until the process is ended."""
    model, seeds, archive, proxy = sys.argv[1:5]
    Ordinary.model = kenlm.Model(model)
    Ordinary.seeds = Path(seeds).read_text(encoding="utf-8").split()
    Ordinary.proxy = proxy
    with Path(archive).open("wb") as file:
        Ordinary.writer = WARCWriter(file, gzip=True)
        process = AsyncCrawlerProcess(SETTINGS)
        process.crawl(Ordinary)
        process.start()


if __name__ == "__main__":
    main()
