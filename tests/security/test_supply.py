"""What is installed is what was locked: every package pinned, every file by its hash."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
LOCK: dict[str, Any] = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def files_of(package: dict[str, Any]) -> list[dict[str, Any]]:
    return [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]


def test_every_file_has_a_hash() -> None:
    others = [package for package in LOCK["package"] if package["name"] != "blickfang"]
    assert len(others) > 100
    for package in others:
        assert set(package["source"]) == {"registry"}, package["name"]  # no branch, no folder
        assert re.fullmatch(r"[0-9][0-9A-Za-z.+!-]*", package["version"])
        assert files_of(package), package["name"]
        for file in files_of(package):
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), package["name"]
            assert file["url"].startswith("https://")


def test_everything_asked_for_is_locked() -> None:
    locked = {package["name"] for package in LOCK["package"]}
    groups = [
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
    ]
    groups += PROJECT["dependency-groups"].values()
    for wanted in (each for group in groups for each in group):
        name = re.split(r"[\[<>=!~; ]", wanted)[0].lower().replace("_", "-")
        assert name in locked, wanted


def test_what_builds_us_is_pinned() -> None:
    assert all("==" in each for each in PROJECT["build-system"]["requires"])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^UV_VERSION := \d+\.\d+\.\d+$", makefile, re.MULTILINE)
    assert "uv==$(UV_VERSION)" in makefile
    installs = re.findall(r"^.*\bsync\b.*$", makefile, re.MULTILINE)
    assert installs
    assert all("--frozen" in line for line in installs if "$(UV)" in line)


def test_the_bill_of_materials(tmp_path: Path) -> None:
    uv = next(iter(sorted(ROOT.glob(".uv/*/bin/uv"))), None) or shutil.which("uv")
    if uv is None:
        pytest.skip("no uv")
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import supply; "
    script += f"supply.make_sbom(__import__('pathlib').Path({str(tmp_path / 'a')!r}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "UV": str(uv)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    bom = json.loads((tmp_path / "a").read_text(encoding="utf-8"))
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5")
    named = {part["name"]: part for part in bom["components"]}
    for wanted in PROJECT["project"]["dependencies"]:
        part = named[re.split(r"[\[<>=!~; ]", wanted)[0].lower()]
        assert part["purl"].startswith("pkg:pypi/")
        assert any(each["value"].startswith("sha256:") for each in part["properties"])
