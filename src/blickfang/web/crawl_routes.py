"""The crawl, live: a dashboard that follows it, buttons, explanations, figures for Prometheus.

In: requests. Out: pages; a stream of the parts of the dashboard that changed; text for Prometheus.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from blickfang.config import Collection
from blickfang.crawl.crawl_admin import explain_url, show_consent
from blickfang.crawl.state.control import WISHES, ask, is_at_work
from blickfang.errors import InputError
from blickfang.web.crawl_curves import draw_buckets, draw_on_topic, draw_perplexity, draw_speed
from blickfang.web.crawl_view import View, Watched
from blickfang.web.render_pages import read_field, render, show
from blickfang.web.sample_routes import sign_picture

EVERY_S = 1.0
QUIET_EVERY_S = 5.0  # where nothing runs
PARTS = ("state", "figures", "curves", "failures", "hosts", "images")
FOCUSED = "focused+images"


def prepare(app: Starlette) -> None:
    """Keep what was read of the crawl."""
    app.state.watched = Watched(app.state.collection.crawl_folder)


def show_crawl(request: Request) -> Response:
    """Show the dashboard."""
    return show(request, "crawl.html", parts=draw_parts(request))


def draw_parts(request: Request) -> dict[str, str]:
    """Return the parts of the dashboard as HTML, by name."""
    state = request.app.state
    view = state.watched.look()
    least = least_relevance(state.collection)
    on_topic, rated = view.on_topic(least)
    values: dict[str, Any] = {
        "view": view,
        "on_topic": on_topic / rated if rated else None,
        "limit": state.collection.settings.crawl.max_pages,
        "csrf": request.state.csrf,
        "pictures": [(url, sign_picture(state.access, url)) for url in view.recent],
        "curves": [
            draw_on_topic(view.pages, least),
            draw_perplexity(view.pages),
            draw_speed(view.pages),
            draw_buckets(view.buckets),
        ]
        if view.pages
        else [],
    }
    return {name: render(f"crawl/{name}.html", **values) for name in PARTS}


def least_relevance(collection: Collection) -> float:
    """Return from which relevance on a page counts as on topic."""
    settings = collection.settings
    return settings.focus.on_topic if settings.crawl.mode == FOCUSED else 1.0


async def follow(request: Request) -> Response:
    """Send the parts of the dashboard, whenever they change."""
    return StreamingResponse(_send_changes(request), media_type="text/event-stream")


async def _send_changes(request: Request) -> AsyncIterator[str]:
    sent: dict[str, str] = {}
    while True:
        parts = await run_in_threadpool(draw_parts, request)
        for name, text in parts.items():
            if sent.get(name) != text:
                yield f"event: {name}\ndata: {json.dumps(text)}\n\n"
        sent = parts
        yield ": still here\n\n"
        state = request.app.state.watched.view.state
        await asyncio.sleep(QUIET_EVERY_S if state in ("none", "at rest") else EVERY_S)


def control(request: Request) -> Response:
    """Ask the running crawl to pause, to go on or to stop."""
    wish = read_field(request, "wish")
    folder = request.app.state.collection.crawl_folder
    if wish not in WISHES:
        raise InputError(f"a crawl can be asked to {', '.join(WISHES)}")
    if not is_at_work(folder):
        raise InputError("no crawl is running in this collection; start it with blickfang crawl")
    ask(folder, wish)
    return RedirectResponse("/crawl", 303)


def explain(request: Request) -> Response:
    """Say why an address has its place in the crawl, and what its host said."""
    url = request.query_params.get("url", "").strip()[:4000]
    collection = request.app.state.collection
    facts: Mapping[str, Any] = {}
    ledger: list[dict[str, Any]] = []
    trouble = ""
    if url:
        try:
            facts = explain_url(collection, url)
            ledger = show_consent(collection, url)
        except InputError as error:
            trouble = str(error)
    return show(request, "explain.html", url=url, facts=facts, ledger=ledger, trouble=trouble)


def write_metrics(request: Request) -> Response:
    """Write how the crawl stands, as Prometheus reads it."""
    view = request.app.state.watched.look()
    on_topic, rated = view.on_topic(least_relevance(request.app.state.collection))
    text = "".join(
        f"# HELP blickfang_{name} {meaning}\n# TYPE blickfang_{name} {kind}\n"
        + "".join(
            f"blickfang_{name}{_labels(labels)} {int(value) if isinstance(value, int) else value}\n"
            for labels, value in values
        )
        for name, kind, meaning, values in list_metrics(view, on_topic, rated)
    )
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


Values = list[tuple[dict[str, str], float]]


def list_metrics(view: View, on_topic: int, rated: int) -> list[tuple[str, str, str, Values]]:
    """Return name, type, meaning and values of every figure."""
    return [
        ("crawl_running", "gauge", "1 while a crawl runs", [({}, view.state == "running")]),
        ("crawl_paused", "gauge", "1 while a crawl is paused", [({}, view.state == "paused")]),
        ("pages_total", "counter", "pages fetched", [({}, len(view.pages))]),
        ("pages_rated_total", "counter", "pages with a known relevance", [({}, rated)]),
        ("pages_on_topic_total", "counter", "pages on topic", [({}, on_topic)]),
        ("pages_duplicate_total", "counter", "pages that repeat others", [({}, view.duplicates)]),
        ("images_total", "counter", "images fetched", [({}, view.images)]),
        ("bytes_total", "counter", "bytes fetched", [({}, view.bytes)]),
        ("pages_per_second", "gauge", "pages a second", [({}, round(view.pages_per_s, 3))]),
        ("hosts", "gauge", "hosts asked", [({}, view.hosts_seen)]),
        ("queued", "gauge", "queue", [({"kind": k}, n) for k, n in view.queued.items()]),
        (
            "queued_pages",
            "gauge",
            "pages queued in each bucket",
            [({"bucket": str(bucket)}, count) for bucket, count in view.buckets.items()],
        ),
        (
            "failures_total",
            "counter",
            "addresses that failed or were not asked for",
            [({"reason": reason[:200]}, count) for reason, count in view.failures[:100]],
        ),
    ]


def _labels(labels: Mapping[str, str]) -> str:
    """Return labels as Prometheus reads them.

    >>> _labels({"reason": 'a "b"'})
    '{reason="a \\\\"b\\\\""}'
    """
    if not labels:
        return ""
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    return "{" + ",".join(f'{k}="{v.translate(escapes)}"' for k, v in labels.items()) + "}"


ROUTES = [
    Route("/crawl", show_crawl),
    Route("/crawl/live", follow),
    Route("/crawl/control", control, methods=["POST"]),
    Route("/crawl/explain", explain),
    Route("/metrics", write_metrics),
]
