"""Compiles kernels before the tests begin: else each of their processes would, all at once.

In: nothing. Out: kernels in the user's cache, by two processes at a time. What one task needs of
another's kernels comes in a later round.
"""

import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

HTML = (
    "<title>a</title><p>The <a href=/b>hill</a> <img src=a.png alt=c><table><tr><td>d<td>e</table>"
)
ROWS = "".join(f"<li><a href=/{n}>Name {n}</a> <b>{n} Euro</b> some text" for n in range(9))


def parse() -> None:
    """Compile what makes arrays of a page."""
    from blickfang.html.page import parse_page

    parse_page(HTML.encode())


def read() -> None:
    """Compile what reads a page."""
    from blickfang import read_page

    read_page(HTML)
    read_page(f"<p>{'Straße mit vielen Häusern ' * 3}")  # long enough to have a language


def lay_out() -> None:
    """Compile what draws records and estimates geometry."""
    from blickfang import extract_records, read_page

    extract_records(f"<ul>{ROWS}</ul>")
    read_page(HTML, methods=("layout", "expansion"))


def learn() -> None:
    """Compile what learns a topic and what finds copies."""
    from blickfang import learn_topic
    from blickfang.dedupe.shingles import hash_texts
    from blickfang.dedupe.similar_texts import find_near_duplicates
    from blickfang.dedupe.sketch import sketch_texts

    text = "the cat sat on the green hill today"
    with warnings.catch_warnings(action="ignore"):  # so little text
        learn_topic(positive=[text], neutral=["a dog lies in the sun"]).perplexity([text])
    find_near_duplicates(hash_texts([f"{text} é", text, text]))
    find_near_duplicates(sketch_texts([f"{text} é", text, text]))


def compile_all() -> None:
    """Compile nearly all kernels, or find them compiled."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for tasks in ((parse, learn), (read, lay_out)):
            for done in [pool.submit(task) for task in tasks]:
                done.result()


if __name__ == "__main__":
    compile_all()
