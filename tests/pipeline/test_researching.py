"""Web research on a small academic web: from a name to a table."""

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.records.persons import Publication, parse_bibtex, parse_name
from blickfang.records.persons.person_values import Finding, Study
from blickfang.records.persons.research_sources import (
    ResearchQuestion,
    find_publications,
    make_phrases,
    read_addresses,
    read_results,
)
from blickfang.records.persons.run_research import look_at
from blickfang.records.persons.write_publications import write_study
from blickfang.types import Failure, Response
from tests import academia
from tests.academia import CHEMISTRY, ELSEWHERE, GROUP, NAME, PAGES, SPEECH, Academia, list_works
from tests.crawl.sites import crawl_here, serving, settings, write_collection


class Place:
    """The web, and a collection that has crawled it."""

    def __init__(self, web: Academia, folder: Path, address: str) -> None:
        self.web, self.folder, self.address = web, folder, address


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("research") / "people"
    web = Academia()
    with serving(web) as server:
        start = "http://start.test/"
        write_collection(folder, server, start, purpose="research")
        crawl_here(folder / "crawl", settings(server, start, purpose="research"))
        yield Place(web, folder, server.address)


def people_of(study: Study) -> dict[str, int]:
    return {finding.publication.title: finding.person for finding in study.findings}


def reasons_of(study: Study) -> dict[str, str]:
    return {failure.url: failure.reason for failure in study.failures}


@pytest.mark.parametrize(
    ("licence", "kept"),
    [
        ('href="https://creativecommons.org/licenses/by/4.0/"', True),
        ('type="application/rsl+xml" href="/license.xml"', False),
    ],
)
def test_licences_that_are_sold_forbid_training_and_no_others(licence: str, kept: bool) -> None:
    html = f'<link rel="license" {licence}><title>Publications</title><p>Nothing so far.'
    seen = look_at(parse_name(NAME), Response("http://a.test/", 200, {}, html.encode()), "train")
    assert isinstance(seen, Failure) is not kept


def test_offline_everything_comes_from_the_archive(place: Place) -> None:
    place.web.asked.clear()
    study = find_publications(ResearchQuestion(NAME, place.folder))
    hidden = {academia.HIDDEN.title}  # only in a BibTeX file, which no crawl keeps
    assert people_of(study) == {t: who for t, who in list_works() if t not in hidden}
    assert place.web.asked == []
    reasons = reasons_of(study)
    assert reasons[f"{ELSEWHERE}/silent"] == "meta: noindex"
    assert reasons[f"{SPEECH}/pubs/papers/spoken.pdf"] == "not in the archive"
    assert f"{ELSEWHERE}/forbidden" not in str(study)


def test_the_index_is_kept_until_the_archive_changes(place: Place) -> None:
    find_publications(ResearchQuestion(NAME, place.folder))
    names = sorted(path.name for path in (place.folder / "research").glob("index-*"))
    find_publications(ResearchQuestion(NAME, place.folder))
    assert sorted(path.name for path in (place.folder / "research").glob("index-*")) == names
    archive = next((place.folder / "crawl").glob("shard-*/*.warc.gz"))
    os.utime(archive, (1, 1))
    find_publications(ResearchQuestion(NAME, place.folder))
    after = sorted(path.name for path in (place.folder / "research").glob("index-*"))
    assert len(after) == 1
    assert after != names


def test_fetching_adds_papers_and_bibtex_once(place: Place) -> None:
    place.web.asked.clear()
    study = find_publications(ResearchQuestion(NAME, place.folder, fetch=True))
    assert people_of(study) == dict(list_works())
    work = academia.SPEAKER[0]
    found = next(f.publication for f in study.findings if f.publication.title == work.title)
    assert found.abstract == academia.abstract_of(work)
    assert found.emails == ("mueller@speech.nord.test", "okafor@speech.nord.test")
    assert found.affiliations == (
        "Department of Speech, Northern University, Seaside 4, 20001 Nordstadt",
    )
    reasons = reasons_of(study)
    papers = f"{SPEECH}/pubs/papers"
    assert reasons[f"{papers}/locked.pdf"] == "encrypted"
    assert reasons[f"{papers}/scan.pdf"] == "no text: scanned, or drawn"
    assert reasons[f"{papers}/wrong.pdf"].startswith("another paper")
    assert reasons[f"{papers}/page.pdf"] == "not a PDF"
    assert place.web.asked.count(f"{papers}/spoken.pdf") == 1
    again = find_publications(ResearchQuestion(NAME, place.folder, fetch=True))
    assert again == study
    assert place.web.asked.count(f"{papers}/spoken.pdf") == 1  # kept for a day


def test_what_was_broken_off_goes_on(place: Place, tmp_path: Path) -> None:
    (tmp_path / "blickfang.toml").write_text((place.folder / "blickfang.toml").read_text())
    question = ResearchQuestion(
        NAME, tmp_path, urls=[f"{CHEMISTRY}/mueller", f"{GROUP}/publications"]
    )

    def stop(done: int, total: int) -> None:
        del total
        if done == 1:
            raise KeyboardInterrupt

    place.web.asked.clear()
    with pytest.raises(KeyboardInterrupt):
        find_publications(question, stop)
    first = place.web.pages_asked()
    place.web.asked.clear()
    assert find_publications(question).people == 2
    assert set(first[:1]).isdisjoint(place.web.pages_asked())


def test_a_search_engine_and_manners(place: Place) -> None:
    place.web.queries.clear()
    place.web.asked.clear()
    study = find_publications(ResearchQuestion(NAME, place.folder, searx=place.address, papers=0))
    assert people_of(study) == dict(list_works())
    assert place.web.queries == [
        f'"{NAME}" publications',
        f'"{NAME}" publikationen',
        f"{NAME} publications",
    ]
    reasons = reasons_of(study)
    assert reasons[f"{ELSEWHERE}/forbidden"] == "robots.txt: disallow"
    assert f"{ELSEWHERE}/forbidden" not in place.web.asked
    assert reasons[f"{ELSEWHERE}/karl"] == "publications of others"
    assert reasons["http://gone.test/"] == "status 404"


def test_given_addresses_and_their_limits(place: Place) -> None:
    asked = ResearchQuestion(NAME, place.folder, urls=[f"{SPEECH}/", "nonsense"], follow=False)
    study = find_publications(asked)
    assert study.findings == ()
    assert reasons_of(study)["nonsense"] == "no address of the web"
    one = find_publications(
        ResearchQuestion(NAME, place.folder, urls=[f"{CHEMISTRY}/mueller", *PAGES], pages=1)
    )
    assert set(people_of(one)) == {work.title for work in academia.CHEMIST}


def test_private_addresses_are_refused_unless_allowed(place: Place) -> None:
    study = find_publications(
        ResearchQuestion(NAME, urls=[f"{place.address}/"], contact="mailto:me@lab.internal")
    )
    assert reasons_of(study) == {f"{place.address}/": "private address refused"}


def test_wrong_questions_say_what_to_do(place: Place, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="First Last"):
        find_publications(ResearchQuestion("Müller", place.folder))
    with pytest.raises(SettingsError, match="--searx"):
        find_publications(ResearchQuestion(NAME))
    with pytest.raises(SettingsError, match="contact"):
        find_publications(ResearchQuestion(NAME, urls=[]))
    with pytest.raises(InputError, match="does not answer"):
        find_publications(ResearchQuestion(NAME, place.folder, searx="http://127.0.0.1:1/"))
    with pytest.raises(InputError, match="json"):
        read_results(b"<html>", "x")
    write = tmp_path / "empty"
    write.mkdir()
    (write / "blickfang.toml").write_text("")
    with pytest.raises(InputError, match="blickfang crawl"):
        find_publications(ResearchQuestion(NAME, write))


def test_addresses_and_phrases() -> None:
    found, wrong = read_addresses(["http://A.test/ ", "", "# no", "http://a.test/", "x y"])
    assert (found, wrong) == (
        ["http://a.test/"],
        [Failure("x y", "research", "no address of the web")],
    )
    words = {phrase.words for phrase in make_phrases(parse_name("Joerg Müller"))}
    assert {("joerg", "muller"), ("jorg", "mueller"), ("muller", "j")} <= words
    assert [p.words for p in make_phrases(parse_name("王小明"))] == [("王", "小", "明")]


HOSTILE = Publication(
    '=HYPERLINK("http://x")\nnext',
    ("+A. Evil", "B\u202e. Turned"),
    "2000",
    "@SUM(1)",
    abstract="a\x1b[31m\x00b",
    sources=("http://a.test/",),
)


def test_no_cell_is_a_formula_or_steers_a_terminal() -> None:
    study = Study((Finding(HOSTILE, 1),), 1, ())
    text = "".join(write_study(study, "csv"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = "title,authors,year,venue,pdf,affiliation,email,abstract,person,sources,confirmed"
    assert text.splitlines()[0] == columns
    assert rows[0]["title"] == '\'=HYPERLINK("http://x") next'
    assert rows[0]["authors"] == "'+A. Evil; B. Turned"
    assert rows[0]["venue"] == "'@SUM(1)"
    line = "".join(write_study(study, "jsonl"))
    assert line.isascii()
    assert json.loads(line)["authors"][0]["last"] == "Evil"
    entry = "".join(write_study(study, "bibtex"))
    assert "\x1b" not in entry
    assert parse_bibtex(entry)[0].title == '=HYPERLINK("http://x") next'
    with pytest.raises(SettingsError, match="csv, jsonl, bibtex"):
        write_study(study, "xml")
