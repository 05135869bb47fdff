"""What a build keeps of what it has read is used only as it was written."""

from pathlib import Path

import pytest

from blickfang.collection import open_collection
from blickfang.pipeline import build
from tests.samples.archives import draw, page, picture
from tests.samples.test_build import SITE, figure, make


@pytest.mark.parametrize("damage", ["gone", "cut", "other"])
def test_a_part_that_is_damaged_is_read_again(tmp_path: Path, damage: str) -> None:
    answers = page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))
    make(tmp_path, *answers)
    wanted = {path.name: path.read_bytes() for path in (tmp_path / "corpus").rglob("*.*")}
    (part,) = (tmp_path / "build").glob("*/pictures.parquet")
    data = part.read_bytes()
    if damage == "gone":
        part.unlink()
    else:
        part.write_bytes(data[:-10] if damage == "cut" else data[:20] + b"\0" + data[21:])
    build(open_collection(tmp_path))
    found = {path.name: path.read_bytes() for path in (tmp_path / "corpus").rglob("*.*")}
    assert found == wanted
    assert next((tmp_path / "build").glob("*/pictures.parquet")).read_bytes() == data
