"""Tasks in the application: listed, made, watched while people answer, ended.

In: requests of the administrator. Out: pages. Results are made anew when somebody answered; an open
page is told so and fetches them. What people answer on is `annotator_routes.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.io.text_files import parse_toml
from blickfang.web import annotate, annotator_routes
from blickfang.web.annotate import LabelStore, make_task, plan_task, write_task
from blickfang.web.annotate.agreement import find_majority
from blickfang.web.annotate.label_results import Results, collect_ratings
from blickfang.web.annotate.pass_on_labels import export_task
from blickfang.web.annotate.start_task import start_task
from blickfang.web.annotate.task import WAYS, Task, describe_task
from blickfang.web.annotate.task_presets import PRESETS
from blickfang.web.annotation_state import prepare, store_of
from blickfang.web.render_pages import read_field, read_upload, show

SLOTS = 4  # questions that a form has room for


def read_plan(request: Request, preset: Task) -> dict[str, Any]:
    """Return the values of a task that a form describes, beginning with a preset."""
    if read_field(request, "by") == "toml":
        return parse_toml(read_field(request, "toml"))
    values = describe_task(preset)
    for key in ("name", "title", "help"):
        values[key] = read_field(request, key).strip() or values[key]
    for key in ("annotators", "entry_test"):
        values[key] = _whole(request, key, values[key])
    values["gold_share"] = _whole(request, "gold_percent", 10) / 100
    values["entry_pass"] = _whole(request, "entry_percent", 70) / 100
    values["auto_advance"] = bool(read_field(request, "auto_advance"))
    values["two_phases"] = bool(read_field(request, "two_phases"))
    select = values["select"]
    select["count"] = _whole(request, "count", select["count"])
    for key in ("how", "where", "facet"):
        select[key] = read_field(request, key).strip()
    select["methods"] = read_field(request, "methods").replace(",", " ").split()
    values["question"] = _read_questions(request, values["question"])
    first = [category["name"] for category in values["question"][0]["categories"]]
    chosen = read_field(request, "on_topic").replace(",", " ").split()
    values["on_topic"] = chosen or first[:1]
    return values


def write_lines(task: Task) -> list[str]:
    """Return the categories of each question as lines, "" where a form has room for more."""
    known = [
        "\n".join(f"{c.key} | {c.name} | {c.label} | {c.meaning}" for c in question.categories)
        for question in task.questions
    ]
    return known[:SLOTS] + [""] * (SLOTS - len(known))


def _whole(request: Request, key: str, default: int) -> int:
    text = read_field(request, key).strip()
    try:
        return int(text) if text else default
    except ValueError as error:
        raise SettingsError(f"{key.replace('_', ' ')} must be a whole number") from error


def _read_questions(request: Request, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for slot in range(SLOTS):
        text = read_field(request, f"text{slot}").strip()
        if not text:
            continue
        old = known[slot] if slot < len(known) else {}
        categories = _read_categories(read_field(request, f"categories{slot}"))
        names = [category["name"] for category in categories]
        same = names == [category["name"] for category in old.get("categories", [])]
        found.append(
            {
                **old,
                "name": read_field(request, f"name{slot}").strip() or f"question-{slot + 1}",
                "text": text,
                "phase": 2 if slot and read_field(request, "two_phases") else 1,
                "ordered": bool(read_field(request, f"ordered{slot}")),
                "categories": categories,
                "merges": old.get("merges", {}) if same else {},
            }
        )
    if not found:
        raise SettingsError("there is no question; write at least one")
    return found


def _read_categories(text: str) -> list[dict[str, str]]:
    """Return the categories that lines describe.

    >>> _read_categories("1 | cat | a cat\\n2 | pet")
    [{'key': '1', 'name': 'cat', 'label': 'a cat'}, {'key': '2', 'name': 'pet'}]
    """
    keys = ("key", "name", "label", "meaning")
    found = [
        dict(zip(keys, (part.strip() for part in line.split("|")), strict=False))
        for line in text.splitlines()
        if line.strip()
    ]
    if any("name" not in category for category in found):
        raise SettingsError("write each category on a line of its own, as key | name | label")
    return found


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
        "labels": annotator_routes.label_names(results.asked.task.questions),
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
        return annotator_routes.answer_picture(request, request.path_params["sample"], small=True)

    return await annotator_routes.make_picture(request, find)


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
    *annotator_routes.ROUTES,
)
OPEN = annotator_routes.OPEN
__all__ = ["OPEN", "ROUTES", "prepare"]
