"""Which pages are rendered, and how what their scripts want is asked for.

In: an answer that was judged. Out: the page as a browser makes it, None if it needs none. Scripts
and data come through the same gate and pace as everything else; hosts of other shards are asked by
these, for nobody here knows their pace.
"""

from typing import NamedTuple

from blickfang.crawl.asker import Asker
from blickfang.crawl.errands import RULES
from blickfang.crawl.gate import name_refusal
from blickfang.crawl.options import CrawlOptions
from blickfang.crawl.render import Renderer, to_response
from blickfang.io.urls import host as host_of
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure, Response

SCRIPT_BYTES = 5_000_000
NOT_BROUGHT = "another shard did not bring it"


class RenderedPage(NamedTuple):
    """A page after its scripts have run."""

    response: Response


class Rendering:
    """Renders the pages of a shard that need it."""

    def __init__(self, options: CrawlOptions, asker: Asker, renderer: Renderer) -> None:
        self.options, self.asker, self.renderer = options, asker, renderer

    async def render(self, page: Exchange, needs_it: bool) -> RenderedPage | Failure | None:
        """Render a page if the settings and the page call for it."""
        if self.options.render == "never" or (self.options.render == "auto" and not needs_it):
            return None
        found = await self.renderer.render(page, self._ask)
        return found if isinstance(found, Failure) else RenderedPage(to_response(page, found))

    async def _ask(self, url: str, kind: str) -> Exchange | Failure:
        """Ask for a script or for data, whoever owns its host."""
        host = host_of(url)
        if self.asker.is_ours(host):
            return await self._ask_here(url, host, kind)
        answer = await self.asker.ask_elsewhere(url, host, kind)
        return Failure(url, "render", NOT_BROUGHT) if isinstance(answer, Later) else answer

    async def ask_for_others(self, url: str, kind: str) -> Exchange | Failure | Later:
        """Ask a host of ours for what another shard needs of it."""
        if kind == RULES:
            return await self.asker.ask_rules_for_others(url)
        return await self._ask_here(url, host_of(url), kind)

    async def _ask_here(self, url: str, host: str, kind: str) -> Exchange | Failure:
        refusal = await self.asker.permit(url, host)
        if refusal:
            return Failure(url, "consent", name_refusal(refusal))
        accept = "*/*" if kind == "script" else "application/json,*/*;q=0.5"
        return await self.asker.ask(url, host, accept=accept, limit=SCRIPT_BYTES)
