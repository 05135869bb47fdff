"""Shared addresses, and what the shelf keeps."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.dedupe.banding import choose_bands
from blickfang.dedupe.compare.fingerprint_file import Library
from blickfang.dedupe.compare.overlap import find_overlap
from blickfang.dedupe.compare.segments import Segment, batches, cut_segments
from blickfang.errors import InputError
from tests.compare.corpora import make_library, words

HOSTS = ["a.test", "b.org", "www.c.org", "127.0.0.1", "localhost"]
addresses = st.lists(
    st.builds("http://{}/{}".format, st.sampled_from(HOSTS), st.integers(0, 4)) | st.just(""),
    max_size=20,
)


@settings(max_examples=40)
@given(addresses, addresses)
def test_as_sets_have_it(
    tmp_path_factory: pytest.TempPathFactory, a: list[str], b: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("x")
    libraries = [
        make_library(folder / name, [(str(n), url, "t", "") for n, url in enumerate(urls)])
        for name, urls in (("a.arrow", a), ("b.arrow", b))
    ]
    found = find_overlap(*libraries)
    mine, theirs = set(a) - {""}, set(b) - {""}
    assert (found.a, found.b, len(found.pairs)) == (len(mine), len(theirs), len(mine & theirs))
    for row, place in found.pairs.tolist():
        assert a[row] == b[place]
        assert row == len(a) - 1 - a[::-1].index(a[row]), "the last one stands for its address"
    for host in found.by_host:
        prefix = f"http://{host.name}/"
        expected = [sum(u.startswith(prefix) for u in s) for s in (mine, theirs, mine & theirs)]
        assert list(host[1:]) == expected
    tops = {top.name: top for top in found.by_top}
    assert set(tops) <= {"test", "org", "(address)", "(none)"}
    assert sum(top.shared for top in found.by_top) == len(mine & theirs)
    assert [host.shared for host in found.by_host] == sorted(
        (host.shared for host in found.by_host), reverse=True
    )


def test_addresses_are_canonical_and_ids_made_different(tmp_path: Path) -> None:
    texts = [
        ("x", "HTTP://A.test:80/%7eb", "one", ""),
        ("x", "no address", "two", ""),
        ("y\ud800", "http://a.test/c", "", ""),
        ("x", "", "three", ""),
    ]
    library = make_library(tmp_path / "a.arrow", texts)
    rows = np.arange(4)
    assert library.names(rows) == ["x", "x#2", "y?", "x#3"]
    assert library.texts("url", rows) == ["http://a.test/~b", "", "http://a.test/c", ""]
    assert library.texts("host", rows[::-1]) == ["", "a.test", "", "a.test"]
    assert library.column("all_words").tolist() == [1, 1, 0, 1]


def test_a_main_text_of_many_pages_of_a_host_is_not_theirs(tmp_path: Path) -> None:
    notice = words(5000, 40)
    texts = [
        (f"{host}{n}", f"http://{host}.test/{n}", f"{notice} {words(100 * n, 60)}", notice)
        for host, count in (("a", 4), ("b", 2))
        for n in range(count)
    ]
    texts += [
        (f"c{n}", "http://c.test/", f"{notice} {words(900 + n, 60)}", notice) for n in range(3)
    ]
    texts.append(("d", "http://a.test/d", f"{notice} {words(3000, 60)}", words(3000, 60)))
    library = make_library(tmp_path / "a.arrow", texts)
    assert library.borrowed.tolist() == [True] * 4 + [False] * 6
    assert library.column("main_words").tolist() == [100] * 4 + [40] * 5 + [60]
    rows = np.arange(10)
    assert np.array_equal(library.sketches("main", rows)[:4], library.sketches("all", rows)[:4])
    for band in (*choose_bands(0.9)[[0, 9]], *choose_bands(0.5)[:2]):
        borrowed = library.band("main", band, rows) == library.band("all", band, rows)
        assert borrowed.tolist() == [True] * 4 + [False] * 6


def test_several_files_are_one_library(tmp_path: Path) -> None:
    paths = []
    for part in range(3):
        texts = [(f"{part}-{n}", "", words(100 * part + n, 30), "") for n in range(part * 4)]
        make_library(tmp_path / f"{part}.arrow", texts)
        paths.append(tmp_path / f"{part}.arrow")
    library = Library(paths)
    assert (len(library), library.file_starts.tolist()) == (12, [0, 0, 4, 12])
    rows = np.array([11, 0, 5, 4])
    assert library.names(rows) == ["2-7", "1-0", "2-1", "2-0"]
    one = Library(paths[2:])
    assert np.array_equal(library.sketches("all", rows[[0]]), one.sketches("all", np.array([7])))
    for band in choose_bands(0.8):
        assert library.band("all", band, rows)[0] == one.band("all", band, np.array([7]))[0]
    paths[1].write_bytes(b"nonsense")
    with pytest.raises(InputError, match="damaged"):
        Library(paths)


def test_segments() -> None:
    assert cut_segments(np.array([0, 5, 9]), [3, 8], 2) == [Segment(3, 0, 5), Segment(8, 5, 9)]
    assert cut_segments(np.array([0, 5]), [0], 2) == [
        Segment(0, 0, 2),
        Segment(1, 2, 4),
        Segment(2, 4, 5),
    ]
    assert cut_segments(np.array([0, 0]), [0], 2) == [Segment(0, 0, 0)]
    parts = list(batches(cut_segments(np.array([0, 5]), [0], 2), 4))
    assert [len(part) for part in parts] == [2, 1]
