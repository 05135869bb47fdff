"""The truth about captions: every markup is used, and the words really stand on the page."""

import re
from collections import Counter
from html import escape, unescape

from blickfang.demo import DemoWeb
from blickfang.demo.compose import MARKUPS, Photo, Sketch, show_photo

SKETCH = Sketch("http://a.test/i/x.png", "kite", "kites", (), "seed", 640, 480, "PNG")


def test_every_markup_is_used(web: DemoWeb) -> None:
    used = Counter(mention.markup for image in web.images for mention in image.mentions)
    assert set(used) == set(MARKUPS) | {"card", "flat", "decoration"}
    assert min(used.values()) >= 5


def test_every_image_is_mentioned_on_a_known_page(web: DemoWeb) -> None:
    pages = {page.url for page in web.pages}
    for image in web.images:
        assert image.mentions
        assert all(mention.page in pages for mention in image.mentions)
        assert (image.topic == "decoration") == all(not m.caption for m in image.mentions)


def test_captions_and_addresses_stand_on_the_page(web: DemoWeb) -> None:
    codes = {"harbour-lights.test": "windows-1252"}
    for image in web.images:
        path = image.url.split(".test", 1)[1]
        for mention in image.mentions:
            answer = web.answer(mention.page)
            code = codes.get(image.host) or "utf-8"
            html = unescape(answer.body.decode(code, "replace"))
            if "�" in html:
                html = unescape(answer.body.decode("windows-1252"))
            assert mention.caption in html, (mention, image.url)
            assert path in html, (mention, image.url)
            assert all(text in html for text in mention.record)


def test_generated_alt_texts_do_not_describe(web: DemoWeb) -> None:
    bad = [
        (image, mention)
        for image in web.images
        for mention in image.mentions
        if mention.markup == "generated"
    ]
    for image, mention in bad:
        html = web.answer(mention.page).body.decode()
        path = re.escape(image.url.split(".test", 1)[1])
        alt = re.search(rf'src="{path}"[^>]*alt="([^"]*)"', html)
        assert alt
        assert alt[1] != mention.caption


def test_words_are_escaped() -> None:
    copy = Sketch("http://a.test/i/s.png", "kite", "kites", (), "seed", 320, 240, "PNG")
    words = "<b>salt</b> & \"pepper\" 'n' oil"
    for markup in MARKUPS:
        piece = show_photo(markup, Photo(SKETCH, words, words, (copy,)))
        assert "<b>" not in piece.html + piece.head, markup
        assert escape(words) in piece.html + piece.head, markup
