"""The columns are what the documents promise, and what `datasets` understands."""

import pyarrow as pa
from datasets import Features, Image, List, Value

from blickfang.corpus.sample_columns import PAGES, REJECTED, SAMPLES, leaf_paths, make_schema

PROMISED = (
    "id image url caption width height format bytes sha256 image_phash frames page_url page_title "
    "section_title caption_alt_text_description caption_reference_description "
    "context_section_description title url_words language context_method context_kind "
    "context_confidence perplexity keyword_score score page_relevance text_relevance rank_study "
    "rank mentions link_texts copies licence credit licences consent data_mining looks fetched_at "
    "warc_file warc_offset page_warc_file page_warc_offset texts emphasised"
)


def test_promised_columns_in_order() -> None:
    assert [column.name for column in SAMPLES] == PROMISED.split()


def test_every_column_has_a_name_of_its_own_and_a_meaning() -> None:
    for table in (SAMPLES, REJECTED, PAGES):
        assert len({column.name for column in table}) == len(table)
        assert all(len(column.meaning) > 5 and "|" not in column.meaning for column in table)


def test_features_fit_the_schema() -> None:
    for table in (SAMPLES, REJECTED, PAGES):
        schema = make_schema(table)
        features = Features.from_arrow_schema(schema)
        assert features.arrow_schema.remove_metadata() == schema.remove_metadata()
    features = Features.from_arrow_schema(make_schema(SAMPLES))
    assert isinstance(features["image"], Image)
    assert features["link_texts"] == List(Value("string"))
    assert features["mentions"].feature["confidence"] == Value("float32")


def test_leaf_paths_are_those_of_parquet() -> None:
    paths = leaf_paths(SAMPLES)
    assert paths["image.bytes"] == pa.binary()
    assert paths["mentions.list.element.score"] == pa.float64()
    assert "mentions" not in paths
