"""Kernels are compiled anew when what they are made of has changed, and only then."""

from pathlib import Path

import pytest

from blickfang.compute.kernels import find_sources

FILES = {
    "kernel.py": "from blickfang.compute.kernels import filling\n"
    "from blickfang.html.images.generated_alts import WORDS",
    "html/images/generated_alts.py": "WORDS = 1",
    "html/plain.py": "OTHER = 1",
}


@pytest.mark.parametrize(
    ("name", "matters"),
    [("kernel.py", True), ("html/images/generated_alts.py", True), ("html/plain.py", False)],
)
def test_what_kernels_take_constants_from_belongs_to_them(
    tmp_path: Path, name: str, matters: bool
) -> None:
    (tmp_path / "html" / "images").mkdir(parents=True)
    for path, source in FILES.items():
        (tmp_path / path).write_text(source, "utf-8")
    before = find_sources(tmp_path)
    (tmp_path / name).write_text(FILES[name] + "  # changed", "utf-8")
    assert (find_sources(tmp_path) != before) is matters
