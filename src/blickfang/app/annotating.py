"""Tasks in the application: listed, made, watched while people answer, ended.

In: requests of the administrator. Out: pages. Results are made anew when somebody answered; an open
page is told so and fetches them. What people answer on is `answering.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from blickfang import annotate
from blickfang.annotate import LabelStore, make_task, plan_task, write_task
from blickfang.annotate.agreement import find_majority
from blickfang.annotate.presets import PRESETS
from blickfang.annotate.results import Results, collect_ratings
from blickfang.annotate.task import WAYS
from blickfang.app import answering
from blickfang.app.desks import prepare, store_of
from blickfang.app.planning import read_plan, write_lines
from blickfang.app.showing import read_field, read_upload, show
from blickfang.errors import BlickfangError, InputError
from blickfang.pipeline.annotating import export_task, start_task

KINDS = {"tsv": "text/tab-separated-values", "json": "application/json"}
LOOK_EVERY_S = 2.0
MOST_DISPUTED = 24


def list_all(request: Request) -> Response:
    """List all tasks."""
    tasks = annotate.list_tasks(store_of(request.app))
    return show(request, "annotate/tasks.html", tasks=tasks)


def plan(request: Request) -> Response:
    """Show the form that makes a task, filled in by a preset."""
    preset = request.query_params.get("preset", "topic")
    task = plan_task(preset, None, {})
    return _show_plan(request, preset, task, "")


def _show_plan(request: Request, preset: str, task: Any, problem: str) -> Response:
    return show(
        request,
        "annotate/new.html",
        400 if problem else 200,
        preset=preset,
        presets=list(PRESETS),
        ways=WAYS,
        task=task,
        toml=read_field(request, "toml") or write_task(task),
        problem=problem,
        # What was typed stays, whatever is wrong with it.
        said=lambda key, default: read_field(request, key, str(default)),
        ticked=lambda key, default: bool(read_field(request, key)) if problem else default,
        lines=write_lines(task),
    )


def make(request: Request) -> Response:
    """Make a task of what the form says."""
    preset = read_field(request, "preset", "topic")
    task = plan_task(preset if preset in PRESETS else "topic", None, {})
    try:
        task = make_task(read_plan(request, task))
        start_task(request.app.state.collection.root, task)
    except BlickfangError as error:
        return _show_plan(request, preset, task, str(error))
    return RedirectResponse(f"/annotate/task/{task.name}", 303)


def show_task(request: Request) -> Response:
    """Show a task: who is asked, what they said so far."""
    store, name = store_of(request.app), request.path_params["name"]
    return show(
        request,
        "annotate/task.html",
        people=annotate.list_annotators(store, name),
        address=str(request.base_url).rstrip("/"),
        **_results(request, name),
    )


def show_results(request: Request) -> Response:
    """Show only the results, for a page that is open."""
    return show(request, "annotate/results.html", **_results(request, request.path_params["name"]))


def _results(request: Request, name: str) -> dict[str, Any]:
    store = store_of(request.app)
    version = _version(request)
    results = annotate.measure(store, name)
    return {
        "results": results,
        "asked": results.asked,
        "task": results.asked.task,
        "labels": answering.label_names(results.asked.task.questions),
        "disputed": _find_disputed(store, results),
        "lesson": request.app.state.lessons.last.get(name),
        "version": version,
    }


def _version(request: Request) -> str:
    """Return a text that is another one when the page of a task is not up to date any more."""
    return f"{store_of(request.app).version()} {request.app.state.lessons.stamp()}"


def _find_disputed(store: LabelStore, results: Results) -> list[dict[str, Any]]:
    """Return items on which people disagree most: those without a majority."""
    task = results.asked.task
    labels = [
        label
        for label in annotate.list_labels(store, task.name)
        if label.counted and not label.gold
    ]
    found = []
    for question in task.questions:
        for (sample, text), rating in collect_ratings(labels, question.name).items():
            if len(rating) >= task.annotators and find_majority(rating) is None:
                found.append(
                    {"sample": sample, "text": text, "question": question.name, "votes": rating}
                )
    return found[:MOST_DISPUTED]


async def tell_changes(request: Request) -> Response:
    """Tell an open page when somebody answered."""

    async def events() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            version = await run_in_threadpool(_version, request)
            if version != last:
                last = version
                yield f"event: changed\ndata: {version}\n\n"
            await asyncio.sleep(LOOK_EVERY_S)

    return StreamingResponse(events(), media_type="text/event-stream")


def invite(request: Request) -> Response:
    """Invite people, a name a line."""
    store, name = store_of(request.app), request.path_params["name"]
    for person in read_field(request, "names").splitlines():
        if person.strip():
            annotate.invite(store, name, person)
    return _back(name, "people")


def revoke(request: Request) -> Response:
    """End the link of an annotator."""
    store, name = store_of(request.app), request.path_params["name"]
    annotate.revoke(
        store, name, read_field(request, "who"), discard=bool(read_field(request, "discard"))
    )
    return _back(name, "people")


def close(request: Request) -> Response:
    """End a task, or open it again."""
    store, name = store_of(request.app), request.path_params["name"]
    annotate.close_task(store, name, not annotate.find_task(store, name).closed)
    return _back(name)


def make_gold(request: Request) -> Response:
    """Make an item gold: the administrator knows its answer."""
    store, name = store_of(request.app), request.path_params["name"]
    question, answer = read_field(request, "question"), read_field(request, "answer")
    annotate.set_gold(store, name, read_field(request, "sample"), {question: answer})
    return _back(name, "disputed")


def teach(request: Request) -> Response:
    """Learn from the labels of a task, or only measure what that would bring."""
    name = annotate.find_task(store_of(request.app), request.path_params["name"]).task.name
    request.app.state.lessons.start(name, apply=read_field(request, "do") == "learn")
    return _back(name, "lesson")


def bring_in(request: Request) -> Response:
    """Add labels from a file."""
    store, name = store_of(request.app), request.path_params["name"]
    try:
        text = read_upload(request, "file").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the file is no text in UTF-8") from error
    annotate.import_labels(store, name, text, read_field(request, "form", "tsv"))
    return _back(name)


def take_out(request: Request) -> Response:
    """Give the labels of a task as a file."""
    name, form = request.path_params["name"], request.path_params["form"]
    store = store_of(request.app)
    if form == "config":
        text, ending = annotate.label_studio_config(store, name), "xml"
    else:
        text = export_task(request.app.state.collection.root, store, name, form)
        ending = "tsv" if form == "tsv" else "json"
    headers = {"content-disposition": f'attachment; filename="{name}-{form}.{ending}"'}
    kind = KINDS.get(ending, "text/xml")
    return PlainTextResponse(text, headers=headers, media_type=kind)


async def show_picture(request: Request) -> Response:
    """Show a small picture of a sample."""

    def find(request: Request) -> Response:
        return answering.answer_picture(request, request.path_params["sample"], small=True)

    return await answering.make_picture(request, find)


def _back(name: str, place: str = "") -> Response:
    return RedirectResponse(f"/annotate/task/{name}" + (f"#{place}" if place else ""), 303)


ROUTES = (
    Route("/annotate", list_all),
    Route("/annotate/new", plan),
    Route("/annotate/new", make, methods=["POST"]),
    Route("/annotate/picture/{sample}", show_picture),
    Route("/annotate/task/{name}", show_task),
    Route("/annotate/task/{name}/results", show_results),
    Route("/annotate/task/{name}/live", tell_changes),
    Route("/annotate/task/{name}/invite", invite, methods=["POST"]),
    Route("/annotate/task/{name}/revoke", revoke, methods=["POST"]),
    Route("/annotate/task/{name}/close", close, methods=["POST"]),
    Route("/annotate/task/{name}/gold", make_gold, methods=["POST"]),
    Route("/annotate/task/{name}/learn", teach, methods=["POST"]),
    Route("/annotate/task/{name}/import", bring_in, methods=["POST"]),
    Route("/annotate/task/{name}/export/{form}", take_out),
    *answering.ROUTES,
)
OPEN = answering.OPEN
__all__ = ["OPEN", "ROUTES", "prepare"]
