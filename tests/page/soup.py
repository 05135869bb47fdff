"""Random HTML for property tests: well-formed or not, with all that needs care."""

import re

from hypothesis import strategies as st

TAGS = re.findall(
    r"[\w-]+",
    "p div span b i a ul li table tr td th h1 h2 form select option button svg math title template "
    "noscript script style textarea pre br hr img input iframe figure figcaption foreignObject "
    "my-element body html head frameset ruby rt dl dd dt",
)
ATTRIBUTES = re.split(
    r"\|",
    ' href="x"|| class="a b2"| hidden| style="display:none"| src=y alt=\'z "q"\'| =| a="<b>"| <c|'
    ' aria-hidden=true| itemprop="articleBody caption"| id=1 id=2',
)
WORDS = (
    "red",
    "blue 7",
    "Straße.",
    " ",
    "\n",
    "&amp;",
    "&nbsp;",
    "<",
    "&lt",
    "你好",
    "é\u0301",
    "!",
)

_starts = st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES))
_ends = st.builds("</{}>".format, st.sampled_from(TAGS))
_others = st.sampled_from(
    ["<!-- c -->", "<!x>", "<?y>", "<!--", "</", "<a", '<p class="', "]]>", "\0"]
)


def soups() -> st.SearchStrategy[str]:
    """Return a strategy for tag soups."""
    pieces = st.one_of(_starts, _ends, st.sampled_from(WORDS), st.sampled_from(WORDS), _others)
    return st.lists(pieces, max_size=25).map("".join)
