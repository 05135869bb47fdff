"""The documents keep their promises: nothing undocumented, and the README's examples run."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from blickfang.cli import app
from blickfang.config import list_keys, show_toml
from tests.cli.running import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


def commands(group: object, path: str = "blickfang") -> Iterator[tuple[str, object]]:
    """Yield every command with its full name."""
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


ALL = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", ALL)
def test_every_command_and_option_is_documented(name: str) -> None:
    parts = re.split(r"^## (blickfang [a-z ]*[a-z]).*$", COMMANDS, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert name in sections
    for option in ALL[name].params:  # type: ignore[attr-defined]
        if option.param_type_name == "option" and option.name != "help":
            assert all(f"`{spelling}`" in sections[name] for spelling in option.opts), option.opts
            assert option.help, f"{name} {option.name} has no help"
    assert "Example" in (ALL[name].help or ""), "help teaches by example"  # type: ignore[attr-defined]


def test_no_command_is_documented_that_is_not_there() -> None:
    assert set(re.findall(r"^## (blickfang [a-z ]*[a-z])", COMMANDS, re.MULTILINE)) == set(ALL)


def test_every_setting_is_documented() -> None:
    parts = re.split(r"^## \[(\w+)\]$", SETTINGS, flags=re.MULTILINE)
    documented = {
        (section, *row)
        for section, text in zip(parts[1::2], parts[2::2], strict=True)
        for row in re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.+) \|$", text, re.MULTILINE)
    }
    keys = list_keys()
    assert documented == {(k.section, k.name, show_toml(k.default), k.meaning) for k in keys}


def test_links_lead_somewhere() -> None:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} → {target}"


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for text in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for target in re.findall(r"(?:^|`)\s*make ([\w-]+)", text, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_exit_codes_are_the_same_everywhere() -> None:
    documented = re.findall(r"^\| (\d+) ", COMMANDS, re.MULTILINE)
    stated = typer.main.get_command(app).help or ""
    assert documented == ["0", "1", "2", "4", "11", "13"]
    assert all(re.search(rf"\b{code} ", stated) for code in documented)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def assert_output(expected: list[str], got: list[str], command: str) -> None:
    """Compare line by line; a line of only … stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*?" if e == "…" else re.escape(e) + r"\n" for e in expected)
    assert re.fullmatch(pattern, "".join(f"{line}\n" for line in got)), (command, got)


def follow(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Do what the README says: our command as it is, what stands around it in a shell."""
    ours = re.match(r"blickfang ([^|<>;&$`]*?)(?: \| (.*))?$", command)
    given = run(*shlex.split(ours[1]), cwd=folder) if ours else None
    assert given is None or given.returncode == 0, (command, given.stderr)
    shell = (ours[2] or "cat") if ours else command
    return subprocess.run(
        ["sh", "-c", shell],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        input=given.stdout if given else "",
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )


def test_the_examples_of_the_readme_run(tmp_path: Path) -> None:
    for kind, block in re.findall(r"^```(console|python)\n(.*?)^```", README, re.M | re.S):
        if kind == "python":
            steps = [f"{sys.executable} - <<'END'\n{block}END\n"]
        else:
            steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        for step in steps:
            printed = "\n".join(re.findall(r"\).*?  # (.+)$", block, re.MULTILINE)) + "\n…"
            command, _, output = (step, "", printed) if kind == "python" else step.partition("\n")
            done = follow(command, tmp_path)
            assert done.returncode == 0, (command, done.stderr)
            assert_output(lines(output), lines(done.stdout), command)
