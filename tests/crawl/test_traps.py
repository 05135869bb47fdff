import pytest

from blickfang.crawl.frontier.traps import (
    DATED_BUDGET,
    NUMBERED_BUDGET,
    find_trap,
    pattern_of,
    without_session,
)


@pytest.mark.parametrize(
    ("url", "trap"),
    [
        ("http://a.org/", False),
        ("http://a.org/2015/02/a-cat-in-the-sun.html", False),
        ("http://a.org/en/docs/en/cats.html", False),
        ("http://a.org/img/img/img/img/x.html", True),
        ("http://a.org/" + "x/" * 30, True),
        ("http://a.org/" + "/".join(str(n) for n in range(30)), True),
        ("http://a.org/?" + "x" * 2000, True),
    ],
)
def test_growing_paths_are_traps(url: str, trap: bool) -> None:
    assert bool(find_trap(url)) == trap


def test_pages_that_differ_in_words_share_no_budget() -> None:
    one = pattern_of("http://a.org/2015/02/cats.html")
    other = pattern_of("http://a.org/2016/03/dogs.html")
    assert one is not None
    assert other is not None
    assert one[0] != other[0]


@pytest.mark.parametrize(
    ("path", "budget"),
    [
        ("2024/05/10159.html", NUMBERED_BUDGET),
        ("2024/05/31/10159-a-cat-in-the-sun", NUMBERED_BUDGET),
        ("2024/05/10159.html?page=2", NUMBERED_BUDGET),
        ("2024/10159.html?page=2", NUMBERED_BUDGET),
        ("2024/05/32", NUMBERED_BUDGET),
        ("2024/05/031", NUMBERED_BUDGET),
        ("cal/2024", NUMBERED_BUDGET),
        ("cal/2024/05", DATED_BUDGET),
        ("cal/2024/5/31/", DATED_BUDGET),
        ("cal/2024-05-01.html", DATED_BUDGET),
        ("cal/2024/05/day.html?view=10159", DATED_BUDGET),
        ("cal/2024?m=5", DATED_BUDGET),
        ("cal/10159?d=2024-05-31", DATED_BUDGET),
        ("cal/10159?week=54", DATED_BUDGET),
    ],
)
def test_only_calendars_have_a_small_budget(path: str, budget: int) -> None:
    found = pattern_of(f"http://a.org/{path}")
    assert found is not None
    assert found[1] == budget


def test_articles_are_counted_apart_from_days() -> None:
    days = pattern_of("http://a.org/2024/05/12.html")
    articles = {pattern_of(f"http://a.org/2024/{n % 12 + 1}/{n}.html") for n in range(32, 5000)}
    assert len(articles) == 1
    assert days not in articles
    assert days is not None
    assert days[0] not in {found[0] for found in articles if found}


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://a.org/?sid=3", "http://a.org/?sid=3"),  # may be a section
        ("http://a.org/?phpsessid=3", "http://a.org/"),
        ("http://a.org/x.html?sid=9f31c07e2b&a=1", "http://a.org/x.html?a=1"),
        ("http://a.org/?a=1&sessionid=3", "http://a.org/?a=1"),
        ("http://a.org/x;jsessionid=9F", "http://a.org/x"),
    ],
)
def test_session_ids_do_not_make_new_pages(url: str, kept: str) -> None:
    assert without_session(url) == kept
