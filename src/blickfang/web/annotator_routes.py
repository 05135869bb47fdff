"""The pages of annotators: whoever has a personal link may answer, and nothing else.

In: a token in the address. Out: the page on which people answer, its help, the pictures of the
task, and the few addresses its script talks to: what is next, answers, leaving. All of them may be
asked again after a lost connection; nothing is counted twice.
"""

import json
from collections.abc import Callable
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from blickfang.errors import BlickfangError, InputError
from blickfang.web import annotate, thumbnail_cache
from blickfang.web.annotate import LabelStore, read_answers
from blickfang.web.annotate.assignment import NextItems
from blickfang.web.annotate.task import Question, Task
from blickfang.web.annotate.task_list import Annotator
from blickfang.web.annotation_state import bureau_of, store_of
from blickfang.web.render_pages import read_field, read_json, show, show_mistake

ARROWS = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→"}
PICTURES_AT_ONCE = 2
NOT_NOW = "Answers cannot be kept at the moment. Send them again in a while."
ENDED = "This link is of no use any more. Ask whoever sent it for a new one."


def _enter(request: Request) -> tuple[LabelStore, Annotator | None]:
    store = store_of(request.app)
    return store, annotate.find_annotator(store, request.path_params["token"])


def show_work(request: Request) -> Response:
    """Show the page on which people answer."""
    store, who = _enter(request)
    if who is None:
        return show_mistake(request, 404, ENDED)
    task, _ = annotate.task_of(store, who)
    return show(
        request,
        "annotate/work.html",
        task=task,
        who=who,
        link=f"/a/{who.token}",
        plan=json.dumps(describe_plan(task)),
    )


def show_help(request: Request) -> Response:
    """Show what is asked, with examples."""
    store, who = _enter(request)
    if who is None:
        return show_mistake(request, 404, ENDED)
    task, _ = annotate.task_of(store, who)
    return show(
        request,
        "annotate/help.html",
        task=task,
        link=f"/a/{who.token}",
        arrows=ARROWS,
        labels=label_names(task.questions),
    )


def label_names(questions: tuple[Question, ...]) -> dict[str, dict[str, str]]:
    """Return what answers are called for people, by question."""
    return {q.name: {c.name: c.label for c in q.categories} for q in questions}


def describe_plan(task: Task) -> dict[str, Any]:
    """Return what the script must know of a task."""
    return {
        "auto": task.auto_advance,
        "phases": task.two_phases,
        "skips": list(task.skip_reasons),
        "questions": [
            {
                "name": question.name,
                "text": question.text,
                "phase": question.phase,
                "each": question.each,
                "categories": [
                    {
                        "name": category.name,
                        "label": category.label,
                        "key": category.key,
                        "shown": ARROWS.get(category.key, category.key),
                        "meaning": category.meaning,
                    }
                    for category in question.categories
                ],
            }
            for question in task.questions
        ],
    }


def give_next(request: Request) -> Response:
    """Give the next items; what is held already comes first."""
    store, who = _enter(request)
    if who is None:
        return _gone()
    wanted = read_json(request)
    count = wanted.get("count", 5) if isinstance(wanted, dict) else 5
    if type(count) is not int:
        raise InputError("count must be a whole number")
    return JSONResponse(_describe(annotate.assign(store, who, count), f"/a/{who.token}"))


def _describe(batch: NextItems, link: str) -> dict[str, Any]:
    return batch._asdict() | {
        "units": [
            {
                "id": unit.id,
                "phase": unit.phase,
                "test": unit.test,
                "image": f"{link}/image/{unit.item.sample}",
                "text": unit.item.text,
                "title": unit.item.page_title[:300],
                "texts": [variant.text for variant in unit.item.variants],
            }
            for unit in batch.units
        ]
    }


def take_answers(request: Request) -> Response:
    """Keep answers, and say what became of each."""
    try:
        store, who = _enter(request)
        if who is None:
            return _gone()
        try:
            answers = read_answers(read_json(request))
        except InputError as error:  # no answers, and never will be: only then a page drops them
            return JSONResponse({"error": str(error)}, 400)
        outcomes = annotate.keep(store, who, answers)
    except BlickfangError:  # a full disk, a held file: no fault of theirs, they are sent again
        return JSONResponse({"error": NOT_NOW}, 503)
    return JSONResponse([outcome._asdict() for outcome in outcomes])


def take_leave(request: Request) -> Response:
    """Let go of what someone holds, but for units whose answers are still on their way."""
    store, who = _enter(request)
    if who is None:
        return _gone()
    try:
        kept = json.loads(read_field(request, "keep", "[]"))
    except (ValueError, RecursionError):
        kept = []
    known = (unit for unit in kept if type(unit) is int) if isinstance(kept, list) else ()
    units = [unit for unit in known if 0 <= unit < 2**62]  # what a database can hold
    annotate.leave(store, who, tuple(units))
    return Response(status_code=204)


def show_again(request: Request) -> Response:
    """Give a page that was open when the server started anew what it needs to go on."""
    _, who = _enter(request)
    return _gone() if who is None else JSONResponse({"csrf": request.state.csrf})


async def show_picture(request: Request) -> Response:
    """Show a picture that an annotator is asked about, or that is an example."""
    return await make_picture(request, _find_picture)


def _find_picture(request: Request) -> Response:
    store, who = _enter(request)
    sample = request.path_params["sample"]
    if who is None or not annotate.is_shown(store, who, sample):
        return Response(status_code=404)
    return answer_picture(request, sample, small="small" in request.query_params)


def answer_picture(request: Request, sample: str, *, small: bool) -> Response:
    """Return the answer that is the picture of a sample."""
    picture = bureau_of(request.app).picture(sample, small=small)
    return Response(status_code=404) if picture is None else thumbnail_cache.answer(picture)


async def make_picture(request: Request, find: Callable[[Request], Response]) -> Response:
    """Let few pictures be made at a time: answers must not wait behind them for a thread."""
    bureau = bureau_of(request.app)
    if bureau.makers is None:
        bureau.makers = CapacityLimiter(PICTURES_AT_ONCE)
    return await to_thread.run_sync(find, request, limiter=bureau.makers)


def _gone() -> Response:
    return JSONResponse({"error": ENDED}, 410)


ROUTES = (
    Route("/a/{token}", show_work),
    Route("/a/{token}/help", show_help),
    Route("/a/{token}/again", show_again),
    Route("/a/{token}/next", give_next, methods=["POST"]),
    Route("/a/{token}/answers", take_answers, methods=["POST"]),
    Route("/a/{token}/leave", take_leave, methods=["POST"]),
    Route("/a/{token}/image/{sample}", show_picture),
)
OPEN = ("/a/",)
