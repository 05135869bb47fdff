"""The guard at the door: every request passes it, every answer too.

In: requests. Out: those that call this server by one of its names, come from somebody who may, and,
where they change something, from one of our own pages; their bodies read within limits. Answers
get headers that forbid scripts, frames and addresses that are not ours.
"""

import re
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blickfang.io.log import report_bug
from blickfang.web.access import Access
from blickfang.web.render_pages import CSRF_FIELD, CSRF_HEADER, show_mistake

SESSION, ADMIN = "blickfang_session", "blickfang_admin"
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
LARGEST_BODY = 32_000_000
LARGEST_OF_GUESTS = 1_000_000  # of who is not the administrator: answers, a token
MOST_FIELDS = 20_000
LENGTH = re.compile("[0-9]{1,18}")
WAIT = "Too many wrong tokens came from your address: wait a minute."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; frame-src 'self'; font-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none at all, forms would not say where they come from
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class RequestGuard:
    """Stands before an application."""

    def __init__(self, app: ASGIApp, access: Access, open_paths: tuple[str, ...] = ()) -> None:
        """`open_paths` begin what needs no administrator: it knows its own visitors."""
        self.app, self.access, self.open_paths = app, access, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookies = _read_cookies(headers.get("cookie", ""))
        session = cookies.get(SESSION, "")
        fresh = not (session.isalnum() and len(session) == 32)
        session = secrets.token_hex(16) if fresh else session
        state = scope.setdefault("state", {})
        state.update(csrf=self.access.sign("form", session), form={}, body=b"")
        state["is_admin"] = self._is_admin(headers, cookies, caller_of(scope))
        made = f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax" if fresh else ""
        sent = Sent(send, made)
        answer = self._refuse(scope, headers)
        if answer is None and scope["method"] not in HARMLESS:
            most = LARGEST_BODY if state["is_admin"] else LARGEST_OF_GUESTS
            body = await _read_body(receive, headers, most)
            answer = await self._check_change(scope, headers, body)
            receive = _again(body or b"", receive)
        try:
            await (answer or self.app)(scope, receive, sent)
        except Exception as error:  # ours: starlette prints it, the visitor gets a page
            asked = getattr(scope.get("endpoint"), "__qualname__", "a page")  # paths have tokens
            report_bug(error, f"{scope['method']}: {asked}")
            if not sent.has_begun:
                sentence = "Something is broken here; blickfang.log in the collection says what."
                await show_mistake(Request(scope), 500, sentence)(scope, receive, sent)
            raise
        finally:
            if isinstance(state["form"], FormData):
                await state["form"].close()

    def _is_admin(self, headers: Headers, cookies: dict[str, str], who: str) -> bool:
        if not self.access.token:
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self.access.is_token(given.strip(), who):
            return True
        return self.access.is_signed(cookies.get(ADMIN, ""), "administrator")

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to who may not come in."""
        request = Request(scope)
        if not scope["query_string"].isascii():  # no browser sends this, and routing chokes on it
            return show_mistake(request, 400, "This is no address.")
        if not self.access.knows_name(headers.get("host", "")):
            sentence = "This server is not called that. Open it by the address it printed."
            return show_mistake(request, 421, sentence)
        path = str(scope["path"])
        if scope["state"]["is_admin"] or path.startswith(self.open_paths):
            return None
        if self.access.is_token(request.query_params.get("token", ""), caller_of(scope)):
            answer: Response = RedirectResponse(path, 303)
            let_in(answer, self.access)
            return answer
        if self.access.tries.is_over(caller_of(scope)):
            return show_mistake(request, 429, WAIT)
        return show_mistake(request, 401, "This page is for the administrator.", login=True)

    async def _check_change(
        self, scope: Scope, headers: Headers, body: bytes | None
    ) -> Response | None:
        """Read what a request brings; return the answer if no page of ours has sent it."""
        request = Request(scope, _again(body or b"", _nothing_more))
        if body is None:
            return show_mistake(request, 413, "That is too much at once.")
        if not _comes_from_us(headers):
            return show_mistake(request, 403, "Another site has sent this. Nothing was changed.")
        content_type = headers.get("content-type", "")
        kind = content_type.partition(";")[0].strip().lower()
        state = scope["state"]
        if kind == "multipart/form-data" and not _is_whole(body, content_type):
            return show_mistake(request, 400, "This form was cut off.")
        if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
            try:
                form = await request.form(max_fields=MOST_FIELDS, max_part_size=LARGEST_BODY)
            except (HTTPException, MultiPartException, ValueError, UnicodeError):
                return show_mistake(request, 400, "This form cannot be read.")
            state["form"] = form
        state["body"] = body
        given = headers.get(CSRF_HEADER) or state["form"].get(CSRF_FIELD, "")
        if not isinstance(given, str) or not secrets.compare_digest(
            given.encode(), str(state["csrf"]).encode()
        ):
            return show_mistake(request, 403, "This page is too old: reload it, and try again.")
        return None


def caller_of(scope: Scope) -> str:
    """Return the address that a request came from."""
    return str((scope.get("client") or ("",))[0])


def let_in(answer: Response, access: Access) -> None:
    """Let whoever gets this answer be the administrator from now on, until the server ends."""
    answer.set_cookie(ADMIN, access.sign("administrator"), httponly=True, samesite="lax")


def _is_whole(body: bytes, content_type: str) -> bool:
    """Whether a form in parts has its end: of a file that was cut off nobody closes the copy."""
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    return b"--" + boundary + b"--" in body


def _comes_from_us(headers: Headers) -> bool:
    """Whether a browser says that one of our pages sent this; other programs say nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin", "")
    try:
        return not origin or urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:  # as of http://[
        return False


def _read_cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


async def _read_body(receive: Receive, headers: Headers, most: int) -> bytes | None:
    """Return what a request brings, None if that is too much."""
    length = headers.get("content-length", "0")
    if not LENGTH.fullmatch(length) or int(length) > most:
        return None
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, rest: Receive) -> Receive:
    """Return a way to receive a body that was read, once, and then the rest: that somebody left."""
    is_first = True

    async def receive() -> Message:
        nonlocal is_first
        if is_first:
            is_first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await rest()

    return receive


async def _nothing_more() -> Message:
    return {"type": "http.disconnect"}


class Sent:
    """Sends answers with our headers, where they have none of their own."""

    def __init__(self, send: Send, cookie: str) -> None:
        self.send, self.cookie = send, cookie
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        """Send a part of an answer."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self.cookie:
                headers.append("set-cookie", self.cookie)
        await self.send(message)
