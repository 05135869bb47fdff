"""Annotating in a real browser: keys, undo, reload, a lost connection, three people at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.app.browsers import Watched, browsing, serving, wait_until
from tests.corpus.samples import write_samples

from blickfang.config import make_collection
from blickfang.corpus import open_corpus
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, make_task, open_store, plan_task, select_items
from blickfang.web.annotate.item_selection import TaskItem, Variant

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people") / "animals"
    make_collection(folder)
    write_samples(folder / "corpus", 32)
    return folder


@pytest.fixture(scope="module")
def base(root: Path) -> Iterator[str]:
    with serving(root) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def store(root: Path) -> Iterator[LabelStore]:
    with open_store(root) as found:
        yield found


def start(store: LabelStore, root: Path, name: str, count: int = 30, **changes: Any) -> list[str]:
    """Start a task for three people; return their links."""
    values: dict[str, Any] = {"name": name, "select": {"count": count}, "gold_share": 0.0}
    task = plan_task("cats", None, {**values, **changes})
    annotate.add_task(store, task, select_items(open_corpus(root), task.select))
    return ["/a/" + annotate.invite(store, name, who).token for who in ("Ada", "Ben", "Cleo")]


TOPICS = ("cat", "pet", "mammal", "living-being", "other")
ARROWS = {
    "ArrowUp": "describes",
    "ArrowDown": "fits",
    "ArrowLeft": "irrelevant",
    "ArrowRight": "misleading",
}


def shown(page: Any) -> str:
    """Return the sample that a page shows, once it shows one."""
    page.wait_for_selector("#item:not([hidden])")
    return str(page.locator("#image").get_attribute("src")).rsplit("/", 1)[1]


def wait_sent(page: Any) -> None:
    """Wait until nothing waits to be sent."""
    wait_until(
        page,
        "Object.keys(localStorage).filter((k) => k.startsWith('blickfang-answers'))"
        ".every((k) => localStorage[k] === '[]')",
    )


def labels_of(store: LabelStore, task: str) -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for label in annotate.list_labels(store, task):
        entry = found.setdefault((label.annotator, label.sample), {})
        assert label.question not in entry, "an answer was kept twice"
        entry[label.question] = label.category
    return found


def test_three_people_answer_thirty_items_by_keyboard(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    links = start(store, root, "thirty")
    people = [Watched(browser, base) for _ in links]
    for who, link in zip(people, links, strict=True):
        who.page.goto(link)
    pressed: dict[tuple[str, str], dict[str, str]] = {}
    arrows = list(ARROWS)
    for number in range(30):
        for place, (name, who) in enumerate(zip(("Ada", "Ben", "Cleo"), people, strict=True)):
            sample = shown(who.page)
            topic, arrow = (number + place) % 5, arrows[(number * (place + 1)) % 4]
            who.page.keyboard.press(str(topic + 1))
            who.page.keyboard.press(arrow)
            assert (name, sample) not in pressed, "shown twice"
            pressed[name, sample] = {"topic": TOPICS[topic], "text": ARROWS[arrow]}
    for who in people:
        who.page.wait_for_selector("#ending:not([hidden])")
        assert "Thank you" in who.page.inner_text("#ending")
        assert who.trouble == []
        who.context.close()
    assert labels_of(store, "thirty") == pressed
    assert annotate.find_task(store, "thirty").finished == 30


def test_undo_skip_and_reload_in_the_middle(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    link = start(store, root, "middle", 12)[0]
    watched = Watched(browser, base)
    page = watched.page
    page.goto(link)
    first = shown(page)
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    second = shown(page)
    assert second != first
    page.keyboard.press("u")
    assert shown(page) == first
    assert page.locator("button.was").count() == 2  # what was said before
    page.keyboard.press("2")
    page.keyboard.press("ArrowDown")
    assert shown(page) == second
    page.keyboard.press("s")
    page.keyboard.press("2")
    third = shown(page)
    page.keyboard.press("3")  # half an answer, then the page is loaded again
    wait_sent(page)
    page.reload()
    assert shown(page) == third
    assert page.locator("[aria-pressed=true]").count() == 0
    page.keyboard.press("Backspace")  # undoes the skip, which was before the reload
    wait_until(page, f"document.getElementById('image').src.endsWith('{second}')")
    page.keyboard.press("5")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == third
    wait_sent(page)
    assert labels_of(store, "middle") == {
        ("Ada", first): {"topic": "pet", "text": "fits"},
        ("Ada", second): {"topic": "other", "text": "irrelevant"},
    }
    assert watched.trouble == []
    watched.context.close()


def test_a_lost_connection_loses_nothing(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    link = start(store, root, "cut", 8)[0]
    watched = Watched(browser, base)
    page = watched.page
    page.goto(link)
    shown(page)
    page.wait_for_load_state("networkidle")
    watched.context.set_offline(True)
    pressed = {}
    for number in range(3):
        sample = shown(page)
        page.keyboard.press("1" if number else "4")
        page.keyboard.press("ArrowUp")
        pressed["Ada", sample] = {"topic": TOPICS[0 if number else 3], "text": "describes"}
    page.wait_for_selector("#line.off")
    assert "kept here" in page.inner_text("#line")
    assert labels_of(store, "cut") == {}
    watched.context.set_offline(False)
    wait_sent(page)
    assert labels_of(store, "cut") == pressed
    page.wait_for_selector("#line:not(.off)", state="attached")
    watched.context.close()


def test_answers_that_got_lost_on_the_way_back_count_once(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    link = start(store, root, "twice", 4)[0]
    watched = Watched(browser, base)
    page, lost = watched.page, []

    def lose_the_answer(route: Any) -> None:
        route.fetch()  # the server gets it
        lost.append(route.request.url)
        route.abort()  # the page is never told

    page.goto(link)
    sample = shown(page)
    page.route("**/answers", lambda route: route.fulfill(status=503, body="{}"))
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("#line.off")
    assert page.inner_text("#line") == "the server is in trouble · 1 kept here"
    page.unroute("**/answers")  # not before: on a busy machine it would be well again unseen
    page.route("**/answers", lose_the_answer, times=2)
    wait_sent(page)
    assert len(lost) == 2
    assert labels_of(store, "twice") == {("Ada", sample): {"topic": "cat", "text": "describes"}}
    watched.context.close()


def test_what_can_never_be_taken_holds_up_nothing(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    link = start(store, root, "stale", 4)[0]
    watched = Watched(browser, base)
    page = watched.page
    page.goto(link)
    sample = shown(page)
    page.evaluate(
        "localStorage.setItem('blickfang-answers-' + location.pathname.slice(3, 19),"
        " JSON.stringify([{ sent: { odd: true } }, { sent: { client: 7 } }]))"
    )
    page.reload()
    assert shown(page) == sample
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    wait_sent(page)
    assert labels_of(store, "stale") == {("Ada", sample): {"topic": "cat", "text": "describes"}}
    watched.context.close()


def test_a_page_outlives_its_server(browser: Any, store: LabelStore, root: Path) -> None:
    link = start(store, root, "outlive", 6)[0]
    with serving(root) as address:
        watched = Watched(browser, address)
        page = watched.page
        page.goto(link)
        sample = shown(page)
        page.wait_for_load_state("networkidle")
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("#line.off")
    # The next server never gave this page a token for forms: the page asks for one.
    with serving(root, int(address.rsplit(":", 1)[1])):
        wait_sent(page)
    assert ("Ada", sample) in labels_of(store, "outlive")
    watched.context.close()


def test_several_texts_are_judged_side_by_side_and_blind(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    sample = open_corpus(root).table(["id"]).to_pylist()[0]["id"]
    variants = (Variant(("best",), "a zebra"), Variant(("monash", "window"), HOSTILE))
    task = plan_task("context", None, {"name": "blind"})
    annotate.add_task(store, task, [TaskItem(sample, "", variants=variants)])
    watched = Watched(browser, base)
    page = watched.page
    page.goto("/a/" + annotate.invite(store, "blind", "Ada").token)
    shown(page)
    source = page.content()
    assert not any(method in source for method in ("best", "monash", "window"))
    assert page.locator(".texts li.now").count() == 1
    page.keyboard.press("1")
    page.keyboard.press("2")
    wait_sent(page)
    answers = {label.text: label.category for label in annotate.list_labels(store, "blind")}
    assert answers == {0: "relevant", 1: "not-relevant"}
    assert page.title() != "owned"
    assert watched.trouble == []
    watched.context.close()


def test_hostile_texts_do_nothing(browser: Any, base: str, store: LabelStore, root: Path) -> None:
    samples = [row["id"] for row in open_corpus(root).table(["id"]).to_pylist()[:3]]
    values = plan_task("cats", None, {"name": "hostile", "title": HOSTILE[:150]})
    items = [TaskItem(sample, HOSTILE, "javascript:alert(1)", HOSTILE) for sample in samples]
    annotate.add_task(store, values, items)
    who = annotate.invite(store, "hostile", "<b>Eve</b>")
    watched = Watched(browser, base)
    page = watched.page
    for path in (f"/a/{who.token}", f"/a/{who.token}/help", "/annotate", "/annotate/task/hostile"):
        page.goto(path)
        page.wait_for_timeout(150)
        assert page.title() != "owned"
        assert page.locator("main script, main b:has-text('Eve')").count() == 0
    assert watched.trouble == []
    watched.context.close()


def test_the_pages_are_accessible(browser: Any, base: str, store: LabelStore, root: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    link = start(store, root, "access", 5)[0]
    paths = ("/annotate", "/annotate/new", "/annotate/task/access", link, f"{link}/help")
    for scheme in ("light", "dark"):
        watched = Watched(browser, base, color_scheme=scheme)
        for path in paths if scheme == "light" else paths[2:4]:
            watched.page.goto(path)
            watched.page.wait_for_timeout(200)
            found = Axe().run(watched.page).response["violations"]
            bad = [v for v in found if v["impact"] in ("serious", "critical")]
            told = [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in bad]
            assert not bad, (path, scheme, told)
        assert watched.trouble == []
        watched.context.close()


def test_a_task_is_made_and_watched_in_the_browser(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    del root
    watched = Watched(browser, base)
    page = watched.page
    page.goto("/annotate/new?preset=topic")
    page.fill("#name", "made")
    page.fill("#samples", "3")
    page.fill("#annotators", "1")
    page.fill("#categories0", "1 | lion | a lion\n2 | other | something else")
    page.fill("#on_topic", "lion")
    page.click("text=Make the task")
    page.wait_for_url("**/annotate/task/made")
    page.fill("#names", "Ada\nBen")
    page.click("button:text('Invite')")
    page.wait_for_selector("#people td:text('Ben')")
    task = annotate.find_task(store, "made").task
    assert [c.name for c in task.questions[0].categories] == ["lion", "other"]
    ada = annotate.list_annotators(store, "made")[0]
    working = Watched(browser, base)
    working.page.goto(f"/a/{ada.token}")
    shown(working.page)
    working.page.keyboard.press("1")
    working.page.keyboard.press("ArrowUp")
    wait_sent(working.page)
    page.wait_for_selector("#results .figure b:text-is('1')")  # live, without a reload
    with page.expect_download() as download:
        page.click("a:text-is('TSV')")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "\tlion\t" in text
    assert watched.trouble == working.trouble == []
    for one in (watched, working):
        one.context.close()


def test_enter_sends_where_the_task_says_so(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    values = plan_task("cats", None, {"name": "enter", "select": {"count": 3}})
    from blickfang.web.annotate.task import describe_task

    task = make_task({**describe_task(values), "auto_advance": False})
    annotate.add_task(store, task, select_items(open_corpus(root), task.select))
    watched = Watched(browser, base)
    page = watched.page
    page.goto("/a/" + annotate.invite(store, "enter", "Ada").token)
    sample = shown(page)
    for key in ("1", "ArrowUp", "2", "Enter"):
        assert shown(page) == sample
        page.keyboard.press(key)
    assert shown(page) != sample
    wait_sent(page)
    assert labels_of(store, "enter")["Ada", sample] == {"topic": "pet", "text": "describes"}
    watched.context.close()


def test_labels_too_few_to_learn_from_are_told(
    browser: Any, base: str, store: LabelStore, root: Path
) -> None:
    start(store, root, "lesson", 3)
    watched = Watched(browser, base)
    page = watched.page
    page.goto("/annotate/task/lesson")
    page.click("text=Measure what it brings")
    page.wait_for_selector("#lesson .bad:has-text('too few to learn from')")
    assert watched.trouble == []
    watched.context.close()
