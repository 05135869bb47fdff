"""Targets that read files people hand over: settings, models, labels, bibliographies."""

import hashlib
import io
import json
import shutil
import warnings
from collections.abc import Iterator
from functools import cache

import numpy as np

from blickfang.config import load_settings, resolve, write_example, write_settings
from blickfang.crawl.experiment.experiment_plan import load_plan
from blickfang.dedupe.compare.qrels import carry, count_levels, read_qrels
from blickfang.io.text_files import decode
from blickfang.text import learn_topic, load_topic
from blickfang.text.lm import load_model, read_arpa, save_model, write_arpa
from blickfang.text.lm.model_file import FIXED_BYTES
from blickfang.text.topic import load_pages, save_topic
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store
from blickfang.web.annotate.task import describe_task, make_task
from blickfang.web.annotate.task_presets import plan_task, preset_values
from tests.annotate.desks import items, make_desk, person, pets, say
from tests.fuzz.kinds import COVERAGE, Target, folder, spread, written
from tests.fuzz.web_targets import JSON_TOKENS

TOML = (
    b"[[", b"]]", b"[", b"]", b"=", b"'''", b'"""', b'"', b"\n", b"{", b"}", b",", b"#",
    b"1979-05-27T07:32:00Z",
    b"inf", b"nan", b"true", b"0x", b"1_000", b"1e400", b"\\u0000", b".", b"[crawl]", b"[topic]",
    b"[score]",
    b"seeds", b"max_pages", b"question", b"categories", b"merges", b"answers", b"select",
    b"a.b.c.d",
)  # fmt: skip


def call_settings(data: bytes) -> object:
    """Read blickfang.toml, write it out and read it again."""
    settings = load_settings(written(data, "blickfang.toml"))
    again = load_settings(written(write_settings(settings).encode(), "again.toml"))
    assert again == settings
    return hash(json.dumps(resolve(settings), default=str, sort_keys=True)) % 4096


def tasks() -> Iterator[bytes]:
    """Give tasks as files."""
    yield (
        b'title = "Pets"\nannotators = 3\n[[question]]\nname = "topic"\ntext = "Which?"\n'
        b'categories = ["cat", "pet", {name = "other", key = "o", label = "Other"}]\n'
        b'merges = {pets = [["cat", "pet"], ["other"]]}\n[select]\nhow = "random"\ncount = 50\n'
        b'[[gold]]\nsample = "0000000000000001"\nanswers = {topic = "cat"}\n'
        b'[[example]]\nsample = "0000000000000002"\nanswers = {topic = "pet"}\nwhy = "so"\n'
    )


def call_task(data: bytes) -> object:
    """Read the file of a task; what it says can be written and read again."""
    task = plan_task("", written(data, "task.toml"), {})
    assert make_task(describe_task(task)) == task
    return len(task.questions), task.two_phases, task.select.how, len(task.gold)


PLAN = (
    b'[experiment]\nmodes = ["breadth"]\ndraws = 2\nseed = 3\npages = 40\n'
    b"[settings.crawl]\ndelay_s = 0.5\n"
    b'[webs.a]\narchive = ["a/*.warc.gz"]\nseeds = ["http://a.b/"]\n'
    b'[topics.t]\npositive = ["p/*.html"]\n'
    b'neutral = ["n/*"]\ntake = 3\n[variants.v.crawl]\nmode = "best"\n'
)


def call_plan(data: bytes) -> object:
    """Read the plan of an experiment and the settings of its crawls."""
    plan = load_plan(written(data, "plan.toml"))
    cells = plan.list_cells()[:20]
    for cell in cells:
        plan.write_settings(cell, 10, folder() / "cells" / cell.name)
    return spread(len(cells)), sorted(plan.ways)[:1] == ["breadth"]


SENTENCES = [
    "The lamp burns in the tower.",
    "A keeper lights the lamp at dusk.",
    "Trains run late.",
]


@cache
def models() -> dict[str, bytes]:
    """Return a saved model and the same as ARPA."""
    place = folder() / "topic"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so little text is meant
        topic = learn_topic(SENTENCES * 3, ["Minutes of the last meeting."])
    save_topic(topic, place)
    save_model(topic.model, place / "a.model")
    write_arpa(topic.model, place / "a.arpa")
    pages = [path.read_bytes() for path in sorted(place.glob("pages-*.npz"))]
    names = {"model": "a.model", "arpa": "a.arpa", "topic": "topic.json"}
    found = {key: (place / name).read_bytes() for key, name in names.items()}
    return found | {"pages": pages[0] if pages else b""}


ARPA_TOKENS = (
    b"\\data\\", b"\\1-grams:", b"\\2-grams:", b"\\3-grams:", b"\\end\\", b"ngram 1=", b"ngram 2=",
    b"\n",
    b"\t", b" ", b"-99", b"<unk>", b"<s>", b"</s>", b"<UNK>", b"-inf", b"nan", b"1e9", b"-0.3",
    b"lamp",
    b"\xc2\xa0", b"\r", b"\x0b", b"\xed\xa0\x80",
)  # fmt: skip


def call_arpa(data: bytes) -> object:
    """Read a language model of others, score with it and write it out."""
    model = read_arpa(written(data, "b.arpa"))
    scores = model.score(["the lamp burns", "x lamp </s> <s>", ""])
    write_arpa(model, folder() / "c.arpa")
    save_model(model, folder() / "c.model")
    return model.order, spread(sum(model.counts)), len(scores.log10)


def call_model(data: bytes) -> object:
    """Load a model whose checksum fits whatever was changed, and score with it."""
    made = bytearray(data)
    if len(made) > FIXED_BYTES:
        made[16:48] = hashlib.sha256(made[48:]).digest()
    model = load_model(written(bytes(made), "b.model"))
    model.score(["the lamp burns in the tower", "x"])
    return model.order, model.tokenised, spread(sum(model.counts))


def call_topic(data: bytes) -> object:
    """Load a topic whose description was changed, and ask it."""
    models()
    place = folder() / "topic"
    (place / "topic.json").write_bytes(data)
    topic = load_topic(place, with_test_model=True)
    topic.perplexity(["the lamp"])
    topic.keyword_score(["the lamp"])
    return len(topic.keywords.found), topic.test_model is None


def call_pages(data: bytes) -> object:
    """Load the words that a topic was learned from."""
    found = load_pages(written(data, "pages.npz"))
    return spread(len(found.positive)), spread(len(found.neutral))


FORMS = ("tsv", "json", "labelstudio")


class Bench:
    """A store that is made anew now and then: labels pile up."""

    used = 0
    store: LabelStore | None = None


def store() -> LabelStore:
    """Return the store that labels are brought to."""
    if Bench.store is None or Bench.used % 300 == 0:
        if Bench.store is not None:
            Bench.store.close()
        place = folder() / "store"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        Bench.store = make_desk(place, pets(), 4, "ann bob =cat")
    Bench.used += 1
    return Bench.store


def labels() -> Iterator[bytes]:
    """Give labels in every form; the first byte chooses it, and whether the task is there."""
    made = store()
    for name in ("ann", "bob", "=cat"):
        who = person(made, name)
        for unit in annotate.assign(made, who).units[:2]:
            say(made, who, unit.id, {"topic": "cat", "text": "describes"})
    for number, form in enumerate(FORMS):
        text = annotate.export_labels(made, "pets", form).encode()
        yield bytes((number,)) + text
        yield bytes((number + 3,)) + text
    values = {**preset_values("context"), "name": "c", "gold_share": 0.0}
    with open_store(folder()) as other:
        annotate.add_task(other, make_task(values), items(2))
        yield b"\4" + annotate.export_labels(other, "c", "json").encode()
    Bench.store, Bench.used = None, 0


def call_labels(data: bytes) -> object:
    """Bring labels in from another tool."""
    choice = data[0] if data else 0
    to = store()
    name = "pets" if choice % 6 < 3 else f"fresh-{Bench.used}"
    found = annotate.import_labels(to, name, decode(data[1:]), FORMS[choice % 3])
    annotate.measure(to, name)
    return spread(found.kept), spread(found.again), frozenset(f.reason for f in found.failures)


LABEL_TOKENS = (
    *JSON_TOKENS, b"\t", b"\n", b"sample", b"annotator", b"question", b"category", b"topic",
    b"cat", b"items",
    b"labels", b"task", b"variants", b"annotations", b"result", b"value", b"choices", b"from_name",
    b"data",
    b"completed_by", b"meta", b"text", b"was_cancelled", b"0000000000000001", b"ann", b"skip",
    b"at", b"-1",
    b"merges", b"9999-12-31T23:59:59", b"0001-01-01T00:00:00",
)  # fmt: skip
QRELS = b"1 0 a-01 2\n1 0 a-02 0\n2\tQ0  a-01 -1\n\n3 0 b 1\r\n"


def call_qrels(data: bytes) -> object:
    """Read relevance judgements and carry them over."""
    judged = read_qrels(written(data, "a.qrels"))
    moved = carry(judged, {"a-01"}, {})
    return spread(len(judged)), len(count_levels(judged, moved)), moved.conflicts


def seed_vectors() -> bytes:
    """Return arrays as the pages of a topic are kept."""
    buffer = io.BytesIO()
    words, ends = np.arange(6, dtype=np.uint64), np.array([2, 6])
    np.savez(
        buffer, positive_words=words, positive_ends=ends, neutral_words=words, neutral_ends=ends
    )
    return buffer.getvalue()


FILE_TARGETS = (
    Target(
        "settings",
        call_settings,
        lambda: (write_example().encode(),),
        TOML,
        COVERAGE,
        sees=(
            "blickfang.config",
            "tomllib",
        ),
    ),
    Target(
        "task",
        call_task,
        tasks,
        TOML,
        COVERAGE,
        sees=(
            "blickfang.web.annotate",
            "tomllib",
        ),
    ),
    Target(
        "plan",
        call_plan,
        lambda: (PLAN,),
        TOML,
        COVERAGE,
        sees=(
            "blickfang.crawl.experiment",
            "tomllib",
        ),
    ),
    Target("arpa", call_arpa, lambda: (models()["arpa"],), ARPA_TOKENS),
    Target("model", call_model, lambda: (models()["model"],), JSON_TOKENS),
    Target(
        "topic",
        call_topic,
        lambda: (models()["topic"],),
        JSON_TOKENS,
        COVERAGE,
        sees=("blickfang.text",),
    ),
    Target(
        "topic-pages",
        call_pages,
        lambda: (seed_vectors(),),
        (b"PK\1\2", b"\x93NUMPY", b"'<u8'", b"|O"),
    ),
    Target("labels", call_labels, labels, LABEL_TOKENS, COVERAGE, sees=("blickfang.web.annotate",)),
    Target(
        "qrels",
        call_qrels,
        lambda: (QRELS,),
        (b"\n", b"\t", b" ", b"-", b"1", b"\0", b"Q0"),
        COVERAGE,
        sees=(
            "blickfang.dedupe.compare",
            "blickfang.io.text_files",
        ),
    ),
)
