"""What is shipped, checked: two builds alike, an install that runs, a bill of materials, Pythons.

In: a word: `wheel`, `sbom`, `pythons` or `plain-cpu`. Out: one line a fact, or an error that ends
it. Needs the uv of `make setup` (the environment variable UV names it).
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
UV = os.environ.get("UV", "uv")
EPOCH = "1700000000"  # of files in builds: any moment will do, if it is always the same
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEEDED = (
    *("text/words_table.npz", "py.typed", "web/static/style.css", "web/templates/corpus.html"),
    *("demo/data/hosts.toml", "demo/data/lexicons/lighthouses.txt"),
)
QUICK = (
    *(
        "tests/test_urls.py",
        "tests/test_words.py",
        "tests/test_score.py",
        "tests/page/test_page.py",
    ),
    *(
        "tests/crawl/test_addresses.py",
        "tests/security/test_paths.py",
        "tests/security/test_app.py",
    ),
)
PAGES = sorted((ROOT / "tests" / "golden").glob("*.html"))
PLAIN_CPU = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}
# Prints a digest of all that is read of some pages, and which processor the kernels are for.
READ = """
import hashlib, sys
from pathlib import Path
from numba.core import config
from blickfang import read_page
digest = hashlib.sha256()
for path in sys.argv[1:]:
    page = read_page(Path(path).read_bytes(), url="http://a.org/", methods="all")
    for value in (page.text, page.main_text, page.links, page.images, page.headings):
        digest.update(repr(value).encode())
    digest.update(page.words.tobytes())
print(digest.hexdigest(), config.CPU_NAME or "this machine's own")
"""


def say(text: str) -> None:
    """Print a fact."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(*command: str | Path, **more: Any) -> str:
    """Run a program; return what it printed, or end with what it complained of."""
    done = subprocess.run(  # noqa: S603 -- our own words
        list(map(str, command)), capture_output=True, text=True, check=False, **more
    )
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return str(done.stdout)


def check_wheel() -> None:
    """Build twice, compare, install into an empty environment with hashes, and run from there."""
    with tempfile.TemporaryDirectory() as place:
        builds = [Path(place) / name for name in ("one", "other")]
        for build in builds:
            run(UV, "build", "-q", "--out-dir", build, cwd=ROOT, env=with_epoch())
        digests = [sorted(map(digest_of, build.glob("blickfang-*"))) for build in builds]
        if digests[0] != digests[1] or len(digests[0]) != 2:
            sys.exit(f"two builds differ: {digests}")
        say("two builds of wheel and sdist: the same bytes")
        (wheel,) = builds[0].glob("*.whl")
        check_contents(wheel)
        for made in (wheel, *builds[0].glob("*.tar.gz")):
            check_install(made, Path(place) / made.suffix.strip("."))


def with_epoch() -> dict[str, str]:
    """Return the environment of a build that can be repeated."""
    return {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}


def digest_of(path: Path) -> tuple[str, str]:
    """Return the name and the digest of a file."""
    return path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def check_contents(wheel: Path) -> None:
    """End if a file of the source is not in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    missing = wanted - inside
    if missing or not {f"blickfang/{name}" for name in NEEDED} <= inside:
        sys.exit(f"not in the wheel: {sorted(missing)}")
    say(f"{len(inside)} files in the wheel, none missing")


def check_install(made: Path, place: Path) -> None:
    """Install what was built, with the locked packages by their hashes, and run it elsewhere."""
    wanted = place.with_suffix(".txt")
    run(
        UV,
        "export",
        "--frozen",
        "-q",
        "--no-default-groups",
        "--no-emit-project",
        "-o",
        wanted,
        cwd=ROOT,
    )
    run(UV, "venv", "-q", place)
    python = place / "bin" / "python"
    run(UV, "pip", "install", "-q", "--python", python, "--require-hashes", "-r", wanted)
    run(UV, "pip", "install", "-q", "--python", python, "--no-deps", made)
    elsewhere = place / "empty"
    elsewhere.mkdir()
    command = place / "bin" / "blickfang"
    version = run(command, "--version", cwd=elsewhere).strip()
    run(command, "new", "birds", cwd=elsewhere)
    table = "from blickfang.text.words import read_many; read_many(['a tower'])"
    run(python, "-c", table, cwd=elsewhere)
    run(UV, "pip", "check", "-q", "--python", python)
    say(f"{made.name}: installed by hashes into an empty environment, {version} runs")


def make_sbom(target: Path) -> None:
    """Write a bill of materials (CycloneDX 1.5) of what users install, and check it."""
    text = run(
        *(UV, "export", "--frozen", "-q", "--no-default-groups", "--all-extras"),
        *("--format", "cyclonedx1.5", "--preview-features", "sbom-export"),
        cwd=ROOT,
    )
    bom: dict[str, Any] = json.loads(text)
    bom.pop("serialNumber", None)  # of one lock there is one bill, the same bytes each time
    bom["metadata"].pop("timestamp", None)
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    known = {(package["name"], package.get("version")): package for package in lock["package"]}
    for part in bom["components"]:
        package = known.get((part["name"], part.get("version")))
        if package is None:
            sys.exit(f"{part['name']} {part.get('version')} is not in the lock")
        part.setdefault("properties", []).extend(hashes_of(package))
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(bom, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    say(f"{target.name}: CycloneDX {bom['specVersion']}, {len(bom['components'])} packages")


def hashes_of(package: dict[str, Any]) -> list[dict[str, str]]:
    """Return the digests of the files of a package, as the lock has them."""
    files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
    found = [(str(file["url"]).rpartition("/")[2], str(file["hash"])) for file in files]
    return [{"name": f"blickfang:file:{name}", "value": digest} for name, digest in sorted(found)]


def find_python(version: str) -> Path | None:
    """Return a Python of this machine: on the path, or one that pyenv keeps."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    for found in (*([Path(on_path)] if on_path else []), *kept):
        done = subprocess.run([str(found), "-V"], capture_output=True, text=True, check=False)  # noqa: S603
        if done.stdout.startswith(f"Python {version}."):
            return found
    return None


def check_pythons() -> None:
    """Install from the lock and run some tests with every Python that is there."""
    for version in PYTHONS:
        python = find_python(version)
        if python is None:
            say(f"Python {version}: not on this machine")
            continue
        place = ROOT / ".pythons" / version
        environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(place)}
        began = time.monotonic()
        run(
            UV,
            "sync",
            "--frozen",
            "-q",
            "--python",
            python,
            cwd=ROOT,
            env=environment,
        )
        told = run(place / "bin" / "python", "-m", "pytest", "-q", *QUICK, cwd=ROOT)
        exact = run(place / "bin" / "python", "-V").strip()
        say(f"{exact}: {told.strip().splitlines()[-1]}; {time.monotonic() - began:.0f} s in all")


def check_plain_cpu() -> None:
    """Read pages with kernels for a processor of 2009 and for this one: the same bytes."""
    with tempfile.TemporaryDirectory() as cache:
        found = []
        for more in ({}, {**PLAIN_CPU, "NUMBA_CACHE_DIR": cache}):
            began = time.monotonic()
            told = run(sys.executable, "-c", READ, *PAGES, env={**os.environ, **more}, cwd=ROOT)
            digest, _, processor = told.strip().partition(" ")
            found.append(digest)
            say(f"{digest[:16]}  {len(PAGES)} pages, {processor}, {time.monotonic() - began:.0f} s")
    if len(set(found)) != 1:
        sys.exit("pages are read differently")
    say("the same bytes")


def main(word: str) -> None:
    """Do what a word asks for."""
    works = {
        "wheel": check_wheel,
        "sbom": lambda: make_sbom(ROOT / "dist" / "sbom.json"),
        "pythons": check_pythons,
        "plain-cpu": check_plain_cpu,
    }
    if word not in works:
        sys.exit(f"choose {', '.join(works)}")
    works[word]()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
