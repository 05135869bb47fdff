"""What the source never does: load objects from files, run texts, call a shell, trust XML."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.security.regexes import SOURCE

# Whatever these read could have been written by a stranger, and would run.
NEVER = frozenset({"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"})
NO_XML = ("xml.etree", "xml.dom", "xml.sax", "lxml", "xmlrpc")
XML_READERS = {"corpus/pictures/image_metadata.py", "crawl/permission/rsl.py"}
MAY_IMPORT = {"xml.sax.saxutils": {"io/escaping.py"}, "xml.parsers": XML_READERS}
MAY_PICKLE = {"compute/ray_pool.py"}  # whether an error of ours, just made, can travel
MAY_UNPACK = {"crawl/shards/worker_bundle.py"}  # what we packed ourselves, for our workers
# Without a shell: a process of its own for PDFs; whether the driver of browsers starts.
MAY_START = {"records/persons/pdf_head.py", "io/chromium.py"}


@cache
def walk() -> list[tuple[str, ast.AST]]:
    return list(walk_all())


def walk_all() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call | ast.keyword | ast.Import | ast.ImportFrom):
                yield name, node


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def test_nothing_is_unpickled() -> None:
    found = [(at, name) for at, node in walk() for name in imports(node)]
    assert len(found) > 1000
    pickling = {at for at, name in found if name.partition(".")[0] in NEVER}
    assert pickling == MAY_PICKLE
    assert not [each for each in found if each[1] == "yaml"]


def test_arrays_are_loaded_without_objects() -> None:
    loads = [(at, node) for at, node in walk() if called(node) in ("np.load", "numpy.load")]
    assert len(loads) > 5
    for at, node in loads:
        assert isinstance(node, ast.Call)
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        assert given.get("allow_pickle") == "False", at


def test_no_text_is_run() -> None:
    for at, node in walk():
        if called(node) == "eval" and ast.unparse(node) == "eval('None')":
            continue  # __main__ says what for
        assert called(node) not in ("eval", "exec", "os.system", "os.popen", "__import__"), at
        if isinstance(node, ast.keyword) and node.arg == "shell":
            raise AssertionError(at)
        if any(name == "subprocess" for name in imports(node)):
            assert at in MAY_START, at


def test_xml_is_read_by_two_readers_that_take_no_entities() -> None:
    for at, node in walk():
        for name in imports(node):
            if name.startswith(NO_XML) or name.startswith("xml."):
                assert at in MAY_IMPORT.get(name, ()), (at, name)
    for name in XML_READERS:
        assert ".StartDoctypeDeclHandler = reader.refuse" in (SOURCE / name).read_text()


def test_templates_escape_by_themselves() -> None:
    made = [ast.unparse(node) for _, node in walk() if called(node).endswith("Environment")]
    assert made
    for text in made:
        assert "autoescape=True" in text or "select_autoescape" in text, text


def test_paths_of_strangers_are_never_unpacked() -> None:
    for at, node in walk():
        if called(node).endswith((".extractall", ".extract", "unpack_archive")):
            assert at in MAY_UNPACK, at
        assert called(node) != "tarfile.open" or at not in MAY_UNPACK, at  # a zip stays in place
