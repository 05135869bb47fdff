"""The words kernel against a Python `re` tokeniser, whole path from `str`, 100 kB documents."""

import re
from pathlib import Path
from pydoc_data.topics import topics

from benchmarks.corpus import source_texts
from benchmarks.timing import Row, race
from blickfang.text.words import read_words

LETTERS = re.compile(r"[^\W\d_]+")
DOCUMENT_CHARS = 100_000
GOAL = 8.0
GERMAN = (
    "Über den Dächern von Köln heißt es früh aufstehen: größer, schöner, älter wird man später. "
)
RUSSIAN = "Кошка спит на мягком диване, а собака охраняет дом и смотрит в окно каждое утро. "
HINDI = "बिल्ली सोफे पर सोती है और कुत्ता घर की रखवाली करता है। "
HAN = "猫在沙发上睡觉，狗在门口看家。今天天气很好，我们去公园散步。"


def samples() -> dict[str, str]:
    """Return one long text per language."""
    prose = "\n".join(topics.values())
    texts = {"German": GERMAN, "Russian": RUSSIAN, "Hindi": HINDI, "Han": HAN}
    return {"English prose": prose, "source code": "\n".join(source_texts(600_000))} | {
        name: text * (2_000_000 // len(text)) for name, text in texts.items()
    }


def run(_: Path) -> list[Row]:
    """Compare megabytes of UTF-8 a second."""
    rows = []
    for name, text in samples().items():
        documents = [text[i : i + DOCUMENT_CHARS] for i in range(0, len(text), DOCUMENT_CHARS)]
        megabytes = sum(len(document.encode()) for document in documents) / 1e6
        ours, theirs = race(
            lambda documents=documents: [read_words(d) for d in documents],  # type: ignore[misc]
            lambda documents=documents: [LETTERS.findall(d.lower()) for d in documents],  # type: ignore[misc]
            times=15,
        )
        goal = GOAL if name.startswith("English") else None
        rows.append(
            Row(
                f"words, {name}",
                f"{megabytes / ours:.0f} MB/s",
                f"re {megabytes / theirs:.0f} MB/s",
                f"{theirs / ours:.1f}×",
                f"≥ {goal:.0f}×" if goal else "",
                theirs / ours >= goal if goal else None,
            )
        )
    return rows
