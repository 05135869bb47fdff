"""The next and the previous page of a list, where no `rel` names them.

In: the links of a page with their texts. Out: `rel` of some links has "next" or "prev" in it, as if
the page had said so. What tells: a run of numbers in which one is no link, the page itself; words
for it in many languages; an address that counts on. Signs and words that also mean other things
count only with a second reason. In doubt nothing is said: a wrong next page is worse than none.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.parse.page_strings import CUT
from blickfang.html.parse.tree import Tree, attribute
from blickfang.io.urls import host as host_of
from blickfang.types import Link

Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]

BESIDE_RUN = 12  # bytes before and behind a run in which the number of the page may stand
MAX_NAME = 200  # characters of a class or id
APART = 60  # bytes of text between the numbers of a run
AROUND = 6  # elements around a link whose names are asked
MAX_ASKED = 200  # links that are looked at more closely
NEXT, PREV = "next", "prev"
OF_RUNS, AGAINST = 4, -9  # how much a run of numbers says; how much speaks against a link

# Nothing else is called so.
CLEAR = {
    NEXT: """next page|go to next page|next results|older posts|older entries|older articles
    |nächste seite|zur nächsten seite|ältere beiträge|ältere artikel|ältere einträge|page suivante
    |articles plus anciens|articles précédents|página siguiente|siguiente página|pagina siguiente
    |entradas antiguas|entradas anteriores|próxima página|página seguinte|postagens mais antigas
    |pagina successiva|prossima pagina|articoli meno recenti|post più vecchi|volgende pagina
    |oudere berichten|nästa sida|äldre inlägg|næste side|ældre indlæg|neste side|eldre innlegg
    |seuraava sivu|vanhemmat artikkelit|następna strona|starsze wpisy|další stránka|další strana
    |starší příspěvky|következő oldal|régebbi bejegyzések|sonraki sayfa|eski yazılar
    |следующая страница|предыдущие записи|старые записи|наступна сторінка|επόμενη σελίδα
    |trang sau|trang tiếp|halaman berikutnya|הדף הבא|الصفحة التالية|صفحه بعد|次のページ|次ページ
    |次へ|下一页|下一頁|下页|下頁|다음 페이지|다음페이지""",
    PREV: """previous page|go to previous page|previous results|newer posts|newer entries
    |newer articles|vorherige seite|vorige seite|neuere beiträge|neuere artikel|page précédente
    |articles plus récents|articles suivants|página anterior|anterior página|pagina anterior
    |entradas recientes|postagens mais recentes|pagina precedente|articoli più recenti
    |vorige pagina|nieuwere berichten|föregående sida|nyare inlägg|forrige side|nyere innlegg
    |edellinen sivu|poprzednia strona|nowsze wpisy|předchozí stránka|předchozí strana
    |előző oldal|önceki sayfa|предыдущая страница|следующие записи|новые записи
    |попередня сторінка|προηγούμενη σελίδα|trang trước|halaman sebelumnya|הדף הקודם
    |الصفحة السابقة|صفحه قبل|前のページ|前ページ|前へ
    |上一页|上一頁|上页|上頁|이전 페이지|이전페이지""",
}
# Also the next picture of a series, month, article.
VAGUE = {
    NEXT: """next|older|nächste|weiter|suivant|suivante|suivants|siguiente|siguientes|próxima
    |próximo|seguinte|successivo|successiva|successivi|avanti|prossima|volgende|verder|nästa|næste
    |neste|seuraava|następna|następny|dalej|další|následující|následujúca|ďalej|következő|sonraki
    |ileri|следующая|следующий|вперед|вперёд|далее|дальше|наступна|далі|επόμενη|επόμενο|sau|tiếp
    |berikutnya|selanjutnya|הבא|التالي|التالية|بعدی|ต่อไป|ถัดไป|次|다음|következő|înainte|următoarea
    |следваща|sljedeća|naslednja|järgmine""",
    PREV: """previous|prev|newer|vorherige|zurück|précédent|précédente|précédents|anterior
    |anteriores|precedente|precedenti|indietro|vorige|terug|föregående|forrige|edellinen|poprzednia
    |poprzedni|wstecz|předchozí|predchádzajúca|előző|önceki|geri|предыдущая|предыдущий|назад
    |попередня|προηγούμενη|προηγούμενο|trước|sebelumnya|הקודם|السابق|السابقة|قبلی|ก่อนหน้า|前|이전
    |înapoi|anterioara|предишна|prethodna|prejšnja|eelmine""",
}
SIGNS = {NEXT: "› » > >> → ▶ ► ▸ ❯ ⟩ ›› »» ⇒ ➔ ➜ ➡", PREV: "‹ « < << ← ◀ ◄ ◂ ❮ ⟨ ‹‹ «« ⇐ ⬅"}
BESIDE = " \t\n›»><→←‹«▶►◀◄▸◂❯❮⟩⟨()[]|.…:·-–—><"
NUMBER = re.compile(r"[\[(]?\s*([1-9]\d{0,3})\s*[\])]?", re.ASCII)
NUMBER_BEGINS = "123456789[("
NUMBER_BEFORE, NUMBER_BEHIND = (
    re.compile(r"(?<!\d)(\d{1,4})\W*$"),
    re.compile(r"\W*(\d{1,4})(?!\d)"),
)
# Names of elements that hold links to pages, and of what belongs to something else.
PAGER = re.compile(
    r"\bpager|paging|pagin|pagenav|\bpages\b|page-?(?:num|nav|link|list|next|prev)|posts-?nav",
    re.IGNORECASE,
)
FOREIGN = re.compile(
    r"carousel|slide|slick|swiper|gallery|lightbox|calendar|datepicker|month|player|modal"
    r"|post-?nav|entry-?nav|article-?nav|adjacent|sibling",
    re.IGNORECASE,
)
# What counts pages in an address: from 1, or in steps.
COUNTS = re.compile(
    r"(?:[?&;](?:\w{0,8}page\w{0,6}|p|pg|pn|pag|pagina|pagenum|seite|sida|side|strona|str|sayfa)="
    r"|/(?:page|seite|pagina|página|p|pg|sida|side|strona|sayfa|index)[/_-]?)(\d{1,5})(?=$|[/&#;.?])",
    re.IGNORECASE,
)
STEPS = re.compile(
    r"[?&;](?:start|offset|from|skip|first|begin|s|o|startat)=(\d{1,7})(?=$|[&#;])", re.I
)
DIGITS = re.compile(r"\d+")
DAY = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}")


def _list_texts() -> dict[str, tuple[str, bool]]:
    """Return by text which way it turns, and whether nothing else is called so."""
    texts: dict[str, tuple[str, bool]] = {}
    for kinds, clear in ((VAGUE, False), (CLEAR, True)):
        for way, words in kinds.items():
            texts |= {word.strip(): (way, clear) for word in words.split("|")}
    return texts | {sign: (way, False) for way, signs in SIGNS.items() for sign in signs.split()}


TEXTS = _list_texts()
LONGEST = max(map(len, TEXTS)) + 6  # characters of a text that turns a page, with signs beside it
LEAD_OF_TWO, LEAD_OF_THREE = 0xC2, 0xE2  # bytes with which all signs beyond ASCII begin
PRINTS = 1 << 14


def _print_of(first: Integer, second: Integer, last: Integer, size: Integer) -> Integer:
    """Return a number of few bits that texts of the same ends and size have in common."""
    return (first * 31 + second * 1009 + last * 4099 + size * 251) & (PRINTS - 1)


print_of = inlined(_print_of)


def _list_prints() -> tuple[Bools, int]:
    """Return which texts and numbers turn a page, as `_print_of` tells; the longest size."""
    forms = {
        form for text in TEXTS for form in (text, text.upper(), text.title(), text.capitalize())
    }
    forms |= set(map(str, range(1, 10_000)))
    said = [form.encode() for form in forms]
    prints = np.zeros(PRINTS, np.bool_)
    for text in said:
        prints[_print_of(text[0], text[min(1, len(text) - 1)], text[-1], len(text))] = True
    return prints, max(map(len, said))


KNOWN_PRINTS, MOST_BYTES = _list_prints()
IS_WHITE = np.zeros(256, np.bool_)
IS_WHITE[[CUT, *(byte for byte in range(128) if chr(byte).isspace())]] = True
IS_BESIDE = IS_WHITE.copy()  # signs of one byte, and white space
IS_BESIDE[[ord(sign) for sign in BESIDE if sign.isascii()]] = True


@inlined
def cut_signs(text: Bytes, start: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return a range without white space and signs at its ends."""
    while start < end:
        byte = text[np.uint64(start)]
        step = 3 if byte == LEAD_OF_THREE else 2 if byte == LEAD_OF_TWO else 1
        if step == 1 and not IS_BESIDE[byte]:
            break
        start += step
    while start < end:
        if IS_BESIDE[text[np.uint64(end - 1)]]:
            end -= 1
        elif end - start >= 2 and text[np.uint64(end - 2)] == LEAD_OF_TWO:
            end -= 2
        elif end - start >= 3 and text[np.uint64(end - 3)] == LEAD_OF_THREE:
            end -= 3
        else:
            break
    return start, end


@inlined
def may_turn(text: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a text may turn a page, as its first bytes, its last one and its size tell."""
    while start < end and IS_WHITE[text[np.uint64(start)]]:
        start += 1
    if start == end:
        return False
    start, end = cut_signs(text, start, end)
    size = 0
    for i in range(start, end):
        size += int(text[np.uint64(i)] != CUT)
        if size > MOST_BYTES:
            return False
    if size == 0 or size < end - start:
        return True  # signs alone, or letters that tags part
    first, last = np.int64(text[np.uint64(start)]), np.int64(text[np.uint64(end - 1)])
    second = np.int64(text[np.uint64(start + min(1, size - 1))])
    return bool(KNOWN_PRINTS[print_of(first, second, last, size)])


@filling
def note_short(text: Bytes, nodes: Ints, end: Ints, offset: Ints, out: Ints) -> int:
    """Write down which nodes may have a text that turns a page; return how many these are.

    Nearly all links of a page say something else.
    """
    count = 0
    for k in range(len(nodes)):
        node = nodes[k]
        if may_turn(text, np.int64(offset[node]), np.int64(offset[end[node]])):
            out[count] = k
            count += 1
    return count


class Turn(NamedTuple):
    """A link that may turn the page."""

    place: int  # among the links
    way: str
    reasons: int  # the more, the surer; one is not enough
    url: str


def mark_turns(tree: Tree, links: list[Link], nodes: Ints, own: str) -> None:
    """Put "next" and "prev" into `rel` of links that lead there, where none has it already.

    `nodes`: the element of each link; `own`: the address of the page, "" where it is not known.
    """
    short = np.empty(len(links), np.int32)
    count = note_short(tree.letters.text, nodes, tree.end, tree.offset, short)
    numbered, named = _find_candidates(links, short[:count].tolist())
    if not numbered and not named:
        return
    turns, runs = _read_runs(tree, links, nodes, numbered[:MAX_ASKED], own)
    for place, way, clear in named[:MAX_ASKED]:
        link, node = links[place], int(nodes[place])
        reasons = 1 + clear + _weigh(tree, link, node, way, runs, own)
        if reasons > 1:
            turns.append(Turn(place, way, reasons, link.url))
    stated = {word for link in links for word in link.rel} if turns else ()
    for way, said in ((NEXT, {NEXT}), (PREV, {PREV, "previous"})):
        if said.isdisjoint(stated):
            _mark(links, [turn for turn in turns if turn.way == way and turn.url != own])


def _mark(links: list[Link], turns: list[Turn]) -> None:
    """Mark the links that turn the page one way, if those that are surest agree where that is."""
    most = max((turn.reasons for turn in turns), default=0)
    targets = {turn.url for turn in turns if turn.reasons == most}
    for turn in turns if len(targets) == 1 else ():
        link = links[turn.place]
        if link.url in targets and turn.way not in link.rel:
            links[turn.place] = link._replace(rel=(*link.rel, turn.way))


def _find_candidates(
    links: list[Link], places: Iterable[int]
) -> tuple[list[tuple[int, int]], list[tuple[int, str, bool]]]:
    """Return which of some links are numbers, and which have a text that may turn a page."""
    numbered, named = [], []
    for place in places:
        _, text, kind, _, _ = links[place]
        if not text or len(text) > LONGEST or kind != "a":
            continue
        if text[0] in NUMBER_BEGINS and (number := NUMBER.fullmatch(text)):
            numbered.append((place, int(number[1])))
        elif said := TEXTS.get(text.lower().strip(BESIDE)) or TEXTS.get(text):
            named.append((place, *said))
    return numbered, named


def _read_runs(
    tree: Tree, links: list[Link], nodes: Ints, numbered: list[tuple[int, int]], own: str
) -> tuple[list[Turn], list[tuple[int, int]]]:
    """Return where runs of numbers turn the page, and from where to where they stand in its text.

    In a run the number of the page itself is missing, or its link leads to the page itself.
    """
    turns: list[Turn] = []
    spans = []
    for run in _cut_runs(tree, links, nodes, numbered):
        urls = {number: links[place].url for place, number in run}
        current = _find_current(tree, nodes, run, urls, own)
        if current is None or not _counts_pages(urls, own):
            continue
        if _belongs_elsewhere(_read_names(tree, int(nodes[run[0][0]]))):
            continue
        spans.append(_find_span(tree, nodes, run))
        ways = {current + 1: NEXT, current - 1: PREV}
        turns += [
            Turn(place, ways[number], OF_RUNS, links[place].url)
            for place, number in run
            if number in ways
        ]
    return turns, spans


def _cut_runs(
    tree: Tree, links: list[Link], nodes: Ints, numbered: list[tuple[int, int]]
) -> list[list[tuple[int, int]]]:
    """Return groups of numbers that stand close to each other, go up and lead to alike addresses.

    The address of the first page may have another form.
    """
    runs: list[list[tuple[int, int]]] = []
    form = ""
    for place, number in numbered:
        begin, this = int(tree.offset[nodes[place]]), DIGITS.sub("0", links[place].url)
        if runs:
            last, before = runs[-1][-1]
            close = begin - int(tree.offset[tree.end[nodes[last]]]) <= APART
            alike = this == form or before == 1
            if close and alike and number > before:
                runs[-1].append((place, number))
                form = this
                continue
        runs.append([(place, number)])
        form = this
    return runs


def _find_span(tree: Tree, nodes: Ints, run: list[tuple[int, int]]) -> tuple[int, int]:
    """Return from where to where a run stands in the text of the page."""
    return int(tree.offset[nodes[run[0][0]]]), int(tree.offset[tree.end[nodes[run[-1][0]]]])


def _find_current(
    tree: Tree, nodes: Ints, run: list[tuple[int, int]], urls: dict[int, str], own: str
) -> int | None:
    """Return the number of the page itself, None where that is not sure."""
    if here := [number for number, url in urls.items() if url == own]:
        return here[0] if len(here) == 1 else None
    begin, end = _find_span(tree, nodes, run)
    found = set()
    for (place, number), (after, following) in pairwise(run):
        start, stop = tree.offset[tree.end[nodes[place]]], tree.offset[nodes[after]]
        between = DIGITS.findall(_cut(tree, int(start), int(stop)))
        if following == number + 2 and between == [str(number + 1)]:
            found.add(number + 1)
    before = NUMBER_BEFORE.search(_cut(tree, max(0, begin - BESIDE_RUN), begin))
    behind = NUMBER_BEHIND.match(_cut(tree, end, end + BESIDE_RUN))
    if before and int(before[1]) == run[0][1] - 1:
        found.add(run[0][1] - 1)
    if behind and int(behind[1]) == run[-1][1] + 1:
        found.add(run[-1][1] + 1)
    return found.pop() if len(found) == 1 else None


def _cut(tree: Tree, start: int, end: int) -> str:
    """Return a piece of the page's text; letters that are cut in two are left out."""
    return tree.text[start:end].decode(errors="ignore")


def _counts_pages(urls: dict[int, str], own: str) -> bool:
    """Whether addresses count as the numbers of their links do, and are no days of a calendar."""
    others = [(number, url) for number, url in urls.items() if number > 1 and url != own]
    if not others:
        return False
    for number, url in others:
        counted = COUNTS.search(url) or STEPS.search(url)
        if counted is None and len(urls) == 1:
            return False
        if counted is None and (DAY.search(url) or str(number) not in DIGITS.findall(url)):
            return False
    return len(set(urls.values())) == len(urls)


def _weigh(
    tree: Tree, link: Link, node: int, way: str, runs: list[tuple[int, int]], own: str
) -> int:
    """Return how many reasons there are that a link turns the page; less than none against it."""
    step = _compare(own, link.url)
    if step not in ("", way) or (own and host_of(own) != host_of(link.url)):
        return AGAINST
    begin, end = int(tree.offset[node]), int(tree.offset[tree.end[node]])
    near = any(first - APART <= end and begin <= last + APART for first, last in runs)
    names = _read_names(tree, node)
    if _belongs_elsewhere(names):
        return AGAINST
    labels = (attribute(tree, node, name) or "" for name in ("aria-label", "title"))
    labelled = any(TEXTS.get(label.lower().strip(BESIDE)) == (way, True) for label in labels)
    return near + labelled + bool(step) + bool(PAGER.search(names))


def _read_names(tree: Tree, node: int) -> str:
    """Return what an element and those around it are called: classes, ids, labels, roles."""
    said = []
    for _ in range(AROUND):
        values = (attribute(tree, node, name) for name in ("class", "id", "aria-label", "role"))
        said += [value[:MAX_NAME] for value in values if value]
        node = int(tree.parent[node])
        if node <= 0:
            break
    return " ".join(said)


def _belongs_elsewhere(names: str) -> bool:
    """Whether names are those of something else that is turned over: pictures, months, articles."""
    return FOREIGN.search(names) is not None


def _compare(own: str, url: str) -> str:
    """Return which way an address counts on from that of the page, "" where it does not."""
    for pattern, first in ((COUNTS, 1), (STEPS, 0)):
        here, there = pattern.search(own), pattern.search(url)
        if there is None:
            continue
        number, current = int(there[1]), int(here[1]) if here else first
        if here is None and pattern is COUNTS and number == 1:
            return NEXT  # the first one has no number, or is 0
        if number != current:
            return NEXT if number > current else PREV
        return ""
    return ""
