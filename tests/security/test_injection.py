"""Texts of strangers stay texts, in every file that Blickfang writes."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.web.report import write_report
from tests.report.runs import make_card, make_run
from tests.security.injection import ATTACKS, FILES, Tags, run_all, show
from tests.security.test_ssrf import ROOT

MARKED = "<!-- python -m tests.security.injection -->\n"


def test_the_matrix(tmp_path: Path) -> None:
    cells = run_all(tmp_path)
    assert {cell: found for cell, found in cells.items() if found != "inert"} == {}
    assert len(cells) == len(ATTACKS) * len(FILES)
    written = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert MARKED + show(cells) in written, "python -m tests.security.injection"


@pytest.mark.parametrize(
    "scheme", ["javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "file:///"]
)
def test_links_of_a_report_lead_to_the_web(tmp_path: Path, scheme: str) -> None:
    card = make_card(1)._replace(url=scheme, page_url=scheme)
    written = write_report([replace(make_run(), cards={"best": (card,)})], tmp_path / "r")
    reader = Tags()
    reader.feed(written.page.read_text(encoding="utf-8"))
    assert not reader.bad
