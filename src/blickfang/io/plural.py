"""Numbers with their nouns, as people write them: 1 page, 1,200 pages."""


def counted(count: int, noun: str, many: str = "") -> str:
    """Return a number and its noun; `many` is the noun of several, if that is not noun + s.

    >>> counted(1, "page"), counted(1200, "page"), counted(2, "person", "people")
    ('1 page', '1,200 pages', '2 people')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
