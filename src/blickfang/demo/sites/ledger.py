"""Ground truth: sites go in, what is true about every page and image comes out."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.sites.compose import Site
from blickfang.demo.sites.quirks import IMAGE_OPT_OUT, STUDIO, is_allowed
from blickfang.demo.sites.themes import shown_decor
from blickfang.demo.truth import ImageTruth, Mention, PageTruth, RecordTruth


def page_truths(sites: Sequence[Site]) -> tuple[PageTruth, ...]:
    """State what is true about every page."""
    return tuple(
        PageTruth(
            url=draft.url,
            host=site.host,
            topic=draft.topic,
            language=draft.language,
            kind=draft.kind,
            title=draft.title,
            text=draft.text,
            duplicate_of=draft.duplicate_of,
            allowed=is_allowed(draft.url),
            opt_out=draft.opt_out,
        )
        for site in sites
        for draft in site.drafts
    )


def image_truths(sites: Sequence[Site]) -> tuple[ImageTruth, ...]:
    """State what is true about every image that a page shows."""
    mentions = mentions_of(sites)
    sketches = sketches_of(sites)
    return tuple(image_truth(sketches[url], tuple(found)) for url, found in mentions.items())


def record_truths(sites: Sequence[Site]) -> tuple[RecordTruth, ...]:
    """State the records of all listings that show images."""
    motifs = {url: sketch.motif for url, sketch in sketches_of(sites).items()}
    return tuple(
        RecordTruth(
            draft.url,
            motifs[shown.image],
            (*zip(("name", "caption", "blurb"), shown.record, strict=True), ("image", shown.image)),
        )
        for site in sites
        for draft in site.drafts
        for shown in draft.shown
        if shown.record
    )


def sketches_of(sites: Sequence[Site]) -> dict[str, Sketch]:
    """Return all sketches by URL."""
    return {sketch.url: sketch for site in sites for sketch in (*site.sketches, *site.decor)}


def mentions_of(sites: Sequence[Site]) -> dict[str, list[Mention]]:
    """Collect for each image where it is shown."""
    mentions: dict[str, list[Mention]] = {}
    for site in sites:
        for draft in site.drafts:
            for shown in draft.shown:
                mention = Mention(draft.url, shown.markup, shown.caption, shown.record)
                mentions.setdefault(shown.image, []).append(mention)
            for sketch in shown_decor(draft, site):
                mentions.setdefault(sketch.url, []).append(Mention(draft.url, "decoration", ""))
    return mentions


def image_truth(sketch: Sketch, mentions: tuple[Mention, ...]) -> ImageTruth:
    """State what is true about one image."""
    host = urlsplit(sketch.url).netloc
    return ImageTruth(
        url=sketch.url,
        host=host,
        topic=sketch.topic,
        motif=sketch.motif,
        width=sketch.width,
        height=sketch.height,
        format=sketch.format,
        duplicate_of=sketch.original.url if sketch.original else None,
        change=sketch.change,
        allowed=is_allowed(sketch.url),
        opt_out=IMAGE_OPT_OUT[1] if host == STUDIO else "",
        mentions=mentions,
    )
