"""Each kind of page of the application in Chromium, each of its controls used once.

In: the address of a running application. Out: how many clicks that were; what scripts complain of,
and what is answered, goes to the trail. A kind of page is a route, with or without parameters; new
kinds are those that pages link to or that a click leads to. Controls are told apart by what they
are, not by the sample or person they belong to. Forms are filled in with something that fits.
"""

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as Interrupted
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

from tests.app.webs import draw_png
from tests.walk import CHROMIUM, Trail

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
MOST_CLICKS = 60  # on a kind of page
SETTLE_MS = 120
MOST_WAITS = 100  # for an answer, each so long
PICTURE = draw_png((200, 60, 40))
PASTED = "<ul>" + "".join(f"<li><b>N {n}</b> <i>{n},50</i></li>" for n in range(6)) + "</ul>"
# Crawled pages in their frames: what the policy forbids them is said there, as it should be.
FORBIDDEN = "Content Security Policy"
SANDBOXED = "is sandboxed"
LOADING = "Failed to load resource"  # what is answered is looked at itself
FILL = """async ([pasted, url]) => {
  for (const field of document.querySelectorAll("input, textarea")) {
    const isWanted = field.required || field.type === "search" || field.name === "rule";
    if (!isWanted || field.value) continue;
    if (field.type === "file") {  // what was taken out can be read in again
      const answer = await fetch(field.form.action.replace("/import", "/export/tsv"));
      const data = new DataTransfer();
      data.items.add(new File([await answer.text()], "labels.tsv"));
      field.files = data.files;
    } else if (field.name === "names") field.value = `Ada ${Date.now()}\\nBen ${Date.now()}`;
    else field.value = {html: pasted, url}[field.name] ?? "bird";
  }
  document.querySelector("#grid input[name=id]")?.click();
  [...document.querySelectorAll("#questions fieldset")].at(-1)?.querySelector("button").click();
}"""
NEXT = """(seen) => {
  const plain = (text) => (text ?? "").replace(/[\\d.,]+/g, "").trim().slice(0, 40);
  const address = (href) => {
    const url = new URL(href, location.href);
    const path = url.pathname.replace(/[0-9a-f]{16,}|[\\w-]{20,}/g, "*");
    return path + "?" + [...new Set(url.searchParams.keys())].sort();
  };
  const inputs = ["checkbox", "radio", "file"].map((type) => `input[type=${type}]`);
  const kinds = ["a[href]", "button", "summary", "select", ...inputs].join();
  for (const one of document.querySelectorAll(kinds)) {
    const isFile = one.type === "file";
    if (one.disabled || (!isFile && !one.checkVisibility({visibilityProperty: true}))) continue;
    if (one.tagName === "A" && new URL(one.href, location.href).host !== location.host) continue;
    const name = one.tagName === "A"
      ? ["a", address(one.href), one.className]
      : [one.tagName, one.type, one.name, one.id.replace(/\\d+/g, ""), one.className,
         address(one.getAttribute("formaction") ?? one.form?.getAttribute("action") ?? ""),
         one.tagName === "BUTTON" ? plain(one.innerText) : ""];
    const isEverywhere = one.closest("header, .skip");
    const sign = isEverywhere ? `of all pages ${one.className} ${one.innerText}` : name.join(" ");
    if (seen.includes(sign)) continue;
    one.dataset.walk = "next";
    return [sign, one.tagName, one.type ?? ""];
  }
  return null;
}"""
LINKS = """() => [...document.querySelectorAll("a[href], iframe[src]")]
  .map((one) => new URL(one.getAttribute("href") ?? one.getAttribute("src"), location.href))
  .filter((url) => url.host === location.host)
  .map((url) => url.pathname + url.search)"""


class Clicker:
    """A browser that goes through the application."""

    def __init__(self, context: Any, base: str, trail: Trail, page_url: str) -> None:
        self.context, self.base, self.trail, self.page_url = context, base, trail, page_url
        self.kinds: set[tuple[str, bool]] = set()
        self.used: dict[str, list[str]] = {}  # of a route: controls
        self.everywhere: list[str] = []  # controls that all pages have
        self.waiting: list[str] = []
        self.clicks = 0
        self.sent: set[Any] = set()  # changes that are not answered yet
        self.page = context.new_page()
        context.on("request", self.send)
        context.on("requestfailed", lambda request: self.sent.discard(request))
        context.on("response", self.hear)
        context.on("console", self.read)
        context.on("weberror", lambda error: self.complain(str(error.error)))
        context.on("dialog", lambda dialog: dialog.accept())
        self.page.on("download", self.take)

    def send(self, request: Any) -> None:
        """Keep that something is to be changed; a page that is left tells nothing."""
        if request.method == "POST" and not request.url.endswith("/leave"):
            self.sent.add(request)

    def hear(self, answer: Any) -> None:
        """Keep what was answered."""
        self.sent.discard(answer.request)
        if answer.url.startswith(self.base):
            self.trail.note(answer.request.method, answer.url, answer.status)

    def take(self, download: Any) -> None:
        """Keep that a file came: the browser tells of no answer then."""
        path = urlsplit(download.url).path
        self.trail.note("POST" if self.trail.route_of("POST", path)[0] else "GET", path, 200)

    def read(self, message: Any) -> None:
        """Keep what a page complains of."""
        expected = (LOADING, FORBIDDEN, SANDBOXED)
        if message.type == "error" and not any(text in message.text for text in expected):
            self.complain(message.text)

    def complain(self, text: str) -> None:
        """Keep what is wrong, and where."""
        self.trail.complain("script", f"{self.page.url[len(self.base) :]}: {text}")

    def meet(self, address: str) -> None:
        """Keep a kind of page that was not seen before: it comes next."""
        if not self.is_new(address):
            return
        answer = self.context.request.get(self.base + address)
        self.trail.note("GET", address, answer.status, is_link=True)
        there = answer.url[len(self.base) :]
        is_page = "text/html" in answer.headers.get("content-type", "")
        if is_page and (there == address or self.is_new(there)):
            self.waiting.append(there)

    def is_new(self, address: str) -> bool:
        """Whether an address is of a kind that was not seen before; the next one is not."""
        parts = urlsplit(address)
        kind = self.trail.route_of("GET", parts.path)[0], bool(parts.query)
        is_new = kind not in self.kinds
        self.kinds.add(kind)
        return is_new

    def walk(self) -> int:
        """Use every control of every kind of page; return how often something was clicked."""
        self.meet("/corpus")
        while self.waiting:
            address = self.waiting[-1]
            route = self.trail.route_of("GET", urlsplit(address).path)[0]
            used = self.used.setdefault(route, [])
            if len(used) >= MOST_CLICKS or not self.use_next(address, used):
                self.waiting.remove(address)
        return self.clicks

    def use_next(self, address: str, used: list[str]) -> bool:
        """Use a control of a page that was not used yet; return whether there was one."""
        self.go(address)
        for link in self.page.evaluate(LINKS):
            self.meet(link)
        if self.page.evaluate("document.title") == "Snapshot" or address.endswith("/report/page"):
            return False  # it is looked at; what was crawled is not clicked on
        self.page.evaluate(FILL, [PASTED, self.page_url])
        found = self.page.evaluate(NEXT, [*used, *self.everywhere])
        if found is None:
            return False
        sign, tag, kind = found
        (self.everywhere if sign.startswith("of all pages ") else used).append(sign)
        self.clicks += 1
        self.use(self.page.locator("[data-walk=next]"), tag, kind)
        self.page.wait_for_load_state("load")
        self.page.wait_for_timeout(SETTLE_MS)
        for _ in range(MOST_WAITS):
            if not self.sent:
                break
            self.page.wait_for_timeout(SETTLE_MS)
        for other in self.context.pages[1:]:  # it opened in a tab of its own
            other.close()
        if self.page.url.startswith(self.base):
            self.meet(self.page.url[len(self.base) :].partition("#")[0])
        return True

    def go(self, address: str) -> None:
        """Load a page anew; where the last click leads to may come in between."""
        for _ in range(3):
            try:
                self.page.goto(self.base + address, wait_until="load")
                break
            except Interrupted:
                self.page.wait_for_timeout(500)
        self.page.wait_for_timeout(SETTLE_MS)

    def use(self, control: Any, tag: str, kind: str) -> None:
        """Click a control, or choose something by it."""
        if tag == "SELECT":
            control.select_option(index=control.locator("option").count() - 1)
        elif kind == "file":
            is_picture = control.get_attribute("accept")
            file = (
                ("x.png", "image/png", PICTURE) if is_picture else ("x.tsv", "text/plain", b"a\n")
            )
            name, mime, data = file
            control.set_input_files({"name": name, "mimeType": mime, "buffer": data})
        else:
            control.evaluate("one => one.scrollIntoView({block: 'center', behavior: 'instant'})")
            try:
                control.click(timeout=1500, no_wait_after=True)
            except TooLate:  # it is shown only to who comes by the keyboard
                control.press("Space" if kind == "checkbox" else "Enter", no_wait_after=True)


def click_through(base: str, trail: Trail, page_url: str) -> int:
    """Use every control of every kind of page once; return how many that were."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        clicker = Clicker(browser.new_context(base_url=base), base, trail, page_url)
        clicks = clicker.walk()
        browser.close()
    return clicks
