"""Figures of a comparison, made up; `text` is put wherever a stranger's string can stand."""

from typing import Any


def make_facts(text: str = "") -> dict[str, Any]:
    """Return what `pipeline.compared` gathers, with every part of the report."""
    place = {"name": f"a.test{text}", "a": 9, "b": 8, "shared": 5}
    segment = {
        "number": 1,
        "documents": 10,
        "candidates": 7,
        "pairs": 5,
        "a_found": 5,
        "b_found": 4,
        "accumulated": 5,
    }
    corpus = {
        "name": f"corpus{text}",
        "documents": 1200,
        "files_read": 2,
        "files": 2,
        "empty": 0,
        "addresses": 9,
        "hosts": 1,
        "failed": 0,
        "renamed_ids": 0,
    }
    interval = {"value": 20.4, "low": 18.0, "high": 25.0}
    return {
        "settings": {
            "shingle": 3,
            "threshold": 0.9,
            "on": "either",
            "method": "minhash",
            "distance": 3,
            "verify": True,
        },
        "a": corpus,
        "b": {**corpus, "files": 4},
        "addresses": {
            "a": 9,
            "b": 8,
            "shared": 5,
            "hosts": 1,
            "top_levels": 1,
            "by_top_level": [place],
            "by_host": [place],
        },
        "shared_documents": {
            "documents": 5,
            "near_duplicates": 4,
            "mean": 0.91,
            "median": 0.95,
            "jaccard": [0] * 19 + [5],
            "kinds": {"same": 4, "little": 1},
        },
        "near_duplicates": {
            "candidates": 14,
            "pairs": 10,
            "precision": 0.7,
            "a_found": 10,
            "b_found": 8,
            "precision_of_best": 0.9,
            "pairs_at_same_address": 4,
            "best_at_same_address": 4,
            "shared_not_alike": 1,
            "not_compared": 2,
            "segments": [segment, {**segment, "number": 2, "accumulated": 10}],
            "candidates_per_document": {
                "mean": 1.4,
                "median": 1.0,
                "upper_quartile": 2.0,
                "maximum": None,
            },
            "jaccard_of_pairs": [1] * 20,
            "jaccard_of_best": [1] * 20,
            "kinds": {"same": 9, "template": 1},
        },
        "extrapolated": {
            "segments_read": 2,
            "segments": 4,
            "by": "bytes",
            "documents": interval,
            "pairs": interval,
            "b_found": interval,
            "a_found": {"at_least": 10, "at_most": 20.4},
        },
        "judgements": [
            {
                "name": f"web{text}",
                "judged": 6,
                "carried": 4,
                "lost": 2,
                "not_in_a": 1,
                "merged": 0,
                "conflicts": 0,
                "precision_of_best": None,
                "levels": [
                    {
                        "judgement": 1,
                        "judged": 6,
                        "carried": 4,
                        "lost": 2,
                        "same_url": 3,
                        "similarity": 0.95,
                    }
                ],
            }
        ],
        "sheet": 3,
    }
