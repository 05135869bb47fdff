"""A real browser, started once and kept: for measuring a page, and for pages that need scripts.

In: an address, a function that knows what is stored under each address, and a script. Out: what
the script returns. The browser never reaches the network: what the function does not know is not
there. Needs the extra `browser` (Playwright) and a Chromium on this machine.
"""

import contextlib
import importlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from blickfang.errors import InputError, SettingsError


class StoredAnswer(NamedTuple):
    """What is stored under an address; the body as it is read, not as it was sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetch = Callable[[str], tuple[int, Mapping[str, str], bytes] | None]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # not even a name is looked up,
    "--proxy-server=http://127.0.0.1:9",  # and what no rule catches ends at a closed door
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # no rule catches what is no TCP
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its other name
)
# Of stored headers these describe how the body travelled, not what it is; cookies are not kept,
# and what is said to robots may have several lines.
DROPPED = {
    "content-encoding",
    "content-length",
    "set-cookie",
    "transfer-encoding",
    "x-robots-tag",
}
MISSING_PACKAGE = 'Playwright is missing: pip install "blickfang[browser]"'
BROKEN_DRIVER = "Playwright does not start (on Debian and Ubuntu: apt install libatomic1)"
MISSING_BROWSER = (
    "no Chromium found: install one (on Debian and Ubuntu: apt install chromium) or give its path"
)


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """What a page may cost."""

    seconds: float = 20.0
    memory_mb: int = 2048  # of each process of the browser; on Linux
    requests: int = 500  # later ones are not answered
    megabytes: int = 64  # of all answers together
    width: int = 1000  # of the window, in pixels: the study's page
    height: int = 600


@dataclass(slots=True)
class RenderBudget:
    """What a page has used of its limits so far."""

    fetch: Fetch
    requests: int = 0
    size: int = 0


class Chromium:
    """A browser that starts with its first page and is used from one thread of its own."""

    def __init__(
        self, limits: BrowserLimits | None = None, executable: str | Path | None = None
    ) -> None:
        self.limits = limits or BrowserLimits()
        self._executable = find_chromium(executable)
        self._api = import_playwright("sync_api")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chromium")
        self._lock = threading.Lock()
        self._playwright: Any = None
        self._browser: Any = None
        self._pages: dict[bool, Any] = {}
        self._process = 0
        self._visit: RenderBudget | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def visit(
        self,
        url: str,
        fetch: Fetch,
        script: str,
        argument: Any = None,
        *,
        javascript: bool = False,
    ) -> Any:
        """Open an address and return what a script, given an argument, finds there.

        `fetch` answers every request, the first too, in the browser's thread. `javascript` is about
        the scripts of the page.
        """
        if not url.startswith(("http://", "https://")):
            raise InputError(f"a browser opens http and https addresses only, not {url[:80]}")
        call = (script, argument)
        with self._lock:
            self._thread.submit(self._get_page, javascript).result()  # starting is not the page's
            task = self._thread.submit(self._open, url, RenderBudget(fetch), call, javascript)
            return self._await(task, url)

    def close(self) -> None:
        """End the browser."""
        with self._lock:
            task = self._thread.submit(self._stop)
            try:
                task.result(self.limits.seconds)
            except TimeoutError:
                self._kill()
        self._thread.shutdown(wait=True)

    def _await(self, task: "Future[Any]", url: str) -> Any:
        try:
            return task.result(self.limits.seconds)
        except TimeoutError:
            self._kill()  # the only way out of a page that never ends
            with contextlib.suppress(Exception):
                task.result(self.limits.seconds)
            raise InputError(f"{url} took longer than {self.limits.seconds:g} s") from None

    def _open(
        self, url: str, visit: RenderBudget, script: tuple[str, Any], javascript: bool
    ) -> Any:
        self._visit = visit
        try:
            page = self._get_page(javascript)
            page.goto(url, wait_until="load", timeout=self.limits.seconds * 1000)
            return page.evaluate(*script)
        except self._api.Error as error:
            self._stop()
            reason = error.message.splitlines()[0]
            raise InputError(f"the browser could not open {url}: {reason}") from error
        finally:
            self._visit = None

    def _get_page(self, javascript: bool) -> Any:
        if self._browser is None or not self._browser.is_connected():
            self._stop()
            self._launch()
        if javascript not in self._pages:
            limits = self.limits
            context = self._browser.new_context(
                java_script_enabled=javascript,
                service_workers="block",
                accept_downloads=False,
                viewport={"width": limits.width, "height": limits.height},
            )
            context.route("**/*", self._answer)
            context.route_web_socket("**/*", lambda socket: socket.close())
            page = context.new_page()
            page.on("dialog", lambda dialog: dialog.dismiss())
            self._pages[javascript] = page
        page = self._pages[javascript]
        page.context.clear_cookies()
        return page

    def _launch(self) -> None:
        self._playwright = self._api.sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(**launch_options(self._executable))
        except self._api.Error as error:
            self._stop()
            reason = error.message.splitlines()[0]
            raise SettingsError(f"{self._executable} does not start: {reason}") from error
        session = self._browser.new_browser_cdp_session()
        self._process = find_process(session.send("SystemInfo.getProcessInfo"))
        limit_memory(self._process, self.limits.memory_mb * 2**20)

    def _answer(self, route: Any) -> None:
        answer = self._look_up(self._visit, route.request.url) if self._visit else None
        if answer is not None:
            headers = {k: v for k, v in answer.headers.items() if k.lower() not in DROPPED}
            route.fulfill(status=answer.status, headers=headers, body=answer.body)
        else:
            route.abort()

    def _look_up(self, visit: RenderBudget, url: str) -> StoredAnswer | None:
        visit.requests += 1
        if visit.requests > self.limits.requests:
            return None
        found = visit.fetch(url)
        if found is None:
            return None
        answer = StoredAnswer(*found)
        visit.size += len(answer.body)
        return answer if visit.size <= self.limits.megabytes * 10**6 else None

    def _stop(self) -> None:
        self._pages.clear()
        for thing, end in ((self._browser, "close"), (self._playwright, "stop")):
            if thing is not None:
                with contextlib.suppress(Exception):  # it may have crashed already
                    getattr(thing, end)()
        self._browser = self._playwright = None
        self._process = 0

    def _kill(self) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)


def import_playwright(name: str) -> Any:
    """Return one of the two faces of Playwright: sync_api or async_api."""
    try:
        found = importlib.import_module(f"playwright.{name}")
    except ImportError as error:
        raise SettingsError(MISSING_PACKAGE) from error
    if trouble := try_driver(Path(str(found.__file__)).parent / "driver" / "node"):
        raise SettingsError(f"{BROKEN_DRIVER}: {trouble}")
    return found


@cache
def try_driver(program: Path) -> str:
    """Return why the program that drives browsers does not start, "" if it does.

    It wants a library that a small Debian does not have, and says so where nobody sees it.
    """
    if not program.exists():  # its name is another one on this system
        return ""
    try:
        done = subprocess.run(  # noqa: S603 -- a program of an installed package
            [program, "--version"], capture_output=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.decode(errors="replace").strip()[-300:] if done.returncode else ""


def launch_options(executable: Path) -> dict[str, Any]:
    """Return how a browser is started: in a sandbox, for what it shows is of strangers.

    As root there is none: then a container, or an account of its own, must be one. Signals are for
    us alone: at a Ctrl-C the browser would end before the work that needs it.
    """
    signals = dict.fromkeys(("handle_sigint", "handle_sigterm", "handle_sighup"), False)
    return {
        "executable_path": str(executable),
        "args": list(FLAGS),
        "headless": True,
        "ignore_default_args": ["--disable-popup-blocking"],
        "chromium_sandbox": hasattr(os, "geteuid") and os.geteuid() != 0,
        **signals,
    }


def find_process(info: Mapping[str, Any]) -> int:
    """Return the number of the browser's first process, of what it says about itself."""
    return next(int(one["id"]) for one in info["processInfo"] if one["type"] == "browser")


def find_chromium(executable: str | Path | None = None) -> Path:
    """Return the path of a Chromium, the one that is given or the one of this machine."""
    if executable is not None:
        if not Path(executable).is_file():
            raise SettingsError(f"{executable} is no browser: {MISSING_BROWSER}")
        return Path(executable)
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    raise SettingsError(MISSING_BROWSER)


def limit_memory(process: int, size: int) -> None:
    """Limit the memory of a process and of all it has started; only Linux can."""
    if sys.platform == "linux":
        for one in find_descendants(process):  # what they start later inherits it
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(one, resource.RLIMIT_DATA, (size, size))


def find_descendants(process: int) -> list[int]:
    """Return a process and all that it has started, on systems that tell (/proc)."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [process]
    for parent in found:
        found += children.get(parent, [])
    return found
