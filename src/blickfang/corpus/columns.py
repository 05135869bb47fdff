"""Every column of a corpus: its name, its Arrow type and what it means, in this one place.

In: nothing. Out: the columns of samples, rejected rows and pages, the Arrow schemas made of them,
and what Hugging Face's `datasets` must know to show `image` as an image. Names follow
img2dataset, WIT and COYO where those have one.
"""

import json
from typing import Any, NamedTuple

import pyarrow as pa

ID_DIGITS = 16  # of the sha-256, in hex


class Column(NamedTuple):
    """A column of one of the tables."""

    name: str
    type: Any  # a pyarrow.DataType
    meaning: str


TEXT = pa.string()
TEXTS = pa.list_(TEXT)
IMAGE = pa.struct([("bytes", pa.binary()), ("path", TEXT)])
SCORED_TEXT = pa.struct(
    [
        ("name", TEXT),
        ("text", TEXT),
        ("words", pa.int32()),
        ("perplexity", pa.float64()),
        ("keyword_score", pa.float64()),
        ("score", pa.float64()),
        ("distance_weight", pa.float64()),
    ]
)
# Croissant's reader knows no lists in structures in lists: what would be one is JSON.
MENTION = pa.struct(
    [
        ("page_url", TEXT),
        ("page_title", TEXT),
        ("alt", TEXT),
        ("title", TEXT),
        ("caption", TEXT),
        ("context", TEXT),
        ("method", TEXT),
        ("confidence", pa.float32()),
        ("score", pa.float64()),
        ("copy_url", TEXT),
        ("section_title", TEXT),
        ("kind", TEXT),
        ("page_relevance", pa.float32()),
        ("text_relevance", pa.float32()),
        ("rank", pa.float32()),
        ("attributes", TEXT),
        ("texts", TEXT),
    ]
)
COPY = pa.struct([("url", TEXT), ("sha256", TEXT), ("width", pa.int32()), ("height", pa.int32())])
PLACED = pa.struct([("id", TEXT), ("offset", pa.int32())])

# One row is one unique picture, best rank first. "" is an unknown text, null an unknown number.
SAMPLES = (
    Column("id", TEXT, "the first 16 hex digits of the sha-256 of the file"),
    Column("image", IMAGE, "the file as it was fetched; path is the id and an extension"),
    Column("url", TEXT, "address of the picture"),
    Column("caption", TEXT, "the text that describes it best: stated caption, context or alt"),
    Column("width", pa.int32(), "pixels as shown, orientation applied"),
    Column("height", pa.int32(), "pixels as shown, orientation applied"),
    Column("format", TEXT, "jpeg, png, gif, webp, …; what the bytes are"),
    Column("bytes", pa.int64(), "size of the file"),
    Column("sha256", TEXT, "of the file"),
    Column(
        "image_phash", TEXT, "perceptual hash, 16 hex digits; alike pictures differ in few bits"
    ),
    Column("frames", pa.int32(), "more than 1: animated"),
    Column("page_url", TEXT, "the page of the best mention"),
    Column("page_title", TEXT, "its title"),
    Column("section_title", TEXT, "the nearest heading above the picture"),
    Column("caption_alt_text_description", TEXT, "the alt text of the best mention"),
    Column("caption_reference_description", TEXT, "the caption that the markup states"),
    Column("context_section_description", TEXT, "the text of the page that belongs to the picture"),
    Column("title", TEXT, "the title attribute of the best mention"),
    Column("url_words", TEXT, "words of the address of the picture"),
    Column("language", TEXT, "of the text of the page"),
    Column("context_method", TEXT, "the method that found the context"),
    Column("context_kind", TEXT, "the kind of place: record, figure, text, decoration"),
    Column("context_confidence", pa.float32(), "how sure the method is, 0 to 1"),
    Column(
        "perplexity", pa.float64(), "of the context under the topic's language model; low is near"
    ),
    Column("keyword_score", pa.float64(), "share of the topic's keywords in the context"),
    Column("score", pa.float64(), "perplexity lowered by keywords; low is good"),
    Column("page_relevance", pa.float32(), "of the page against the background, 0 to 1"),
    Column("text_relevance", pa.float32(), "of the texts against the background, 0 to 1"),
    Column(
        "rank_study",
        pa.float64(),
        "geometric mean of two scores of these texts, as the study ranks; low is good",
    ),
    Column("rank", pa.float64(), "ours, 0 to 1; high is good"),
    Column(
        "mentions",
        pa.list_(MENTION),
        "every place and text, those of near-equal copies too; rank is that of the mention alone, "
        "attributes (JSON) are those of the element, texts (JSON) as in the column texts; both of "
        "the 20 best mentions",
    ),
    Column("link_texts", TEXTS, "texts of links that point to the picture"),
    Column(
        "copies", pa.list_(COPY), "equal and near-equal pictures that were merged into this one"
    ),
    Column("licence", TEXT, "embedded in the picture or stated by the page"),
    Column("credit", TEXT, "whom to name: embedded in the picture or stated by a page"),
    Column("licences", TEXTS, "all hints of the page at a licence"),
    Column("consent", TEXT, "allowed, or the signal that binds"),
    Column("data_mining", TEXT, "IPTC/PLUS DataMining of the picture"),
    Column("looks", pa.list_(pa.float32()), "colours, edges and texture, for visual search"),
    Column("fetched_at", TEXT, "when the picture was fetched"),
    Column("warc_file", TEXT, "the archive that holds the picture"),
    Column("warc_offset", pa.int64(), "where in it; null where it cannot be entered in the middle"),
    Column("page_warc_file", TEXT, "the archive that holds the page"),
    Column("page_warc_offset", pa.int64(), "where in it"),
    Column("texts", pa.list_(SCORED_TEXT), "texts of the best mention, each with its scores"),
    Column(
        "emphasised", TEXTS, "parts of the context in b, strong, i, em or u, in its first 400 words"
    ),
)

WITHOUT_IMAGE = tuple(column for column in SAMPLES if column.name != "image")

REJECTED = (
    Column("url", TEXT, "address of the picture"),
    Column("page_url", TEXT, "the page that shows it"),
    Column("page_title", TEXT, "its title"),
    Column("caption", TEXT, "the text that describes it best"),
    Column("width", pa.int32(), "pixels as shown; null where the picture could not be read"),
    Column("height", pa.int32(), "pixels as shown"),
    Column("sha256", TEXT, "of the file"),
    Column("step", TEXT, "at which step of the funnel it was dropped"),
    Column("reason", TEXT, "why it was dropped, in few fixed words"),
    Column("detail", TEXT, "more about the reason"),
)

PAGES = (
    Column("url", TEXT, "address of the page"),
    Column("title", TEXT, "its title"),
    Column("description", TEXT, "what it says of itself"),
    Column("language", TEXT, "of its text"),
    Column("text", TEXT, "all visible text"),
    Column("main_text", TEXT, "the text without navigation, advertisements and the like"),
    Column(
        "images", pa.list_(PLACED), "samples on it: id, and the character of main_text they precede"
    ),
    Column("licences", TEXTS, "all hints at a licence"),
    Column("fetched_at", TEXT, "when it was fetched"),
    Column("warc_file", TEXT, "the archive that holds it"),
    Column("warc_offset", pa.int64(), "where in it"),
)


def make_schema(columns: tuple[Column, ...]) -> Any:
    """Return the Arrow schema of a table, with the features that `datasets` reads."""
    features = {column.name: _describe(column.type) for column in columns}
    info = json.dumps({"info": {"features": features}}, sort_keys=True)
    fields = [pa.field(column.name, column.type) for column in columns]
    return pa.schema(fields, {"huggingface": info})


def leaf_paths(columns: tuple[Column, ...]) -> dict[str, Any]:
    """Return the Arrow type of every column as Parquet stores it, by its dotted path."""
    return {path: kind for column in columns for path, kind in _leaves(column.name, column.type)}


def _leaves(path: str, kind: Any) -> list[tuple[str, Any]]:
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _leaves(f"{path}.{field.name}", field.type)]
    if pa.types.is_list(kind):
        return _leaves(f"{path}.list.element", kind.value_type)
    return [(path, kind)]


def _describe(kind: Any) -> Any:
    """Return a type in the words of `datasets`; lists in the form that all versions read."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_struct(kind):
        return {field.name: _describe(field.type) for field in kind}
    if pa.types.is_list(kind):
        return [_describe(kind.value_type)]
    name = {"float": "float32", "double": "float64"}.get(str(kind), str(kind))
    return {"dtype": name, "_type": "Value"}
