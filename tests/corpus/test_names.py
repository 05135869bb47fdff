"""Names of files for hostile addresses."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.export.mirror import RESERVED, file_extension, mirror_path

ID = "0123456789abcdef"
PARTS = st.one_of(
    st.text(max_size=300),
    st.sampled_from(
        [
            "..",
            ".",
            "%2e%2e",
            "%2f..%2f",
            "%00",
            "con",
            "NUL.jpg",
            "aux.tar.gz",
            "C:",
            "a\\b",
            "a:b",
            " x ",
            "x.",
            "~",
            "-rf",
            "ä" * 300,
            "%F0%9F%90%B1" * 100,
            "%ff%fe",
            f"cat-{ID}.jpg",
            f"CAT-{ID.upper()}.XML",
            "\u202egpj.exe",
            "COM1",
            "LPT9.txt",
        ]
    ),
)
URLS = st.one_of(
    st.text(max_size=50),
    st.lists(PARTS, max_size=12).map(lambda parts: "https://example.org/" + "/".join(parts)),
    st.tuples(PARTS, PARTS).map(lambda pair: f"http://{pair[0]}/{pair[1]}"),
)


@given(URLS, st.one_of(st.just("jpeg"), st.text(max_size=20)))
def test_paths_are_safe_everywhere(url: str, kind: str) -> None:
    path = mirror_path(url, ID, kind)
    parts = path.split("/")
    assert len(parts) >= 2
    assert len(path.encode()) <= 250
    for part in parts:
        assert part not in ("", ".", "..")
        assert len(part.encode()) <= 255
        assert not re.search(r'[\x00-\x1f\x7f<>:"\\|?*\u202e\ud800-\udfff]', part)
        assert part == part.strip(". ")
        assert not RESERVED.fullmatch(part)
    assert re.fullmatch(rf".+-{ID}\.[a-z0-9]+", parts[-1])
    for folder in parts[:-1]:
        assert not re.search(r"-[0-9a-f]{16}\.[a-z0-9]+$", folder, re.IGNORECASE)
    inside = Path("root").joinpath(path)
    assert Path("root") in inside.parents
    assert ".." not in inside.parts


@given(URLS)
def test_the_id_keeps_pictures_apart(url: str) -> None:
    one, other = (mirror_path(url, name * 16, "png").casefold() for name in "0f")
    assert one != other


def test_files_can_be_made(tmp_path: Path) -> None:
    urls = [f"https://example.org/{part}/{part}/x.jpg" for part in ("..", "%00", "ä" * 300, "nul")]
    urls += [f"https://example.org/a/cat-{ID}.jpg", f"https://example.org/a/cat-{ID}.jpg/b"]
    for number, url in enumerate(urls):
        path = tmp_path / mirror_path(url, f"{number:016x}", "jpeg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == len(urls)


def test_extensions() -> None:
    assert [file_extension(kind) for kind in ("jpeg", "PNG", "../../x", "", "ä")] == [
        "jpg",
        "png",
        "x",
        "bin",
        "bin",
    ]
