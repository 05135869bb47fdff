"""The dataset card: what a corpus holds and how it was made, for people and for Hugging Face.

In: the manifest of a corpus. Out: README.md, with the front matter that `datasets` and the Hub
read. Texts that come from the web or the user are escaped.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import blickfang
from blickfang.corpus.sample_columns import PAGES, REJECTED, SAMPLES, WITHOUT_IMAGE, CorpusColumn
from blickfang.io.escaping import markdown_text, one_line, yaml_text
from blickfang.io.plural import counted

LANGUAGE = re.compile("[a-z]{2,3}")
SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
    (10**9, "100M<n<1B"),
)
TAGS = ("image-text", "web-crawl", "blickfang")
TASKS = ("image-to-text", "text-to-image", "zero-shot-image-classification")
MOST_SHOWN = 50  # rows of a table of hosts or licences
EXTRA_TABLES = {
    "pages": ("pages.parquet", PAGES),
    "rejected": ("rejected.parquet", REJECTED),
}
LIMITS = (
    "Texts are what pages say around and about a picture; nobody wrote them to describe it.",
    "Captions and contexts are found by rules; `context_confidence` says how sure they are.",
    "Licences are hints found in files and pages, not legal advice; an empty field is unknown, "
    "not free.",
    "Hosts are not sampled evenly: a focused crawl follows what fits its topic.",
    "Pages can be wrong, biased, offensive or personal; no person looked at all samples.",
)


def write_card(manifest: Mapping[str, Any], names: Iterable[str] = ("pages", "rejected")) -> str:
    """Return the card of a corpus; `names` are the tables beside the samples."""
    tables = [name for name in EXTRA_TABLES if name in set(names)]
    title = manifest["title"] or "Image–text samples"
    parts = [
        _front_matter(manifest, title, tables),
        f"# {markdown_text(title)}",
        _overview(manifest),
        _making(manifest),
        _funnel(manifest["funnel"], manifest["removed_rejected"]),
        _columns(tables, SAMPLES if manifest["with_bytes"] else WITHOUT_IMAGE),
        _rights(manifest),
        _counts("Hosts", "host", manifest["counts"]["host"]),
        _counts("Languages", "language", manifest["counts"]["language"]),
        "## Limits\n\n" + _bullets([*LIMITS, *map(markdown_text, manifest["limits"])]),
        _removal(manifest["contact"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _front_matter(manifest: Mapping[str, Any], title: str, tables: Sequence[str]) -> str:
    languages = [name for name, _ in manifest["counts"]["language"]["most"]]
    # `datasets` keeps what it has read under the name of the folder and a hash of this part of the
    # card: without a word on the data, all corpora would be one to it.
    hashes = "".join(shard["sha256"] for shard in manifest["shards"])
    digest = hashlib.sha256(hashes.encode()).hexdigest()[:16]
    lines = [
        "---",
        f"pretty_name: {yaml_text(title)}",
        "license: other",
        "license_name: mixed",
        *_yaml_list("language", sorted(filter(LANGUAGE.fullmatch, languages))),
        *_yaml_list("size_categories", [size_category(manifest["rows"])]),
        *_yaml_list("task_categories", TASKS),
        *_yaml_list("tags", TAGS),
        "configs:",
        "- config_name: default",
        f"  description: {digest}",
        "  default: true",
        "  data_files:",
        "  - split: train",
        '    path: "data/train-*.parquet"',
    ]
    for name in tables:
        lines += [f"- config_name: {name}", f"  description: {digest}"]
        lines += [f'  data_files: "{EXTRA_TABLES[name][0]}"']
    return "\n".join([*lines, "---"])


def _yaml_list(name: str, values: Sequence[str]) -> list[str]:
    return [f"{name}:", *(f"- {yaml_text(value)}" for value in values)] if values else []


def size_category(rows: int) -> str:
    """Return the Hub's word for the size of a dataset.

    >>> size_category(999), size_category(1000)
    ('n<1K', '1K<n<10K')
    """
    return next((name for limit, name in SIZES if rows < limit), "n>1B")


def _overview(manifest: Mapping[str, Any]) -> str:
    size = manifest["image_bytes"] / 1e6
    hosts = manifest["counts"]["host"]
    count = len(hosts["most"]) + hosts["others"]
    formats = ", ".join(f"{markdown_text(n)} {c}" for n, c in manifest["counts"]["format"]["most"])
    return (
        f"{counted(manifest['rows'], 'picture')} ({size:.1f} MB) from {counted(count, 'host')}, "
        f"each with the texts that belong to it, best first. One row is one picture: equal ones "
        f"are joined, their texts kept. Formats: {formats or 'none'}.\n\n"
        "    from datasets import load_dataset\n"
        '    samples = load_dataset("path/of/this/folder", split="train")'
    )


def _making(manifest: Mapping[str, Any]) -> str:
    text = (
        f"## How it was made\n\nBy Blickfang {blickfang.__version__}, from an archive of web pages"
    )
    if manifest["read_up_to"]:
        text += f" fetched up to {markdown_text(manifest['read_up_to'])}"
    text += (
        ". The same archive, topic and settings give the same bytes. `manifest.json` holds the "
        "hash of every file.\n"
    )
    for name in ("topic", "settings"):
        if manifest[name]:
            text += f"\n{name.capitalize()}:\n\n{_code(manifest[name])}\n"
    return text.rstrip()


def _code(value: Any) -> str:
    """Return a value as a block of code that nothing in it can end."""
    lines = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
    clean = [line[: len(line) - len(line.lstrip())] + one_line(line) for line in lines]
    return "\n".join(f"    {line}" for line in clean)


def _funnel(steps: Sequence[Mapping[str, Any]], removed: int) -> str:
    if not steps:
        return ""
    rows = [
        (
            markdown_text(step["step"]),
            str(step["left"]),
            ", ".join(f"{markdown_text(why)}: {count}" for why, count in step["dropped"]),
        )
        for step in steps
    ]
    after = "\n\nDropped pictures are in `rejected.parquet`, each with its reason."
    if removed:
        after += f" {removed} of them are left out there: they name what removal lists took down."
    return "## Funnel\n\n" + _table(("step", "left", "dropped"), rows) + after


def _columns(tables: Sequence[str], samples: Sequence[CorpusColumn]) -> str:
    parts = ["## Columns", _column_table(samples)]
    for name in tables:
        file, columns = EXTRA_TABLES[name]
        parts += [f"### {file}", _column_table(columns)]
    return "\n\n".join(parts)


def _column_table(columns: Sequence[CorpusColumn]) -> str:
    rows = [(f"`{c.name}`", markdown_text(str(c.type), 60), c.meaning) for c in columns]
    return _table(("column", "type", "meaning"), rows)


def _rights(manifest: Mapping[str, Any]) -> str:
    purpose = markdown_text(manifest["purpose"])
    read = ", ".join(map(markdown_text, manifest["signals"])) or "none is recorded as read"
    bound = f". They were judged for the purpose: {purpose}" if purpose else ""
    counts = manifest["counts"]
    return "\n\n".join(
        [
            "## Licences and opt-outs",
            "The pictures and texts belong to their authors. `licence`, `credit` and `licences` "
            "hold what files and pages say; check them before you use or pass on a sample.",
            f"Opt-outs: {read}{bound}. `consent` says of each sample what was found.",
            _counts("", "licence", counts["licence"]),
            _counts("", "consent", counts["consent"]),
            _counts("", "data_mining", counts["data_mining"]),
        ]
    )


def _counts(heading: str, column: str, counts: Mapping[str, Any]) -> str:
    """Return a table of the most frequent values of a column."""
    shown = counts["most"][:MOST_SHOWN]
    rows = [(markdown_text(name) or "(unknown)", str(count)) for name, count in shown]
    hidden = counts["most"][MOST_SHOWN:]
    others = len(hidden) + counts["others"]
    if others:
        left = sum(count for _, count in hidden) + counts["samples_of_others"]
        rows.append((counted(others, "other"), str(left)))
    return (f"## {heading}\n\n" if heading else "") + _table((f"`{column}`", "samples"), rows)


def _removal(contact: str) -> str:
    whom = markdown_text(contact) or "whoever passed this corpus on to you"
    return (
        "## Removal\n\n"
        "You are the author of a picture, shown in one, or run a host, and want it out? Write to "
        f"{whom}, and name the address of the picture or page, the host, or the sha-256. Whoever "
        "holds the corpus puts it on a line of `removals.txt`; every export leaves it out."
    )


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


class FunnelStep(NamedTuple):
    """A step of the funnel: how many pictures are left after it, and why others are not."""

    name: str
    left: int
    dropped: tuple[tuple[str, int], ...] = ()  # reason and count


@dataclass(frozen=True, slots=True)
class Origin:
    """How a corpus was made; everything in it is a function of archive, topic and settings."""

    title: str = ""
    read_up_to: str = ""  # when the youngest record of the archive was fetched
    purpose: str = ""  # search, research or train: which opt-outs bind
    signals: tuple[str, ...] = ()  # which opt-outs were read; none of those not named here
    contact: str = ""  # whom to ask for removal
    settings: Mapping[str, Any] = field(default_factory=dict)  # by section
    topic: Mapping[str, Any] = field(default_factory=dict)
    funnel: tuple[FunnelStep, ...] = ()
    removed_rejected: int = 0  # rows of dropped pictures that removal lists kept from an export
    limits: tuple[str, ...] = ()  # known weaknesses of this corpus, a sentence each


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Return an origin as a manifest keeps it."""
    return {
        "title": origin.title,
        "read_up_to": origin.read_up_to,
        "purpose": origin.purpose,
        "signals": list(origin.signals),
        "contact": origin.contact,
        "settings": dict(origin.settings),
        "topic": dict(origin.topic),
        "funnel": [
            {"step": step.name, "left": step.left, "dropped": [list(pair) for pair in step.dropped]}
            for step in origin.funnel
        ],
        "removed_rejected": origin.removed_rejected,
        "limits": list(origin.limits),
    }


def origin_from_json(manifest: Mapping[str, Any]) -> Origin:
    """Return the origin that a manifest keeps."""
    steps = tuple(
        FunnelStep(
            step["step"], step["left"], tuple((why, count) for why, count in step["dropped"])
        )
        for step in manifest["funnel"]
    )
    names = ("title", "read_up_to", "purpose", "contact", "settings", "topic")
    known = {name: manifest[name] for name in names}
    signals, limits = tuple(manifest["signals"]), tuple(manifest["limits"])
    removed = manifest["removed_rejected"]
    return Origin(**known, signals=signals, limits=limits, funnel=steps, removed_rejected=removed)
