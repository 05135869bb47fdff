"""People of one name are kept apart: by co-authors, topics, first names, mail and own pages.

In: publications by somebody of a name. Out: a number for each: 1 is the person with most of them.
Two publications are one person's if they stand on one page of that person, share a co-author or
the person's mail address; what then is still apart is joined by its topics. Names that exclude
each other ("J. A. Smith", "J. B. Smith") are never joined. docs/research.md says what this reaches.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blickfang.records.persons.person_names import (
    Name,
    NameLikeness,
    compare_names,
    fold,
    parse_name,
)
from blickfang.records.persons.person_values import Publication
from blickfang.records.persons.publication_merging import title_words

MIN_LETTERS = 4  # shorter words say little of a topic
STEM = 6  # letters that endings leave alone
SPREAD = 1000.0  # how much the topics of people resemble what all write; docs/research.md
UNSEEN = 2000  # words that nobody here has used yet
ONE_PERSON = -0.5  # logarithm of the odds from which on two groups are one person's
TWO_LISTS = 2.0  # the same where both have own pages: those of one person share something, mostly
MAX_GROUPS = 200  # that are compared by topic
NEIGHBOURS = 100  # with the same co-author that are compared
MAX_AUTHORS = 50  # of a publication; with more a shared co-author says little


class Role(NamedTuple):
    """Who of the authors is meant, and who are the others."""

    own: Name
    others: tuple[Name, ...]


def find_role(authors: Sequence[str], person: Name) -> Role | None:
    """Return which author is the person; None if none can be."""
    names = [parse_name(author) for author in authors]
    likeness = [compare_names(name, person) for name in names]
    best = max(likeness, default=NameLikeness.NONE)
    if best == NameLikeness.NONE:
        return None
    at = likeness.index(best)
    return Role(names[at], tuple(names[:at] + names[at + 1 :]))


def separate_people(found: Sequence[Publication], person: Name) -> list[int]:
    """Return the number of the person behind each publication."""
    roles = [find_role(each.authors, person) for each in found]
    known = [
        role or Role(person, tuple(map(parse_name, each.authors)))
        for each, role in zip(found, roles, strict=True)
    ]  # the list leaves its owner out
    groups = _Groups([role.own for role in known], [bool(each.owned) for each in found])
    for a, b in _find_links(found, person):
        groups.join(a, b)
    _join_by_authors(groups, known)
    _join_by_topic(groups, [read_topic(each) for each in found])
    return groups.number(found)


class _Groups:
    """Publications in groups; groups whose names exclude each other stay apart."""

    def __init__(self, names: Sequence[Name], owned: Sequence[bool]) -> None:
        self.of = list(range(len(names)))
        self.listed = dict(enumerate(owned))  # whether a group has an own page
        self.members = {at: [at] for at in range(len(names))}
        self.names = {at: {name} for at, name in enumerate(names)}

    def join(self, a: int, b: int) -> bool:
        """Make one group of those of two publications, if that can be."""
        first, second = sorted((self.of[a], self.of[b]))
        if first == second or not self.may_join(first, second):
            return False
        for member in self.members[second]:
            self.of[member] = first
        self.members[first] += self.members.pop(second)
        self.names[first] |= self.names.pop(second)
        self.listed[first] |= self.listed.pop(second)
        return True

    def may_join(self, first: int, second: int) -> bool:
        """Whether all names of one group go with all of the other."""
        return all(
            compare_names(a, b) > NameLikeness.NONE
            for a in self.names[first]
            for b in self.names[second]
        )

    def number(self, found: Sequence[Publication]) -> list[int]:
        """Return the number of the group of each publication, the largest group first."""
        order = sorted(
            self.members.values(), key=lambda group: (-len(group), min(found[at] for at in group))
        )
        numbers = [0] * len(found)
        for number, group in enumerate(order, 1):
            for at in group:
                numbers[at] = number
        return numbers


def _find_links(found: Sequence[Publication], person: Name) -> Iterator[tuple[int, int]]:
    """Give pairs of publications that stand on one own page, or have the person's mail address."""
    pages: dict[str, list[int]] = defaultdict(list)
    mails: dict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(found):
        for page in each.owned:
            pages[page].append(at)
        for mail in each.emails:
            if is_mail_of(mail, person):
                mails[mail.casefold()].append(at)
    for members in (*pages.values(), *mails.values()):
        yield from pairwise(members)


def _join_by_authors(groups: _Groups, roles: Sequence[Role]) -> None:
    """Join groups with a co-author in common; two with own pages need more than one initial."""
    shared: dict[tuple[int, int], set[str]] = defaultdict(set)
    for a, b, last, likeness in _share_authors(roles):
        first, second = sorted((groups.of[a], groups.of[b]))
        if first == second:
            continue
        shared[first, second].add(last)
        both = groups.listed[first] and groups.listed[second]
        if not both or likeness == NameLikeness.FULL or len(shared[first, second]) > 1:
            groups.join(a, b)


def _share_authors(roles: Sequence[Role]) -> Iterator[tuple[int, int, str, NameLikeness]]:
    """Give pairs of publications that have a co-author in common, who, and how surely."""
    partners: dict[str, list[tuple[int, Name]]] = defaultdict(list)
    for at, role in enumerate(roles):
        for name in role.others if len(role.others) < MAX_AUTHORS else ():
            for last in sorted(_spell_last(name)):
                partners[last].append((at, name))
    for known in partners.values():
        for number, (a, one) in enumerate(known):
            for b, other in known[number + 1 : number + 1 + NEIGHBOURS]:
                likeness = compare_names(one, other)
                if a != b and likeness >= NameLikeness.INITIALS:
                    yield a, b, min(_spell_last(one) | _spell_last(other)), likeness


def _spell_last(name: Name) -> set[str]:
    """Return the writings of a last name."""
    return {form for each in name.readings for form in fold("".join(each.last))}


def is_mail_of(mail: str, person: Name) -> bool:
    """Whether a mail address is written like a person's name.

    >>> is_mail_of("j.mueller@x.org", parse_name("Jörg Müller"))
    True
    """
    local = "".join(char for char in mail.partition("@")[0].casefold() if char.isalnum())
    return any(last in local for last in _spell_last(person) if len(last) > 2)


def read_topic(one: Publication) -> Counter[str]:
    """Return the words of a publication that tell its topic, each once, cut to their beginnings."""
    words = title_words(f"{one.title} {one.venue} {one.abstract}")
    return Counter({word[:STEM] for word in words if len(word) >= MIN_LETTERS and word.isalpha()})


class Topics:
    """How well one topic explains the words of two groups: each topic is drawn from what all write.

    Words are counted as in Dirichlet-multinomial models: two groups are one person's if one topic
    explains their words together about as well as a topic each does.
    """

    def __init__(self, topics: Sequence[Counter[str]]) -> None:
        total: Counter[str] = Counter()
        for topic in topics:
            total.update(topic)
        size = total.total() + len(total) + UNSEEN
        self.prior = {word: SPREAD * (count + 1) / size for word, count in total.items()}

    def gain(self, one: Counter[str], other: Counter[str]) -> float:
        """Return the logarithm of how much likelier the words are with one topic for both.

        What stands in one group alone is as likely either way: only shared words are looked at.
        """
        short, long = (one, other) if len(one) <= len(other) else (other, one)
        words = (_grow(self.prior[word], short[word], long[word]) for word in short if word in long)
        return math.fsum(words) - _grow(SPREAD, one.total(), other.total())


def _grow(prior: float, one: int, other: int) -> float:
    lgamma = math.lgamma
    return lgamma(prior + one + other) - lgamma(prior + one) - lgamma(prior + other) + lgamma(prior)


def _join_by_topic(groups: _Groups, topics: Sequence[Counter[str]]) -> None:
    """Join groups that one topic explains best, the surest first."""
    model = Topics(topics)
    chosen = sorted(groups.members, key=lambda g: (-len(groups.members[g]), g))[:MAX_GROUPS]
    words: dict[int, Counter[str]] = {group: Counter() for group in chosen}
    for group in chosen:
        for at in groups.members[group]:
            words[group].update(topics[at])

    def gain(a: int, b: int) -> float:
        least = TWO_LISTS if groups.listed[a] and groups.listed[b] else ONE_PERSON
        return model.gain(words[a], words[b]) - least

    gains = {(a, b): gain(a, b) for a in chosen for b in chosen if a < b}
    while gains:
        a, b = max(gains, key=lambda pair: (gains[pair], -pair[0], -pair[1]))
        if gains.pop((a, b)) < 0:
            return
        if groups.join(a, b):
            words[a].update(words.pop(b))
            gains = {pair: value for pair, value in gains.items() if b not in pair}
            changed = [pair for pair in gains if a in pair]
            gains |= {pair: gain(*pair) for pair in changed}
