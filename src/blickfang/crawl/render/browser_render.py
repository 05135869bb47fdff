"""Pages that need JavaScript, as a browser makes them.

In: an answer that is an empty shell (js_shell.py tells), and `ask`, which fetches what its scripts
want (render_requests.py). Out: the page after its scripts have run, or a `Failure` with one of the
fixed reasons. The browser has no network and its clock runs ahead whenever the page only waits:
what a page does in its first ten seconds takes as long as its requests do.
"""

import asyncio
import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from blickfang.crawl.render.render_requests import Ask, Pantry, RenderLimits, Wishes
from blickfang.errors import SettingsError
from blickfang.io.chromium import (
    MISSING_PACKAGE,
    find_chromium,
    find_process,
    import_playwright,
    launch_options,
    limit_memory,
)
from blickfang.io.log import LOGGER
from blickfang.io.urls import canonical
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure, Response

ROOM = "render"
NEEDS_PACKAGE = "needs [browser]: pip install 'blickfang[browser]'"
NEEDS_BROWSER = "needs [browser]: no Chromium on this machine"
NO_START = "browser does not start"
TIMED_OUT = "browser timed out"
DIED = "browser died"
CRASHED = "page crashed in the browser"
NOT_OPENED = "browser could not open it"
LEFT = "its scripts left the page"

HTML = "text/html; charset=utf-8"
TURNS, TURN_MS = 2, 5000  # on the clock of the page
CLOCK = "Emulation.setVirtualTimePolicy"
STOPPED = {"policy": "pause"}
RUNNING = {"policy": "pauseIfNetworkFetchesPending", "budget": TURN_MS}
# Painting has a clock of its own; what comes into view only does so when it is painted.
FRAMES = {
    "expression": "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
    "awaitPromise": True,
}
SNAPSHOT_S = 5.0
CLOSING_S = 5.0
STARTING_S = 30.0
STARTS = 3  # of a browser, in a row, before we give up
# As wide as a screen; as high as many, for pages that load what comes into view.
VIEWPORT = {"width": 1280, "height": 6000}

# Returned: the document, shadow trees in their places, and its address. Notes for those without
# scripts are left out. Where scripts have changed the address, links must start from the new one;
# where they would have gone on, the document says so as one without scripts does.
SNAPSHOT = """(({asked, goal, most}) => {
  for (const note of document.querySelectorAll("noscript"))
    if (!/<img/i.test(note.textContent)) note.remove();
  if (location.href.split("#")[0] != asked && document.head && !document.querySelector("base")) {
    const base = document.createElement("base");
    base.href = location.href;
    document.head.prepend(base);
  }
  if (goal && document.head) {
    const refresh = document.createElement("meta");
    refresh.httpEquiv = "refresh";
    refresh.content = "0; url=" + goal;
    document.head.append(refresh);
  }
  const inert = document.implementation.createHTMLDocument("");
  const flatten = node => {
    const copy = inert.importNode(node, false);
    const given = node.localName == "slot" ? node.assignedNodes() : [];
    const inner = node.shadowRoot || node;
    for (const child of given.length ? given : inner.childNodes) copy.append(flatten(child));
    return copy;
  };
  let top = document.documentElement;
  if ([...document.querySelectorAll("*")].some(element => element.shadowRoot))
    try { top = flatten(top); } catch {}  // too deep
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  return {html: (type + (top ? top.outerHTML : "")).slice(0, most), url: location.href};
})(%s)"""


class Rendered(NamedTuple):
    """A page after its scripts have run."""

    html: bytes  # in UTF-8
    final_url: str  # canonical; scripts may have changed it
    requests: int  # that were asked for it
    took_s: float
    leads_to: str = ""  # canonical; where its scripts would have gone on, "" for most
    settled: bool = True  # it did all it wanted to do, within the limits


def to_response(page: Exchange, rendered: Rendered) -> Response:
    """Return a rendered page as readers of pages need it; what headers say of it still holds."""
    headers = {**page.headers, "content-type": HTML}
    return Response(page.url, page.status, headers, rendered.html, page.fetched_at)


@dataclass(slots=True)
class Running:
    """A browser that runs."""

    driver: Any
    browser: Any
    line: Any  # to the browser as a whole
    process: int
    begun: int = 0  # pages
    open: int = 0


class Renderer:
    """Renders pages, a few at once, in a browser that is started when the first one comes."""

    def __init__(
        self, limits: RenderLimits | None = None, executable: str | Path | None = None
    ) -> None:
        self.limits = limits or RenderLimits()
        self.missing = ""  # why nothing can be rendered
        self._pantry = Pantry(self.limits.megabytes)
        self._places = asyncio.Semaphore(self.limits.pages)
        self._starting = asyncio.Lock()
        self._running: Running | None = None
        self._failed_starts = 0
        try:
            self._api = import_playwright("async_api")
            self.missing = NEEDS_BROWSER
            self._executable = find_chromium(executable)
            self.missing = ""
        except SettingsError as error:
            needed = NEEDS_PACKAGE if str(error) == MISSING_PACKAGE else f"needs [browser]: {error}"
            self.missing = self.missing or needed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        running, self._running = self._running, None
        if running is not None:
            await self._stop(running)

    async def render(self, page: Exchange, ask: Ask) -> Rendered | Failure:
        """Run the scripts of a page; `ask` fetches what they want, under the rules of the crawl."""
        if self.missing:
            return Failure(page.url, ROOM, self.missing)
        async with self._places:
            running = await self._get_browser()
            if running is None:
                return Failure(page.url, ROOM, self.missing or NO_START)
            running.begun += 1
            running.open += 1
            try:
                return await self._render(running, page, ask)
            finally:
                running.open -= 1
                if not running.open and running is not self._running:
                    await self._stop(running)

    async def _render(self, running: Running, page: Exchange, ask: Ask) -> Rendered | Failure:
        wishes = Wishes(page, ask, self.limits, self._pantry)
        begun = time.monotonic()
        lost = partial(_end, wishes, DIED)
        running.browser.on("disconnected", lost)
        try:
            found = await self._show(running, wishes)
        except Exception as error:
            alive = await self._is_alive(running)
            if alive and not isinstance(error, self._api.Error | TimeoutError):
                raise  # our own mistake
            slow = isinstance(error, TimeoutError | self._api.TimeoutError)
            found = wishes.reason or (TIMED_OUT if slow else NOT_OPENED if alive else DIED)
        finally:
            running.browser.remove_listener("disconnected", lost)
            await wishes.close()
        if isinstance(found, str):
            return Failure(page.url, ROOM, found)
        return Rendered(
            found["html"].encode("utf-8", "replace"),
            canonical(found["url"]) or page.url,
            wishes.requests,
            time.monotonic() - begun,
            wishes.leads_to,
            wishes.is_settled,
        )

    async def _show(self, running: Running, wishes: Wishes) -> dict[str, str] | str:
        """Return what becomes of a page, or why nothing does."""
        context = None
        try:
            async with asyncio.timeout(STARTING_S):
                context = await running.browser.new_context(
                    service_workers="block", accept_downloads=False, viewport=VIEWPORT
                )
                session = await self._open(context, wishes)
            await self._run(session, wishes)
            if wishes.reason:
                return wishes.reason
            async with asyncio.timeout(SNAPSHOT_S):
                return await self._snapshot(session, wishes)
        finally:
            wishes.end()
            if context is not None:
                await self._close(running, context)

    async def _open(self, context: Any, wishes: Wishes) -> Any:
        """Open a page, which then waits for its clock; return a line to it."""

        async def answer(route: Any) -> None:
            await wishes.answer(route, self._api.Error)

        await context.route("**/*", answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        page.on("crash", partial(_end, wishes, CRASHED))
        context.on("page", lambda other: other.close())  # windows that scripts open
        await session.send(CLOCK, STOPPED)
        await page.goto(wishes.page.url, wait_until="commit", timeout=STARTING_S * 1000)
        return session

    async def _run(self, session: Any, wishes: Wishes) -> None:
        """Let the clock of a page run until it has settled, is stuck or out of time."""
        expired = asyncio.Event()
        session.on("Emulation.virtualTimeBudgetExpired", lambda _: expired.set())

        async def run_clock() -> None:
            with contextlib.suppress(self._api.Error):  # the page may be gone
                for _ in range(TURNS):
                    expired.clear()
                    await session.send(CLOCK, RUNNING)
                    await expired.wait()
                    await session.send("Runtime.evaluate", FRAMES)
                wishes.end(settled=True)

        clock = asyncio.get_running_loop().create_task(run_clock())  # a busy page answers late
        try:
            async with asyncio.timeout(self.limits.seconds):
                await wishes.wait()
        except TimeoutError:
            return  # what is there by then is the page
        finally:
            clock.cancel()

    async def _snapshot(self, session: Any, wishes: Wishes) -> dict[str, str] | str:
        """Return the document, seen from a world that its scripts cannot reach."""
        tree = await session.send("Page.getFrameTree")
        world = await session.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
        )
        asked, goal, most = wishes.page.url, wishes.leads_to, self.limits.html_bytes
        given = json.dumps({"asked": asked, "goal": goal, "most": most})
        answer = await session.send(
            "Runtime.evaluate",
            {
                "expression": SNAPSHOT % given,
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        found: dict[str, str] | None = answer["result"].get("value")
        if found is None:
            raise self._api.Error("no document")
        return found if found["url"].startswith(("http:", "https:")) else LEFT

    async def _is_alive(self, running: Running) -> bool:
        """Whether a browser answers; one that does not is not used again."""
        try:
            async with asyncio.timeout(CLOSING_S):
                await running.line.send("Browser.getVersion")
        except Exception:  # of a driver that is gone it may be any
            LOGGER.debug("the browser does not answer", exc_info=True)
            if self._running is running:
                self._running = None
            return False
        return True

    async def _close(self, running: Running, context: Any) -> None:
        """Close a page, whatever it is doing."""
        try:
            async with asyncio.timeout(CLOSING_S):
                await context.close()
        except TimeoutError:
            _kill(running)
        except self._api.Error:  # it is gone already
            return

    async def _get_browser(self) -> Running | None:
        """Return a browser; another one when it has died or has shown many pages."""
        async with self._starting:
            running = self._running
            if running is not None:
                worn = running.begun >= self.limits.pages_per_browser
                if running.browser.is_connected() and not worn:
                    return running
                self._running = None
                if not running.open:
                    await self._stop(running)
            if self.missing:
                return None
            self._running = await self._start()
            self._failed_starts = 0 if self._running else self._failed_starts + 1
            if self._failed_starts >= STARTS:
                self.missing = NO_START
            return self._running

    async def _start(self) -> Running | None:
        running = Running(None, None, None, 0)
        try:
            async with asyncio.timeout(STARTING_S):
                running.driver = await self._api.async_playwright().start()
                running.browser = await running.driver.chromium.launch(
                    **launch_options(self._executable)
                )
                running.line = await running.browser.new_browser_cdp_session()
                found = await running.line.send("SystemInfo.getProcessInfo")
                running.process = find_process(found)
        except BaseException as error:
            await self._stop(running)
            if isinstance(error, self._api.Error | TimeoutError):
                return None
            raise
        limit_memory(running.process, self.limits.memory_mb * 2**20)
        return running

    async def _stop(self, running: Running) -> None:
        for thing, end in ((running.browser, "close"), (running.driver, "stop")):
            if thing is not None:
                try:
                    async with asyncio.timeout(CLOSING_S):
                        await getattr(thing, end)()
                except Exception:  # it may have crashed already
                    LOGGER.debug("the browser does not end", exc_info=True)
                    _kill(running)
                running.process = 0


def _end(wishes: Wishes, reason: str, _: Any) -> None:
    wishes.end(reason=reason)


def _kill(running: Running) -> None:
    process, running.process = running.process, 0  # another one may be given its number
    if process:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
