"""Every column of a corpus: its name, its Arrow type and what it means, in this one place.

In: nothing. Out: the columns of samples, rejected rows and pages, the Arrow schemas made of them,
and what Hugging Face's `datasets` must know to show `image` as an image. Names follow
img2dataset, WIT and COYO where those have one.
"""

import json
from typing import Any, NamedTuple

import pyarrow as pa

ID_DIGITS = 16  # of the sha-256, in hex


class CorpusColumn(NamedTuple):
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
    CorpusColumn("id", TEXT, "the first 16 hex digits of the sha-256 of the file"),
    CorpusColumn("image", IMAGE, "the file as it was fetched; path is the id and an extension"),
    CorpusColumn("url", TEXT, "address of the picture"),
    CorpusColumn(
        "caption", TEXT, "the text that describes it best: stated caption, context or alt"
    ),
    CorpusColumn("width", pa.int32(), "pixels as shown, orientation applied"),
    CorpusColumn("height", pa.int32(), "pixels as shown, orientation applied"),
    CorpusColumn("format", TEXT, "jpeg, png, gif, webp, …; what the bytes are"),
    CorpusColumn("bytes", pa.int64(), "size of the file"),
    CorpusColumn("sha256", TEXT, "of the file"),
    CorpusColumn(
        "image_phash", TEXT, "perceptual hash, 16 hex digits; alike pictures differ in few bits"
    ),
    CorpusColumn("frames", pa.int32(), "more than 1: animated"),
    CorpusColumn("page_url", TEXT, "the page of the best mention"),
    CorpusColumn("page_title", TEXT, "its title"),
    CorpusColumn("section_title", TEXT, "the nearest heading above the picture"),
    CorpusColumn("caption_alt_text_description", TEXT, "the alt text of the best mention"),
    CorpusColumn("caption_reference_description", TEXT, "the caption that the markup states"),
    CorpusColumn(
        "context_section_description", TEXT, "the text of the page that belongs to the picture"
    ),
    CorpusColumn("title", TEXT, "the title attribute of the best mention"),
    CorpusColumn("url_words", TEXT, "words of the address of the picture"),
    CorpusColumn("language", TEXT, "of the text of the page"),
    CorpusColumn("context_method", TEXT, "the method that found the context"),
    CorpusColumn("context_kind", TEXT, "the kind of place: record, figure, text, decoration"),
    CorpusColumn("context_confidence", pa.float32(), "how sure the method is, 0 to 1"),
    CorpusColumn(
        "perplexity", pa.float64(), "of the context under the topic's language model; low is near"
    ),
    CorpusColumn("keyword_score", pa.float64(), "share of the topic's keywords in the context"),
    CorpusColumn("score", pa.float64(), "perplexity lowered by keywords; low is good"),
    CorpusColumn("page_relevance", pa.float32(), "of the page against the background, 0 to 1"),
    CorpusColumn("text_relevance", pa.float32(), "of the texts against the background, 0 to 1"),
    CorpusColumn(
        "rank_study",
        pa.float64(),
        "geometric mean of two scores of these texts, as the study ranks; low is good",
    ),
    CorpusColumn("rank", pa.float64(), "ours, 0 to 1; high is good"),
    CorpusColumn(
        "mentions",
        pa.list_(MENTION),
        "every place and text, those of near-equal copies too; rank is that of the mention alone, "
        "attributes (JSON) are those of the element, texts (JSON) as in the column texts; both of "
        "the 20 best mentions",
    ),
    CorpusColumn("link_texts", TEXTS, "texts of links that point to the picture"),
    CorpusColumn(
        "copies", pa.list_(COPY), "equal and near-equal pictures that were merged into this one"
    ),
    CorpusColumn("licence", TEXT, "embedded in the picture or stated by the page"),
    CorpusColumn("credit", TEXT, "whom to name: embedded in the picture or stated by a page"),
    CorpusColumn("licences", TEXTS, "all hints of the page at a licence"),
    CorpusColumn("consent", TEXT, "allowed, or the signal that binds"),
    CorpusColumn("data_mining", TEXT, "IPTC/PLUS DataMining of the picture"),
    CorpusColumn("looks", pa.list_(pa.float32()), "colours, edges and texture, for visual search"),
    CorpusColumn("fetched_at", TEXT, "when the picture was fetched"),
    CorpusColumn("warc_file", TEXT, "the archive that holds the picture"),
    CorpusColumn(
        "warc_offset", pa.int64(), "where in it; null where it cannot be entered in the middle"
    ),
    CorpusColumn("page_warc_file", TEXT, "the archive that holds the page"),
    CorpusColumn("page_warc_offset", pa.int64(), "where in it"),
    CorpusColumn("texts", pa.list_(SCORED_TEXT), "texts of the best mention, each with its scores"),
    CorpusColumn(
        "emphasised", TEXTS, "parts of the context in b, strong, i, em or u, in its first 400 words"
    ),
)

WITHOUT_IMAGE = tuple(column for column in SAMPLES if column.name != "image")

REJECTED = (
    CorpusColumn("url", TEXT, "address of the picture"),
    CorpusColumn("page_url", TEXT, "the page that shows it"),
    CorpusColumn("page_title", TEXT, "its title"),
    CorpusColumn("caption", TEXT, "the text that describes it best"),
    CorpusColumn("width", pa.int32(), "pixels as shown; null where the picture could not be read"),
    CorpusColumn("height", pa.int32(), "pixels as shown"),
    CorpusColumn("sha256", TEXT, "of the file"),
    CorpusColumn("step", TEXT, "at which step of the funnel it was dropped"),
    CorpusColumn("reason", TEXT, "why it was dropped, in few fixed words"),
    CorpusColumn("detail", TEXT, "more about the reason"),
)

PAGES = (
    CorpusColumn("url", TEXT, "address of the page"),
    CorpusColumn("title", TEXT, "its title"),
    CorpusColumn("description", TEXT, "what it says of itself"),
    CorpusColumn("language", TEXT, "of its text"),
    CorpusColumn("text", TEXT, "all visible text"),
    CorpusColumn("main_text", TEXT, "the text without navigation, advertisements and the like"),
    CorpusColumn(
        "images", pa.list_(PLACED), "samples on it: id, and the character of main_text they precede"
    ),
    CorpusColumn("licences", TEXTS, "all hints at a licence"),
    CorpusColumn("fetched_at", TEXT, "when it was fetched"),
    CorpusColumn("warc_file", TEXT, "the archive that holds it"),
    CorpusColumn("warc_offset", pa.int64(), "where in it"),
)


def make_schema(columns: tuple[CorpusColumn, ...]) -> Any:
    """Return the Arrow schema of a table, with the features that `datasets` reads."""
    features = {column.name: _describe(column.type) for column in columns}
    info = json.dumps({"info": {"features": features}}, sort_keys=True)
    fields = [pa.field(column.name, column.type) for column in columns]
    return pa.schema(fields, {"huggingface": info})


def leaf_paths(columns: tuple[CorpusColumn, ...]) -> dict[str, Any]:
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
