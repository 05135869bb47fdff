"""Real text that every machine has: the Python sources of the interpreter and its packages.

Identifiers, comments and docstrings have the long tail of words that grammars lack.
"""

import sysconfig
from functools import cache
from pathlib import Path

from blickfang.text.words import read_many, spell


@cache
def source_texts(words: int) -> list[str]:
    """Return the texts of source files, in order of their names, until there are enough words."""
    chosen, count = [], 0
    paths = sysconfig.get_paths()
    for root in (paths["purelib"], paths["stdlib"]):
        for path in sorted(Path(root).rglob("*.py")):
            text = path.read_text(encoding="utf-8", errors="replace")
            chosen.append(text)
            count += len(read_many([text]).hashes)
            if count >= words:
                return chosen
    return chosen


def spelled(texts: list[str], limit: int) -> list[str]:
    """Return the words of texts as the model sees them, so that kenlm gets the same."""
    return spell(read_many(texts))[:limit]
