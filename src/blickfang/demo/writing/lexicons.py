"""All lexicons by name, each read once, when first asked for."""

from functools import cache

from blickfang.demo.writing.german import GEMEINDE, LEUCHTTUERME
from blickfang.demo.writing.grammar import Lexicon, read_lexicon
from blickfang.demo.writing.kites import KITES
from blickfang.demo.writing.lighthouses import LIGHTHOUSES
from blickfang.demo.writing.lookalikes import AEROSPACE, AUDIT, BIRDS, FURNITURE, LAMPS
from blickfang.demo.writing.mushrooms import MUSHROOMS
from blickfang.demo.writing.pastimes import CHESS, COOKERY
from blickfang.demo.writing.town import COUNCIL, RAILWAY

LEXICONS = {
    "lighthouses": LIGHTHOUSES,
    "mushrooms": MUSHROOMS,
    "kites": KITES,
    "leuchttuerme": LEUCHTTUERME,
    "gemeinde": GEMEINDE,
    "council": COUNCIL,
    "railway": RAILWAY,
    "cookery": COOKERY,
    "chess": CHESS,
    "audit": AUDIT,
    "lamps": LAMPS,
    "furniture": FURNITURE,
    "aerospace": AEROSPACE,
    "birds": BIRDS,
}


@cache
def lexicon(name: str) -> Lexicon:
    """Return a lexicon by its name."""
    return read_lexicon(LEXICONS[name])
