"""blickfang.toml: defaults, mistakes named, the example that `new` writes."""

import tomllib
from pathlib import Path

import pytest

from blickfang.config import (
    Settings,
    change_settings,
    list_keys,
    load_settings,
    resolve,
    write_example,
    write_settings,
)
from blickfang.corpus.mentions import BuildOptions
from blickfang.crawl import CrawlOptions
from blickfang.errors import SettingsError

FIRST_MET = {
    "topic": {"positive", "neutral"},
    "crawl": {
        "seeds", "mode", "max_pages", "max_minutes", "delay_s", "shards", "contact", "purpose",
        "proxy", "allow_private", "reject",
    },
    "images": {"min_width", "min_height"},
}  # fmt: skip


def load(tmp_path: Path, text: str) -> Settings:
    path = tmp_path / "blickfang.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path)


def test_an_empty_file_means_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Settings()


def test_the_keys_users_meet_first_are_there() -> None:
    for section, names in FIRST_MET.items():
        assert names <= {key.name for key in list_keys() if key.section == section}


def test_a_number_or_a_word_for_a_rule(tmp_path: Path) -> None:
    assert load(tmp_path, "[crawl]\npatience_s = 2\n").crawl.patience == 2.0
    assert load(tmp_path, '[crawl]\npatience_s = "auto"\n').crawl.patience_s == "auto"
    for wrong in ('"often"', "true", "[1]"):
        with pytest.raises(SettingsError, match='patience_s must be a number, or "auto"'):
            load(tmp_path, f"[crawl]\npatience_s = {wrong}\n")
    with pytest.raises(SettingsError, match="patience_s must not be negative"):
        load(tmp_path, "[crawl]\npatience_s = -1\n")


def test_values_arrive(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        '[topic]\npositive = ["a/*.html", "ä.txt"]\n'
        '[crawl]\nmax_minutes = 5\ndelay_s = 0\nallow_private = true\nreject = ["(com,example,"]\n'
        "[images]\nmin_width = 100\n",
    )
    assert settings.topic.positive == ("a/*.html", "ä.txt")
    assert settings.crawl.max_minutes == 5.0
    assert isinstance(settings.crawl.max_minutes, float)
    assert settings.crawl.allow_private
    assert resolve(settings)["images"]["min_width"] == 100


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[topic]\npositiv = []", "positiv in [topic] is no setting; did you mean positive?"),
        ("[crawl]\nmax-pages = 3", "did you mean max_pages?"),
        ("[crawls]\n", "[crawls] is no section; did you mean crawl?"),
        ("[zzz]\n", "[zzz] is no section; there are topic, score, crawl, focus, images"),
        ("max_pages = 1", "max_pages stands in no section; it belongs into [crawl]"),
        ("zzz = 1", "zzz stands in no section"),
        ("topic = 1", "topic stands in no section; write it as [topic]"),
        ("[[crawl]]", "crawl stands in no section"),
        ("[score]\nrazor = -1", "no number in [score] may be negative"),
        ("[topic]\nneutral = [2]", 'neutral must be a list of texts, as ["neutral/*.html"]'),
        ("[crawl]\nseed = []", "seed in [crawl] is no setting; did you mean seeds?"),
        ("[topic]\nmax_pages = 1", "max_pages in [topic] is no setting; it belongs into [crawl]"),
        ("[crawl]\ndelay_s = nan", "delay_s must be a number"),
        ('[topic]\norder = "five"', "order must be a whole number, as 5"),
        ("[topic]\norder = true", "order must be a whole number"),
        ("[topic]\norder = 9", "choose 1 to 7"),
        ('[topic]\npositive = "a.html"', "positive must be a list of texts"),
        ("[topic]\npositive = [1]", "positive must be a list of texts"),
        ('[crawl]\nmode = "fast"', 'mode = "fast" is unknown; choose unfocused'),
        ('[crawl]\npurpose = "fun"', "purpose"),
        ("[crawl]\ndelay_s = 0", "only allowed with allow_private"),
        ("[crawl]\nmax_pages = -1", "negative"),
        ('[crawl]\ncontact = "me"', 'begin with "mailto:"'),
        ('[crawl]\nreject = ["example.com"]', "no SURT prefix"),
        ("[images]\nmin_width = 99999", "between 0 and their maximum"),
        ("[score]\nbuckets = [3, 2]", "buckets must rise"),
        ("[topic", "not valid TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(tmp_path, text)
    assert said in str(error.value)
    assert "blickfang.toml" in str(error.value)


def test_the_example_is_valid_and_complete(tmp_path: Path) -> None:
    text = write_example()
    settings = load(tmp_path, text)
    assert settings.topic.positive == ("pages/*.html",)
    every_default = "\n".join(
        line.removeprefix("# ") if " = " in line else line for line in text.splitlines()
    )
    tables = tomllib.loads(every_default)
    assert {(s, name) for s, table in tables.items() for name in table} == {
        (key.section, key.name) for key in list_keys()
    }
    assert load(tmp_path, every_default).score == Settings().score


def test_unreadable_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="blickfang new"):
        load_settings(tmp_path / "blickfang.toml")
    (tmp_path / "blickfang.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="cannot read"):
        load_settings(tmp_path / "blickfang.toml")


def test_results_do_not_tell_passwords() -> None:
    proxy, archive = "http://bob:s3cret@127.0.0.1:9", "https://bob:s3cret@example.org/a@b.warc.gz"
    crawl, build = CrawlOptions(proxy=proxy), BuildOptions(archives=(archive, "a@b.warc.gz"))
    settings = Settings(crawl=crawl, build=build)
    told = resolve(settings)
    assert "s3cret" not in str(told)
    assert told["crawl"]["proxy"] == "http://127.0.0.1:9"
    assert told["build"]["archives"] == ("https://example.org/a@b.warc.gz", "a@b.warc.gz")
    assert "bob:s3cret" in write_settings(settings)  # for our own workers


@pytest.mark.parametrize(
    "proxy", ["127.0.0.1:8080", "socks5://a:1", "http://", "http://a:b", "http://[1"]
)
def test_a_proxy_that_cannot_be_one_is_told_before_a_crawl(proxy: str) -> None:
    with pytest.raises(SettingsError, match='write "http://host:port"'):
        CrawlOptions(proxy=proxy)


NEW = {"buckets": (1.0, 2.0, 3.0), "razor": 9.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[score]",
        "[score]\nbuckets = [\n  600.0, # ]\n  2000.0,\n  10000.0,\n]\nrazor = 3.0\n"
        "[crawl]\nmode = 'focused'\n",
        "[score] # the study\nbuckets = [1.0, 2.0, 4.0] # mine\n\n[crawl]\nimages = false\n",
        "[ score ]\n  razor = 1.0\n",
        '["score"]\n"razor" = 5.0\n',
        "score = {razor = 2.0}\n",
        "score.razor = 2.0\n[crawl]\n",
        "score.razor = 2.0\nscore.keyword_weight = 1.0\n[crawl]\nimages = true\n",
        '[crawl]\ncontact = """\n[score]\nrazor = 3\n"""\nrazor = 1.0\n',
        "[crawl]\nseeds = [\n[],\n]\n[score]\nbuckets = [\n1.0]",
        "[score.more]\nrazor = 1.0\n",
        "[score]\r\nbuckets = [\r\n1.0]\r\n",
    ],
)
def test_values_are_changed_however_a_file_is_written(text: str) -> None:
    before = tomllib.loads(text)
    changed = tomllib.loads(change_settings(text, "score", NEW, "why"))
    assert changed.pop("score") == before.pop("score", {}) | {"buckets": [1, 2, 3], "razor": 9}
    assert {name: table for name, table in changed.items() if table} == {
        name: table for name, table in before.items() if table
    }


def test_what_users_wrote_beside_a_value_stays() -> None:
    text = (
        "# ours\n[topic]  # birds\n# positive = []\npositive = [\n  'a',\n]\nneutral = ['b']\n# end"
    )
    changed = change_settings(text, "topic", {"positive": ("a", "c")}, "why")
    assert changed.splitlines() == [
        "# ours", "[topic]  # birds", "# why", 'positive = ["a", "c"]', "# positive = []",
        "neutral = ['b']", "# end",
    ]  # fmt: skip


def test_a_file_that_cannot_be_changed_is_told_what_to_write() -> None:
    text = "score = {razor = 2.0, buckets = [1.0]}\n"
    with pytest.raises(SettingsError, match=r"\[score\] yourself: .*razor = 9\.0"):
        change_settings(text, "score", NEW, "why")
