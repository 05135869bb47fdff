"""Path patterns: the little language of robots.txt, which Content-Usage and tdmrep.json share.

In: patterns as sites write them, and the path of a URL. Out: which of them match it. As RFC 9309
(2.2.2, 2.2.3) has it: a pattern matches the beginning of a path, `*` stands for anything, `$` at
the end for the end, octets are compared in one spelling, and the longest pattern is the most
specific. Patterns are filed under the text before their first star, so that a path meets few of
them; what would take longer than about a millisecond, which only an attack asks for, is refused.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

# Left as they are: all that has no meaning of its own in a pattern and may stand in a URL. Of the
# reserved characters only / and ? keep apart from their escapes: they cut a URL into its parts.
KEPT = "A-Za-z0-9._~!&'()+,;=:@/?-"
NORMAL = re.compile(f"[{KEPT}]*+")
SPELLED_OTHERWISE = re.compile(f"%[0-9A-Fa-f]{{2}}|[^{KEPT}]")
SPELLINGS = {
    spelling % code: chr(code) if re.match(f"[{KEPT}]", chr(code)) else f"%{code:02X}"
    for code in range(256)
    for spelling in ("%%%02x", "%%%02X")
} | {"%2F": "%2F", "%2f": "%2F", "%3F": "%3F", "%3f": "%3F"}
STARS = re.compile(r"\*+")

# Work, in about half a nanosecond: each step costs a call, each character of a pattern is at worst
# compared with each of the path.
STEP_WORK = 400
MOST_WORK = 2_000_000


class Tail(NamedTuple):
    """A pattern: what it asks for behind its literal beginning."""

    priority: int  # its length
    number: int  # among the patterns
    parts: tuple[str, ...]  # to be found one after the other, with anything between
    ends: bool  # the last part, or the beginning if there is none, must end the path


class Patterns(NamedTuple):
    """Patterns, filed under their literal beginnings."""

    tails: dict[str, list[Tail]]
    work: dict[str, tuple[int, int]]  # of all tails of a beginning: steps, and per character
    lengths: tuple[int, ...]  # of the beginnings, ascending


def normal(text: str) -> str:
    """Return a path in the spelling in which octets are compared.

    >>> normal("/%7ea%2fb/ä*%zz")
    '/~a%2Fb/%C3%A4%2A%25zz'
    """
    if NORMAL.fullmatch(text):
        return text
    return SPELLED_OTHERWISE.sub(_spell, text)


def path_of(url: str) -> str:
    """Return the part of a canonical URL that patterns speak about, in normal spelling.

    >>> path_of("https://example.org/a?b=c#d")
    '/a?b=c'
    """
    return normal("/" + url.partition("//")[2].partition("#")[0].partition("/")[2])


def compile_patterns(patterns: Sequence[str]) -> Patterns:
    """Return patterns, ready to be asked which of them match a path."""
    tails: dict[str, list[Tail]] = {}
    for number, pattern in enumerate(patterns):
        head, tail = _read(pattern, number)
        tails.setdefault(head, []).append(tail)
    work = {}
    for head, filed in tails.items():
        if len(filed) > 1 or filed[0].parts:
            steps = len(filed) + sum(len(tail.parts) for tail in filed)
            characters = sum(len(part) for tail in filed for part in tail.parts)
            work[head] = steps * STEP_WORK, characters
    return Patterns(tails, work, tuple(sorted(set(map(len, tails)))))


def matching(patterns: Patterns, path: str) -> list[Tail] | None:
    """Return the patterns that match a path in normal spelling; None if that is too much work."""
    found: list[Tail] = []
    work = 0
    for spelling in _spellings(path):
        for length in patterns.lengths:
            if length > len(spelling):
                break
            head = spelling[:length]
            tails = patterns.tails.get(head)
            if tails is None:
                continue
            if head in patterns.work:
                steps, per_character = patterns.work[head]
                work += steps + per_character * len(spelling)
                if work > MOST_WORK:
                    return None
            found += [tail for tail in tails if _fits(tail, spelling, length)]
    return found


def _fits(tail: Tail, path: str, position: int) -> bool:
    """Whether a path goes on as a tail asks; its beginning is known to fit."""
    if not tail.parts:
        return position == len(path) if tail.ends else True
    for part in tail.parts[:-1]:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    last = tail.parts[-1]
    if tail.ends:
        return len(path) - len(last) >= position and path.endswith(last)
    return path.find(last, position) >= 0


def _read(pattern: str, number: int) -> tuple[str, Tail]:
    """Return the literal beginning of a pattern, and what follows it."""
    if NORMAL.fullmatch(pattern):
        return pattern, Tail(len(pattern), number, (), False)
    ends = pattern.endswith("$")
    head, *parts = map(normal, STARS.split(pattern[:-1] if ends else pattern))
    priority = len(head) + sum(map(len, parts)) + pattern.count("*") + ends
    if parts and not parts[-1] and not ends:
        parts.pop()  # a star at the end says nothing
    return head, Tail(priority, number, tuple(parts), ends)


def _spellings(path: str) -> tuple[str, ...]:
    """Return a path as it is and, where its query has slashes, with all or none of them escaped.

    So the RFC's example has it: ?baz=https://foo.bar is ?baz=https%3A%2F%2Ffoo.bar.
    """
    start, question, query = path.partition("?")
    if "/" not in query and "%2F" not in query:
        return (path,)
    others = {query.replace("/", "%2F"), query.replace("%2F", "/")} - {query}
    return path, *(start + question + other for other in sorted(others))


def _spell(match: re.Match[str]) -> str:
    """Return an escape, or a character that needs one, in normal spelling."""
    known = SPELLINGS.get(match[0])
    if known is None and len(match[0]) == 3:  # an escape of mixed case
        known = SPELLINGS[match[0].upper()]
    return known or "".join(f"%{octet:02X}" for octet in match[0].encode("utf-8", "replace"))
