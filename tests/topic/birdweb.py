"""A small web on birds and on metals, in which a crawl can learn more of a topic on its way.

In: nothing. Out: what stands on each address, and the settings of a topic learned from one host.
"""

import json
from collections.abc import Iterator

from tests.topic.writing import birds, metals

HOSTS, PAGES = 6, 8  # hosts on birds, and as many on metals; pages of each


def list_pages() -> Iterator[tuple[str, str, list[str]]]:
    """Give address, text and links of each page; those of all hosts name the first of each."""
    starts = [f"http://{name}{n}.test/0" for name in ("birds", "metals") for n in range(HOSTS)]
    for number, start in enumerate(starts):
        write = birds if "birds" in start else metals
        for n in range(PAGES):
            links = [f"{start[:-1]}{n + 1}", *(starts if n == 0 else [])]
            yield f"{start[:-1]}{n}", write(10 * number + n, 15), links


def write_topic() -> str:
    """Return the section [topic]: three pages of a host on birds, and of one on metals."""
    positive, neutral = (
        json.dumps([f"http://{name}0.test/{n}" for n in range(3)]) for name in ("birds", "metals")
    )
    return f"[topic]\npositive = {positive}\nneutral = {neutral}\n"
