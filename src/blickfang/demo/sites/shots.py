"""Pictures of things: a thing's facts go in, sketches with captions and file names come out."""

import re
from random import Random

from blickfang.demo.drawing.sketch import SUFFIXES, Sketch, copy_of
from blickfang.demo.sites.captions import Shot
from blickfang.demo.sites.plans import Plan
from blickfang.demo.writing.grammar import Facts, Lexicon, say, view_of

LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "'": "", "’": ""})
# How wide the pictures of a listing are.
LIST_WIDTHS = {"cards": 240, "items": 160, "flat": 300, "rows": 60}


def slug(name: str) -> str:
    """Turn a name into a file name.

    >>> slug("St Brannoc's Große Düne")
    'st-brannocs-grosse-duene'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().translate(LETTERS)).strip("-")


def take_shot(
    plan: Plan, lexicon: Lexicon, facts: Facts, place: tuple[int, int], random: Random
) -> tuple[Shot, str]:
    """Sketch picture number `place[1]` of thing number `place[0]`; return it with its markup."""
    thing, number = place
    seen = view_of(lexicon, facts, random)
    caption = say(lexicon, random.choice(lexicon.captions), seen, random)
    markup = plan.markups[(thing + number) % len(plan.markups)]
    width, height = map(int, plan.sizes[(thing + 2 * number) % len(plan.sizes)].split("x"))
    kind = plan.formats[(thing + number) % len(plan.formats)]
    url = image_url(plan, facts["name"], caption, place, SUFFIXES[kind])
    sketch = Sketch(
        url=url,
        motif=lexicon.motif,
        topic=lexicon.topic,
        facts=tuple(seen.items()),
        seed=url,
        width=width,
        height=height,
        format=kind,
    )
    blurb = say(lexicon, random.choice(lexicon.blurbs), seen, random)
    copies = markup_copies(sketch, markup)
    return Shot(sketch, caption, facts["name"], copies, blurb=blurb, sized=plan.sized), markup


def image_url(plan: Plan, name: str, caption: str, place: tuple[int, int], suffix: str) -> str:
    """Name an image file as its host does: by its words, by the camera, by the upload folder."""
    thing, number = place
    root = f"http://{plan.host}"
    if plan.file_names == "numbers":
        return f"{root}/images/IMG_{2000 + 17 * thing + number}.{suffix}"
    if plan.file_names == "uploads":
        month = f"{2012 + thing % 8}/{1 + (thing * 5 + number) % 12:02}"
        return f"{root}/wp-content/uploads/{month}/{slug(name)}-{thing:02}{number}.{suffix}"
    words = "-".join(slug(caption).split("-")[:6])
    return f"{root}/images/{words}-{thing:02}{number}.{suffix}"


def markup_copies(sketch: Sketch, markup: str) -> tuple[Sketch, ...]:
    """Sketch the smaller copies a markup needs."""
    stem, suffix = sketch.url.rsplit(".", 1)
    if markup == "srcset":
        widths = (sketch.width // 4, sketch.width // 2)
        return tuple(copy_of(sketch, f"{stem}-{w}w.{suffix}", "resized", w) for w in widths)
    if markup == "picture":
        width = sketch.width // 2
        return (copy_of(sketch, f"{stem}-{width}w.webp", "reencoded", width, "WEBP"),)
    if markup == "linked":
        return (copy_of(sketch, f"{stem}-150x113.{suffix}", "resized", 150),)
    return ()


def list_shot(shot: Shot, listing: str, url: str) -> Shot:
    """Make a listing's shot of a page's first picture: a small copy, linked to the page."""
    copies: tuple[Sketch, ...] = ()
    if listing in LIST_WIDTHS:
        width = min(LIST_WIDTHS[listing], shot.sketch.width * 3 // 4)
        stem, suffix = shot.sketch.url.rsplit(".", 1)
        copies = (copy_of(shot.sketch, f"{stem}-small.{suffix}", "resized", width),)
    return Shot(shot.sketch, shot.caption, shot.name, copies, url, shot.blurb, shot.sized)
