"""The scorers that lie beside gold data: loaded, never copied.

In: a folder of gold data. Out: its scorer, as a module.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_scorer(folder: Path) -> ModuleType:
    """Return the scorer of some gold data, whose folder, and so its digest, stays as it is."""
    spec = importlib.util.spec_from_file_location(f"score_{folder.name}", folder / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "score.py")
    module = importlib.util.module_from_spec(spec)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module
