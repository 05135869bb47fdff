"""What people are asked: a task with its questions, checked.

In: a TOML file, or the same as plain values. Out: `Task`; `describe_task` is the way back. What
is missing has a default, what nobody knows is an error that names it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, NamedTuple

from blickfang.errors import SettingsError

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Keys that do something else while annotating, as a browser names them.
RESERVED = frozenset({"Enter", "Backspace", "Escape", "Tab", " ", "u", "s", "h", "?"})
KEY = re.compile(r"\S|Arrow(Up|Down|Left|Right)|F[1-9]|Home|End|Page(Up|Down)")
WAYS = ("top", "random", "uncertain", "facet")
HINT = "`blickfang annotate new --help` says how a task is written"
ODD = re.compile("[\0\ud800-\udfff]")  # neither databases nor files hold these
LARGEST = 2**53  # what JSON and SQLite both hold exactly
MOST_QUESTIONS, MOST_CATEGORIES, MOST_ITEMS, LONGEST = 10, 20, 100_000, 20_000
REASONS = (
    "I cannot decide",
    "the image does not load",
    "I do not read this language",
    "I do not want to see this",
)


@dataclass(frozen=True, slots=True)
class Category:
    """An answer that can be given."""

    name: str
    label: str = ""
    key: str = ""
    meaning: str = ""  # for the help page


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers, in their order."""

    name: str
    text: str
    categories: tuple[Category, ...]
    ordered: bool = True  # from one end to the other: what ordinal measures need
    phase: int = 1
    each: bool = False  # asked for every text of an item, not once
    merges: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()  # name, groups


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """Which samples of the corpus are asked about."""

    how: str = "top"  # the best by rank, random, uncertain, or equally many of each facet
    count: int = 100
    where: str = ""  # a filter on columns
    facet: str = ""  # host, or a column of text
    text: str = "caption"  # the column that is shown below the image
    methods: tuple[str, ...] = ()  # ways to find the text of an image, to be judged side by side
    seed: int = 1


class GoldAnswer(NamedTuple):
    """A sample whose right answers are known, or explained."""

    sample: str
    answers: tuple[tuple[str, str], ...]  # question, category
    why: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What people are asked, about what, and how often."""

    name: str
    title: str
    questions: tuple[Question, ...]
    help: str = ""
    select: TaskSelection = TaskSelection()
    annotators: int = 3  # an item is answered by so many
    gold_share: float = 0.1  # of what an annotator sees, where gold is known
    entry_test: int = 0  # so many gold items come first, and decide
    entry_pass: float = 0.7  # share of right answers that is enough
    two_phases: bool = False  # later questions only about what the first one found on topic
    on_topic: tuple[str, ...] = ()  # categories of the first question
    auto_advance: bool = True  # else Enter sends the answers
    lease_minutes: float = 15.0  # who is silent for so long has left
    skip_reasons: tuple[str, ...] = REASONS
    examples: tuple[GoldAnswer, ...] = ()
    gold: tuple[GoldAnswer, ...] = ()


def make_task(values: Mapping[str, Any]) -> Task:
    """Return a task made of plain values, as TOML, JSON and forms give them."""
    _check_keys(values, {*_names(Task), "question", "example"} - {"questions", "examples"}, "task")
    plain = {key: value for key, value in values.items() if key not in ("question", "example")}
    questions = tuple(_make_question(entry) for entry in _tables(values, "question"))
    task: Task = _construct(Task, {**plain, "questions": questions}, "the task")
    select = _table(values, "select")
    _check_keys(select, _names(TaskSelection), "[select]")
    task = replace(
        task,
        title=task.title or task.name,
        select=_construct(TaskSelection, select, "[select]"),
        on_topic=task.on_topic or tuple(c.name for c in _first_categories(questions)[:1]),
        examples=tuple(_make_known(entry, questions) for entry in _tables(values, "example")),
        gold=tuple(_make_known(entry, questions) for entry in _tables(values, "gold")),
    )
    _check_task(task)
    return task


def _first_categories(questions: tuple[Question, ...]) -> tuple[Category, ...]:
    return questions[0].categories if questions else ()


def describe_task(task: Task) -> dict[str, Any]:
    """Return the values that `make_task` makes a task of; JSON and TOML can hold them."""
    plain = ("name", "title", "help", "annotators", "gold_share", "entry_test", "entry_pass")
    more = ("two_phases", "auto_advance", "lease_minutes")
    values: dict[str, Any] = {name: getattr(task, name) for name in (*plain, *more)}
    values |= {"on_topic": list(task.on_topic), "skip_reasons": list(task.skip_reasons)}
    values["select"] = {
        key.name: _listed(getattr(task.select, key.name)) for key in fields(TaskSelection)
    }
    values["question"] = [
        {
            **{key: getattr(question, key) for key in ("name", "text", "ordered", "phase", "each")},
            "categories": [
                {key.name: getattr(category, key.name) for key in fields(Category)}
                for category in question.categories
            ],
            "merges": {name: [list(group) for group in groups] for name, groups in question.merges},
        }
        for question in task.questions
    ]
    for key, entries in (("example", task.examples), ("gold", task.gold)):
        values[key] = [
            {"sample": k.sample, "why": k.why, "text": k.text, "answers": dict(k.answers)}
            for k in entries
        ]
    return values


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _names(kind: Any) -> set[str]:
    return {key.name for key in fields(kind)}


def _check_keys(values: Any, known: Iterable[str], where: str) -> None:
    if not isinstance(values, Mapping):
        raise SettingsError(f"{where} must be a table of keys and values")
    for key in values:
        if key not in set(known):
            raise SettingsError(f"{key} in {where} is no setting; there are {sorted(known)}")


def _tables(values: Mapping[str, Any], key: str) -> list[Any]:
    found = values.get(key, [])
    if not isinstance(found, list) or len(found) > 10_000:
        raise SettingsError(f"write each {key} as [[{key}]]")
    return found


def _table(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key, {})
    if not isinstance(found, Mapping):
        raise SettingsError(f"write {key} as [{key}]")
    return found


def _construct(kind: Any, values: Mapping[str, Any], where: str) -> Any:
    """Make a value of checked fields: the type of each is that of its default."""
    checked: dict[str, Any] = {}
    for key in fields(kind):
        if key.name not in values or key.name in ("select", "examples", "gold"):
            continue
        value, wanted = values[key.name], str(key.type)
        if key.name in ("questions", "categories", "merges"):
            checked[key.name] = value
        elif "tuple" in wanted:
            checked[key.name] = tuple(_text(part, key.name, where) for part in _list(value, key))
        elif "str" in wanted:
            checked[key.name] = _text(value, key.name, where)
        elif "bool" in wanted and isinstance(value, bool):
            checked[key.name] = value
        elif "float" in wanted and type(value) in (int, float) and abs(value) < LARGEST:
            checked[key.name] = float(value)
        elif "int" in wanted and type(value) is int and abs(value) < LARGEST:
            checked[key.name] = value
        else:
            raise SettingsError(f"{key.name} in {where} must be of type {wanted}, not {value!r}")
    for key in fields(kind):
        if key.default is MISSING:
            checked.setdefault(key.name, "")  # the check of the whole says what it should be
    return kind(**checked)


def _list(value: Any, key: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise SettingsError(f"{key.name} must be a list")
    return list(value)


def _text(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST or ODD.search(value):
        raise SettingsError(f"{name} in {where} must be a text of up to {LONGEST} characters")
    return value


def _make_question(values: Any) -> Question:
    _check_keys(values, _names(Question), "[[question]]")
    name = str(values.get("name", ""))
    made = []
    for number, entry in enumerate(_tables(values, "categories"), 1):
        entry = {"name": entry} if isinstance(entry, str) else entry
        _check_keys(entry, _names(Category), f"categories of {name}")
        category = _construct(Category, entry, f"categories of {name}")
        made.append(
            replace(
                category,
                label=category.label or category.name,
                key=category.key or (str(number) if number < 10 else ""),
            )
        )
    merges = tuple(
        (str(title), tuple(_group(group, title) for group in _group(groups, title)))
        for title, groups in _table(values, "merges").items()
    )
    where = f"question {name}"
    named = tuple((title, tuple(tuple(map(str, g)) for g in groups)) for title, groups in merges)
    whole = {**values, "categories": tuple(made), "merges": named}
    question: Question = _construct(Question, whole, where)
    return question


def _group(value: Any, title: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise SettingsError(f"merge {title!r} must be a list of lists of categories")
    return list(value)


def _make_known(values: Any, questions: tuple[Question, ...]) -> GoldAnswer:
    where = "[[gold]] or [[example]]"
    _check_keys(values, GoldAnswer._fields, where)
    answers = values.get("answers", {})
    _check_keys(answers, answers, f"answers of {where}")
    for slot, category in answers.items():
        question = next((q for q in questions if q.name == slot.partition("@")[0]), None)
        if question is None or category not in [c.name for c in question.categories]:
            raise SettingsError(
                f"{slot} = {category!r} of sample {values.get('sample')} is no answer"
            )
    texts = {key: _text(values.get(key, ""), key, "[[gold]]") for key in ("sample", "why", "text")}
    return GoldAnswer(answers=tuple(answers.items()), **texts)


def _check_task(task: Task) -> None:
    """Raise an error that says what cannot be asked like this."""
    for condition, problem in (
        (NAME.fullmatch(task.name), f"the name {task.name!r} must be of a-z, 0-9 and - only"),
        (task.questions, "there is no question; write one as [[question]]"),
        (len(task.questions) <= MOST_QUESTIONS, f"more than {MOST_QUESTIONS} questions"),
        (1 <= task.annotators <= 50, "annotators must be 1 to 50"),
        (0 <= task.gold_share <= 0.5, "gold_share must be 0 to 0.5"),
        (0 <= task.entry_pass <= 1, "entry_pass must be 0 to 1"),
        (0 <= task.entry_test <= 200, "entry_test must be 0 to 200"),
        (0.05 <= task.lease_minutes <= 10_000, "lease_minutes must be 0.05 to 10000"),
        (task.select.how in WAYS, f"how in [select] must be one of {', '.join(WAYS)}"),
        (1 <= task.select.count <= MOST_ITEMS, f"count in [select] must be 1 to {MOST_ITEMS}"),
        (task.select.how != "facet" or task.select.facet, "how = 'facet' needs a facet"),
    ):
        if not condition:
            raise SettingsError(problem)
    for question in task.questions:
        _check_question(question)
    names = [question.name for question in task.questions]
    if len(set(names)) < len(names):
        raise SettingsError("two questions have the same name")
    first = {category.name for category in task.questions[0].categories}
    if not set(task.on_topic) <= first:
        raise SettingsError(f"on_topic must name categories of {names[0]}")
    phases = {question.phase for question in task.questions}
    if task.two_phases and (phases != {1, 2} or task.questions[0].phase != 1):
        raise SettingsError("two_phases needs questions of phase 1, the first among them, and of 2")
    if task.two_phases and task.questions[0].each:
        raise SettingsError("the first question decides on the second phase: it cannot be each")
    for phase in (1, 2) if task.two_phases else (0,):
        _check_keyboard([q for q in task.questions if phase in (0, q.phase)])


def _check_question(question: Question) -> None:
    names = [category.name for category in question.categories]
    known = set(names)
    for condition, problem in (
        (NAME.fullmatch(question.name), "its name must be of a-z, 0-9 and - only"),
        (question.text.strip(), "it has no text"),
        (2 <= len(names) <= MOST_CATEGORIES, f"2 to {MOST_CATEGORIES} categories are needed"),
        (len(known) == len(names), "two categories have the same name"),
        (all(NAME.fullmatch(name) for name in names), "categories are of a-z, 0-9 and - only"),
        (question.phase in (1, 2), "phase must be 1 or 2"),
    ):
        if not condition:
            raise SettingsError(f"question {question.name!r}: {problem}")
    for title, groups in question.merges:
        merged = [name for group in groups for name in group]
        if len(set(merged)) < len(merged) or not set(merged) <= known:
            raise SettingsError(f"merge {title!r} of {question.name!r} names a category wrongly")


def _check_keyboard(questions: list[Question]) -> None:
    """Raise an error if a key would be two answers, or none."""
    owners: dict[str, str] = {}
    for question in questions:
        for category in question.categories:
            owner = f"{question.name} = {category.name}"
            if category.key in RESERVED or not KEY.fullmatch(category.key):
                raise SettingsError(f"{category.key!r} cannot be the key of {owner}")
            if category.key in owners:
                raise SettingsError(f"{category.key} is both {owners[category.key]} and {owner}")
            owners[category.key] = owner
