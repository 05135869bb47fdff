"""The report: the funnel of the build, and the page that the report command wrote."""

from pathlib import Path

from starlette.testclient import TestClient
from tests.app.webs import plain_rows, write_rows

from blickfang.config import open_collection
from blickfang.web import make_app


def test_the_report_is_shown_in_a_frame_that_can_do_nothing(tmp_path: Path) -> None:
    (tmp_path / "blickfang.toml").write_text("")
    client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
    assert "no corpus yet" in client.get("/report").text
    write_rows(tmp_path, plain_rows(3))
    text = client.get("/report").text
    assert "From addresses to samples" in text
    assert "4 too small" in text
    assert "blickfang report" in text
    assert client.get("/report/page").status_code == 400
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.html").write_text(
        "<h1>All figures</h1><script>alert(1)</script>"
    )
    assert 'sandbox title="The report" src="/report/page"' in client.get("/report").text
    answer = client.get("/report/page")
    assert "All figures" in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
