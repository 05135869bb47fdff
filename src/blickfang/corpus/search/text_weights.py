"""Which texts of a sample count, and how much: near words more than far ones.

In: rows of a corpus. Out: for each row its pieces of text, each with the weight of its words. The
weight is how often a word counts (BM25F: weighted frequencies in one field, so that a word that
stands everywhere does not count for as many words). SPEC 5: by distance and emphasis.

Only what is said of the picture itself counts: what surrounds it, the study's parents and siblings,
is mostly the page's menu, which is that of every page of its host.
"""

from typing import Any, NamedTuple

import pyarrow as pa

COLUMNS = (
    "id",
    "caption",
    "caption_reference_description",
    "caption_alt_text_description",
    "title",
    "context_section_description",
    "context_confidence",
    "emphasised",
    "section_title",
    "page_title",
    "url_words",
    "link_texts",
    "mentions",
    "texts",
)

OF_MENTION = ("caption", "alt", "title", "context", "confidence")
CAPTION, ALT, CONTEXT, MENTION = 8, 5, 5, 4
HEADING, PAGE, LINK, ADDRESS = 3, 3, 2, 1  # a heading is emphasised, yet farther away
DRAWN = 4  # text that is drawn in the picture
FAR = 0.5  # of a context's weight, for its words behind the first ones
NEAR_WORDS = 40
MAX_WORDS = 400  # of one piece; behind them nobody speaks about the picture
MAX_CHARS = 8 * MAX_WORDS
MAX_PIECES = 64  # of one sample: a picture of every page of a site has thousands of mentions

Row = dict[str, Any]


class SampleText(NamedTuple):
    """A text of a sample."""

    text: str
    weight: int  # of its first words
    far: int  # of the others


def read_rows(batch: Any) -> list[Row]:
    """Return the rows of a record batch; of mentions only what counts, for they hold much else."""
    mentions = batch.column("mentions")
    values = mentions.values
    fields = [values.field(name) for name in OF_MENTION]
    slim = pa.StructArray.from_arrays(fields, list(OF_MENTION))
    at = batch.schema.get_field_index("mentions")
    lists = pa.ListArray.from_arrays(mentions.offsets, slim, mask=mentions.is_null())
    rows: list[Row] = batch.set_column(at, "mentions", lists).to_pylist()
    return rows


def find_pieces(row: Row) -> list[SampleText]:
    """Return the texts of a sample, each different one once, with the largest of its weights."""
    found: dict[str, SampleText] = {}

    def keep(text: str | None, weight: int, far: int | None = None) -> None:
        text = (text or "")[:MAX_CHARS].strip()
        if not text or weight < 1 or len(found) >= MAX_PIECES:
            return
        piece = SampleText(text, weight, weight if far is None else far)
        if text not in found or found[text].weight < weight:
            found[text] = piece

    keep(row["caption"], CAPTION)
    keep(row["caption_reference_description"], CAPTION)
    keep(row["caption_alt_text_description"], ALT)
    keep(row["title"], ALT)
    sure = row["context_confidence"]
    near = max(1, round(CONTEXT * (1.0 if sure is None else sure)))
    keep(row["context_section_description"], near, max(1, round(near * FAR)))
    for text in row["emphasised"] or ():  # once more: its words count twice, as in layout contexts
        keep(text, near)
    keep(row["section_title"], HEADING)
    keep(row["page_title"], PAGE)
    for text in row["link_texts"] or ():
        keep(text, LINK)
    keep(row["url_words"], ADDRESS)
    for mention in row["mentions"] or ():
        _keep_mention(mention, keep)
    for said in row["texts"] or ():
        if said["name"] == "drawn":
            keep(said["text"], DRAWN)
    return list(found.values())


def _keep_mention(mention: Row, keep: Any) -> None:
    """Keep the texts of another place that shows the picture, but for the title of its page.

    A picture beside every article of a site would be found by all their titles.
    """
    keep(mention["caption"], MENTION)
    keep(mention["alt"], MENTION)
    keep(mention["title"], MENTION)
    sure = mention["confidence"]
    near = max(1, round(MENTION * (1.0 if sure is None else sure)))
    keep(mention["context"], near, max(1, round(near * FAR)))
