"""A page in a language that nobody taught us says little, and that little counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import FocusOptions
from blickfang.crawl.focus.background import (
    begin,
    choose_friends,
    learn_against,
    sort_hosts,
    take_sample,
)
from blickfang.crawl.focus.language_filter import (
    find_usual,
    rate_kept,
    rate_known,
    share_known,
    understand,
)
from blickfang.crawl.focus.page_features import hear
from blickfang.crawl.focus.scorers import Reference, score_contrast
from blickfang.crawl.focus.topic_evidence import keep_known, make_slots
from blickfang.crawl.focus.word_weights import count_page, pack_weights, rate_page, unpack_weights
from blickfang.text.words import Hashes
from tests.focus.pages import BIRD_PAGE, BIRDS, STEEL, know, look, words, write_page

KNOWLEDGE = know()
PAGES = [count_page(words(text)) for text in BIRDS]
OTHERS = {f"h{n}": [count_page(words(text))] for n, text in enumerate(STEEL)}
LEARNED = learn_against(KNOWLEDGE, OTHERS, FocusOptions())
ROBIN = "Rotkehlchen und Meisen suchen morgens am Waldrand ihre Nahrung und bauen dort Nester. " * 4
LATHE = "Drehmaschinen zerspanen Werkstücke aus Stahl; stumpfe Werkzeuge werden geschliffen. " * 4
IMAGES = "".join(
    f'<img src="/{n}.gif" alt="{alt}">'
    for n, alt in enumerate(
        ("a robin sings", "kestrel in its nest", "blue tits feed on insects", "birds in winter")
    )
)


def judge(html: str) -> float:
    one = LEARNED.weights, None, LEARNED.chance, LEARNED.usual_share
    return score_contrast(look(html), Reference(KNOWLEDGE, *one)).page


def judge_blindly(html: str) -> float:
    one = LEARNED.weights, None, LEARNED.chance
    return score_contrast(look(html), Reference(KNOWLEDGE, *one)).page


def test_of_a_foreign_page_what_is_understood_counts() -> None:
    """Its alt texts are English: they tell a page on birds from one on steel."""
    birds = write_page("Vögel", f"<p>{ROBIN}</p>", IMAGES)
    assert judge_blindly(birds) == pytest.approx(0, abs=0.01)
    assert judge(birds) > 0.1
    assert judge(write_page("Stahl", f"<p>{LATHE}</p>")) == pytest.approx(0, abs=0.01)


def test_pages_that_are_understood_are_judged_as_ever() -> None:
    assert judge(BIRD_PAGE) == judge_blindly(BIRD_PAGE) > 0.1
    steel = write_page("Steel", f"<p>{STEEL[0]}</p>", IMAGES)
    assert judge(steel) == judge_blindly(steel)


def test_one_word_is_no_description() -> None:
    """A word that both languages happen to share proves less than many."""
    one, many = (count_page(words(f"{text} {ROBIN}")) for text in ("robin", BIRDS[0]))
    slots = KNOWLEDGE.vocabulary_slots
    rates = [rate_known(page, slots, LEARNED.weights) for page in (one, many)]
    assert 0 < rates[0] < 0.2 * rates[1]
    assert rate_known(count_page(words(LATHE)), slots, LEARNED.weights) == 0


def test_usual_is_what_most_hosts_have() -> None:
    """Hosts have one vote each; without any, neutral pages tell."""
    shares = [share_known(page, KNOWLEDGE.vocabulary_slots) for [page] in OTHERS.values()]
    foreign = [count_page(words(LATHE))] * 3
    assert find_usual([*OTHERS.values(), foreign], KNOWLEDGE.vocabulary_slots) > 0.7 * min(shares)
    assert LEARNED.usual_share == pytest.approx(np.median(shares))
    assert begin(KNOWLEDGE, FocusOptions()).usual_share == pytest.approx(np.median(shares))
    assert find_usual([], KNOWLEDGE.vocabulary_slots) == 0
    assert share_known(PAGES[0], KNOWLEDGE.vocabulary_slots) == 1


@given(st.floats(0, 1), st.floats(0, 1))
def test_understanding_grows_with_the_share(share: float, usual: float) -> None:
    found = understand(share, usual)
    assert 0 <= found <= understand(min(1.0, share + 0.1), usual) <= 1


def test_pages_kept_are_judged_as_pages_seen() -> None:
    """As long as nothing is said of images: of pages kept, that is not known any more."""
    for text in (f"robin nest {ROBIN}", BIRDS[1], LATHE):
        seen = look(write_page("", f"<p>{text}</p>"))
        page = count_page(seen.words[: seen.page_words])
        [kept] = rate_kept([page], KNOWLEDGE.vocabulary_slots, LEARNED)
        assert judge(write_page("", f"<p>{text}</p>")) == pytest.approx(kept, rel=1e-4, abs=1e-6)


def test_a_host_in_another_language_is_no_friend() -> None:
    """All pages in that language would seem to be on the topic."""
    texts = {
        "foreign.test": ROBIN,
        "friend.test": BIRDS[0],
        **dict(zip("abcdefgh", (STEEL * 3)[:8], strict=True)),
    }
    samples = [one for host, text in texts.items() if (one := take_sample(host, words(text)))]
    means = {host: 0.5 if ".test" in host else 0.0 for host in texts}
    hosts = sort_hosts(samples, means)
    assert set(hosts.better) == {"foreign.test", "friend.test"}
    assert set(choose_friends(KNOWLEDGE, hosts, means, LEARNED)) == {"friend.test"}


def test_what_is_heard_does_not_stand_on_the_page() -> None:
    heard = hear(look(write_page("Vögel", f"<p>{ROBIN}</p>", '<img src="/wren.jpg" alt="a nest">')))
    assert list(heard) == list(words("a nest wren jpg"))
    assert list(hear(look(write_page("Birds", "<p>No image here</p>")))) == []


def test_the_usual_share_is_kept() -> None:
    """With the weights."""
    assert unpack_weights(pack_weights(LEARNED)).usual_share == LEARNED.usual_share > 0


def test_without_learned_words_nothing_is_known() -> None:
    nothing: Hashes = make_slots(words(""))
    assert share_known(PAGES[0], nothing) == 0
    assert rate_known(PAGES[0], nothing, LEARNED.weights) == 0
    assert rate_page(PAGES[0], LEARNED.weights, None) > 0


@given(st.sets(st.integers(0, 60), max_size=30), st.lists(st.integers(0, 60), max_size=40))
def test_known_words_are_kept(vocabulary: set[int], said: list[int]) -> None:
    known = np.array(sorted(vocabulary - {0}), np.uint64) << np.uint64(60)  # all in one slot
    found = keep_known(np.array(said, np.uint64) << np.uint64(60), make_slots(np.unique(known)))
    shifted = {(word << 60) % 2**64 for word in vocabulary} - {0}
    assert found.tolist() == [
        (word << 60) % 2**64 for word in said if (word << 60) % 2**64 in shifted
    ]
