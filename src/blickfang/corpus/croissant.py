"""The description of a corpus in Croissant, the JSON-LD that dataset search engines read.

In: the manifest of a corpus. Out: JSON-LD, Croissant 1.0: the files with their hashes, and every
column with its type and meaning. Format: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from blickfang.corpus.sample_columns import IMAGE, SAMPLES, WITHOUT_IMAGE, CorpusColumn
from blickfang.io.escaping import one_line
from blickfang.io.plural import counted

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
SAMPLE_FILES = "sample-files"
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
PARQUET = "application/x-parquet"


def describe_corpus(manifest: Mapping[str, Any]) -> str:
    """Return the Croissant description of a corpus."""
    columns = SAMPLES if manifest["with_bytes"] else WITHOUT_IMAGE
    about: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": one_line(manifest["title"], 200) or "Image–text samples",
        "description": f"{counted(manifest['rows'], 'picture')} of web pages, each with the texts "
        "that belong to it, deduplicated and ranked by Blickfang. README.md tells how it was made.",
        "license": "Mixed: see the columns licence, credit and licences of each sample",
        "creator": {"@type": "sc:Organization", "name": "made with Blickfang"},
        "citeAs": "Made with Blickfang; name the authors of the pictures that you show.",
        "version": f"{manifest['format']}.0.0",
        "distribution": [_file_set(), *(_file_object(shard) for shard in manifest["shards"])],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "samples",
                "name": "samples",
                "description": "One record is one picture, best rank first.",
                "key": {"@id": "samples/id"},
                "field": [_field(column) for column in columns],
            }
        ],
    }
    if manifest["read_up_to"]:
        about["datePublished"] = one_line(manifest["read_up_to"], 40)
    return json.dumps(about, indent=1, ensure_ascii=False) + "\n"


def _file_set() -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": SAMPLE_FILES,
        "name": SAMPLE_FILES,
        "description": "All shards.",
        "encodingFormat": PARQUET,
        "includes": "data/*.parquet",
    }


def _file_object(shard: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": shard["name"],
        "name": shard["name"],
        "contentUrl": shard["name"],
        "contentSize": f"{shard['bytes']} B",
        "encodingFormat": PARQUET,
        "sha256": shard["sha256"],
    }


def _field(column: CorpusColumn) -> dict[str, Any]:
    """Return a column as a field; those of structures as fields within it."""
    kind = column.type
    field = _named(f"samples/{column.name}", column.name, column.meaning)
    if kind == IMAGE:
        source = _source(column.name, "bytes")
        return field | {"dataType": "sc:ImageObject", "source": source}
    if pa.types.is_list(kind):
        field["repeated"] = True
        kind = kind.value_type
    if not pa.types.is_struct(kind):
        return field | {"dataType": _data_type(kind), "source": _source(column.name)}
    inner = [
        _named(f"samples/{column.name}/{part.name}", part.name, f"{part.name} of {column.name}")
        | {"dataType": _data_type(part.type), "source": _source(column.name, part.name)}
        for part in kind
    ]
    return field | {"subField": inner}


def _named(identity: str, name: str, meaning: str) -> dict[str, Any]:
    return {"@type": "cr:Field", "@id": identity, "name": name, "description": meaning}


def _source(column: str, part: str = "") -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": SAMPLE_FILES}, "extract": {"column": column}}
    return source | {"transform": {"jsonPath": part}} if part else source


def _data_type(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
