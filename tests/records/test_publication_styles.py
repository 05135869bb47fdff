"""Publications in styles found in the wild: each a few rows, and what must come out of them."""

from collections.abc import Callable

import pytest

from blickfang.records import extract_records
from blickfang.types import Failure
from tests.records.test_publications import TITLES, team

LASTS = {"Berg": "Anna", "Tal": "Carl D.", "See": "Eva", "Moor": "Fritz", "Bach": "Gerd"}
VENUES = ["Journal of Water", "Brook Letters", "Conference on Floods", "Annals of Rain"]


def read(html: str, url: str = "https://example.org/") -> list[dict[str, str]]:
    found = extract_records(html, url, "publications", regions=1)
    assert not isinstance(found, Failure)
    return [dict(record.fields) for record in found[0].records] if found else []


def people(k: int) -> list[tuple[str, str]]:
    """Return first and last names of the authors of a row."""
    return [(name.rpartition(" ")[0].removesuffix(" van"), name.split()[-1]) for name in team(k)]


def turned(k: int) -> list[str]:
    return [f"{last}, {first[0]}." for first, last in people(k)]


def chain(names: list[str], last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{last}{names[-1]}"


def apa(k: int) -> str:
    names = chain(turned(k), ", &amp; ")
    return f"<li>{names} ({2001 + k}a). {TITLES[k]}. <i>{VENUES[k % 4]}, {k}</i>(2), 1–9.</li>"


def nature(k: int) -> str:
    names = chain(turned(k), " &amp; ")
    return f"<li>{names} {TITLES[k]}. <i>{VENUES[k % 4]}</i> <b>{k + 3}</b>, 1–9 ({2001 + k}).</li>"


def raised(k: int) -> str:
    names = ", ".join(f"{name}<sup>{n + 1},{n + 4}</sup>" for n, name in enumerate(team(k)))
    return f"<div><h3>{TITLES[k]}</h3><p>{names}</p><p>{VENUES[k % 4]}, {2001 + k}</p></div>"


def raised_signs(k: int) -> str:
    names = ", ".join(f"{name}{'¹²³'[n]}" for n, name in enumerate(team(k)))
    return f"<div><h3>{TITLES[k]}</h3><p>{names}</p><p>{VENUES[k % 4]}, {2001 + k}</p></div>"


def dotted(k: int) -> str:
    names = " · ".join(team(k))
    return f"<div><h3>{TITLES[k]}</h3><p>{names}</p><p>{VENUES[k % 4]} · {2001 + k}</p></div>"


def items(k: int) -> str:
    names = "".join(f"<li><a href='/{n}'>{name}</a></li>" for n, name in enumerate(team(k)))
    return f"<div><h3>{TITLES[k]}</h3><ul>{names}</ul><p>{VENUES[k % 4]} ({2001 + k})</p></div>"


def numbered(k: int) -> str:
    names = ", ".join(team(k))
    return f"<p>[J{k + 1}] {TITLES[k]}. {names}. {VENUES[k % 4]}, vol. {k}, May {2001 + k}.</p>"


def labelled(k: int) -> str:
    names = ", ".join(f"<a>{name}</a>" for name in team(k))
    return (
        f"<dd><div><span>Title:</span> {TITLES[k]}</div><div>{names}</div><div><span>Journal:"
        f"</span> {VENUES[k % 4]}, {2001 + k}</div>"
        "<div><span>Subjects:</span> Hydrology (wa.HY)</div></dd>"
    )


def isodate(k: int) -> str:
    return (
        f"<tr><td>{2001 + k}-0{k + 1}-12</td><td><a>{TITLES[k]}</a></td><td>{'; '.join(team(k))}"
        f"</td><td>{VENUES[k % 4]}</td></tr>"
    )


def dashed(k: int) -> str:
    return isodate(k).replace(f"{2001 + k}-0{k + 1}-12", f"Mar-{2001 + k}")


def portal(k: int) -> str:
    names = chain([f"<span>{name}</span>" for name in turned(k)], " &amp; ")
    return (
        f"<li><h3><a>{TITLES[k]}</a></h3>{names}, <span>3 Apr {2001 + k}</span>, In: "
        f"<a>{VENUES[k % 4]}</a>. <span>12</span>, p. 1–9 <p>Research output: Article</p></li>"
    )


def linked(k: int) -> str:
    names = ", ".join(team(k))
    return (
        f"<div><b>{TITLES[k]}</b><br>{names}<br><a href='{k}.pdf'>Paper</a> "
        f"<a href='{k}.bib'>BibTex"
        f"</a><br>{VENUES[k % 4]}, {2001 + k}</div>"
    )


STYLES = [apa, nature, raised, raised_signs, dotted, items, numbered, labelled, isodate, dashed,
          portal, linked]  # fmt: skip


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_a_style(style: Callable[[int], str]) -> None:
    rows = "".join(style(k) for k in range(8))
    outer = "table" if rows.startswith("<tr") else "ul" if rows.startswith("<li") else "section"
    found = read(f"<h1>Publications</h1><{outer}>{rows}</{outer}>")
    assert [row["title"] for row in found] == TITLES
    names = turned if style in (apa, nature, portal) else team
    assert [row["authors"].split("; ") for row in found] == [names(k) for k in range(8)]
    assert [row["year"] for row in found] == [str(2001 + k) for k in range(8)]
    assert all(VENUES[k % 4] in row["venue"] for k, row in enumerate(found))
    if style is labelled:
        assert not any("Hydrology" in row["venue"] for row in found)


def test_emphasised_words_do_not_cut_titles() -> None:
    titles = [
        title.replace("water", "<i>water</i>").replace("from", "<em>from</em>") for title in TITLES
    ]
    titles[2] = titles[2].replace("Why lakes", "<b>Why</b> lakes")
    rows = "".join(
        f"<li>{' and '.join(team(k))}. {title}. In <em>{VENUES[k % 4]}</em>, {2001 + k}.</li>"
        for k, title in enumerate(titles)
    )
    assert [row["title"] for row in read(f"<ul>{rows}</ul>")] == TITLES


def test_and_others_are_no_author() -> None:
    rows = "".join(
        f"<li><b>{TITLES[k]}</b><br>{', '.join(team(k))} et al.<br>{VENUES[k % 4]}, {2001 + k}</li>"
        for k in range(8)
    )
    found = read(f"<ul>{rows}</ul>")
    assert [row["authors"].split("; ") for row in found] == [team(k) for k in range(8)]


def test_the_first_name_of_a_list_alone_is_turned() -> None:
    def mla(k: int) -> str:
        (first, last), *_ = people(k)
        names = chain([f"{last}, {first}", *team(k)[1:]], ", and ")
        return (
            f"<p>{names}. “{TITLES[k]}.” <i>{VENUES[k % 4]}</i>, vol. 3, {2001 + k}, pp. 1-9.</p>"
        )

    found = read("".join(mla(k) for k in range(8) if k != 3))
    wanted = [[", ".join(reversed(people(k)[0])), *team(k)[1:]] for k in range(8) if k != 3]
    assert [row["authors"].split("; ") for row in found] == wanted


def test_two_last_names() -> None:
    rows = "".join(
        f"<li>Ruiz García, C., See, E. &amp; De Santis, L. ({2001 + k}). {TITLES[k]}. "
        "<i>Brook</i>, 3.</li>"
        for k in range(6)
    )
    assert {row["authors"] for row in read(f"<ul>{rows}</ul>")} == {
        "Ruiz García, C.; See, E.; De Santis, L."
    }


CHINESE = [("王小明，李华", "基于深度学习的语音识别方法研究", "计算机学报"),
           ("李华", "面向服务机器人的人脸识别系统", "自动化学报"),
           ("张伟，王小明，陈静", "多模态对话管理中的不确定性建模", "中文信息学报"),
           ("陈静，刘洋", "机器翻译质量估计综述", "计算机研究与发展")]  # fmt: skip


def test_scripts_without_blanks() -> None:
    rows = "".join(
        f"<li>{names}. {title}[J]. {venue}, {2015 + k}年, 42(3): 1-9.</li>"
        for k, (names, title, venue) in enumerate(CHINESE)
    )
    found = read(f"<ol>{rows}</ol>")
    assert [(row["authors"], row["title"], row["venue"], row["year"]) for row in found] == [
        (names.replace("，", "; "), title, venue, str(2015 + k))
        for k, (names, title, venue) in enumerate(CHINESE)
    ]


RUSSIAN = [("И. О. Иванов, П. С. Петрова", "Алгоритмы поиска повторов", "Программирование"),
           ("П. С. Петрова", "Извлечение информации из веб-страниц", "Труды ИСП РАН"),
           ("А. В. Сидоров, И. О. Иванов", "Диалоговые системы для роботов", "Логика и речь"),
           ("Е. Кузнецова, А. В. Сидоров", "Распознавание речи в шуме", "Речь")]  # fmt: skip


def test_two_strokes_end_a_title() -> None:
    rows = "".join(
        f"<li>{names}. {title} // {venue}. — {2015 + k}. — № 3. — С. 1–9.</li>"
        for k, (names, title, venue) in enumerate(RUSSIAN)
    )
    found = read(f"<ol>{rows}</ol>")
    assert [(row["authors"], row["title"], row["venue"]) for row in found] == [
        (names.replace(", ", "; "), title, venue) for names, title, venue in RUSSIAN
    ]


def test_menus_within_records_are_not_the_list() -> None:
    def entry(k: int) -> str:
        links = "".join(
            f"<li><a href='{n}{k}'>{n}</a></li>" for n in ("view", "BibTeX", "RIS", "XML")
        )
        names = ", ".join(f"<span><a>{name}</a></span>" for name in team(k))
        return (
            f"<li class=entry><nav><ul><li><b>export</b><ul>{links}</ul></li><li><b>share</b><ul>"
            f"{links}</ul></li></ul></nav><cite>{names}:<br> <span>{TITLES[k]}.</span> <a>"
            f"{VENUES[k % 4]}"
            f" <span>{2001 + k}</span></a>: 1-9</cite></li>"
        )

    rows = "".join(
        (f"<li class=year>{2001 + k}</li>" if k % 2 else "") + entry(k) for k in range(8)
    )
    found = read(f"<ul>{rows}</ul>")
    assert [row["title"] for row in found] == TITLES


def test_the_year_of_a_visit_is_not_that_of_the_paper() -> None:
    rows = "".join(
        f"<li>{chain(turned(k), ' and ')} ({2001 + k}) '{TITLES[k]}', <em>Brook</em>, 3, pp. 1-9. "
        f"Available at: https://a.org/{k} (Accessed: 3 May 2024).</li>"
        for k in range(8)
    )
    assert [row["year"] for row in read(f"<ul>{rows}</ul>")] == [str(2001 + k) for k in range(8)]
