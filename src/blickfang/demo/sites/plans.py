"""The hosts of the demo web: one Plan each, who writes about what, and in which manner."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """How one host is made."""

    host: str
    name: str
    motto: str
    lexicon: str  # a key of blickfang.demo.writing.lexicons.LEXICONS
    theme: str  # a key of blickfang.demo.sites.themes.THEMES
    first: int  # which of the lexicon's things it writes about
    count: int
    folder: str
    sections: tuple[str, ...]
    markups: tuple[str, ...]  # of the pictures on its content pages, in turn
    listing: str  # a key of blickfang.demo.sites.captions.LISTS
    sizes: tuple[str, ...]  # of its pictures, in turn
    formats: tuple[str, ...] = ("JPEG",)
    file_names: str = "words"  # words, numbers, uploads
    articles: int = 0
    pictures: int = 2  # the most on a page
    sentences: int = 4  # a paragraph
    sized: bool = True  # whether pages state the size of images
    table: tuple[str, ...] = ()  # facts shown as a table


BIG = ("800x600", "640x480", "1024x768")
MIXED = ("640x480", "400x300", "800x600", "320x240")
SMALL = ("320x240", "240x180", "400x300")

TOPIC_PLANS = (
    Plan("lighthouse-almanac.test", "The Lighthouse Almanac", "Every tower of our coast.",
         "lighthouses", "modern", 0, 24, "towers", ("facts", "history", "light", "keeping"),
         ("figure", "srcset", "figure", "alt"), "cards", BIG, ("JPEG", "PNG"), articles=4,
         table=("year", "height", "colours", "character", "range")),
    Plan("keepers-journal.test", "Keepers' Journal", "Walking from light to light since 2009.",
         "lighthouses", "blog", 6, 16, "2019", ("visit", "people", "light", "facts"),
         ("linked", "generated", "figure"), "items", MIXED, ("JPEG", "WEBP"), "uploads",
         articles=3, sized=False),
    Plan("leuchttuerme-kueste.test", "Leuchttürme der Küste", "Türme, Feuer und ihre Wärter",
         "leuchttuerme", "modern", 0, 16, "tuerme", ("facts", "history", "people", "visit"),
         ("figure", "cell", "wiki", "lazy"), "rows", ("640x480", "800x600", "400x300"),
         ("JPEG", "PNG"), articles=3, sentences=5,
         table=("year", "height", "colours", "character")),
    Plan("harbour-lights.test", "Harbour Lights", "An old-fashioned page about old lights",
         "lighthouses", "tables", 22, 12, "lights", ("history", "people", "keeping", "facts"),
         ("cell", "title"), "rows", MIXED, ("GIF", "JPEG"), "numbers", articles=1),
    Plan("fungi-field-guide.test", "Fungi Field Guide", "Caps, gills and spores",
         "mushrooms", "modern", 0, 24, "species", ("facts", "habitat", "lookalikes", "craft"),
         ("figure", "cell", "aria", "og"), "cards", BIG, ("JPEG", "WEBP"), articles=4,
         table=("latin", "cap", "gills", "spore", "season", "verdict")),
    Plan("forest-basket.test", "Forest Basket", "Notes from wet Saturdays",
         "mushrooms", "blog", 8, 16, "walks", ("foray", "habitat", "craft", "facts"),
         ("lazy", "generated", "noscript"), "items", MIXED, ("JPEG",), "uploads", articles=3),
    Plan("spore-print-club.test", "Spore Print Club", "We meet on the first Sunday of the month",
         "mushrooms", "plain", 22, 12, "finds", ("facts", "foray", "lookalikes", "habitat"),
         ("alt", "linked", "generated"), "flat", ("512x384", "400x300", "640x480"),
         ("PNG", "JPEG"), "numbers", articles=2, sized=False),
    Plan("closed-garden.test", "The Closed Garden", "Indoor mushroom growing, members only",
         "mushrooms", "plain", 28, 6, "beds", ("craft", "facts"), ("figure",), "names", MIXED,
         pictures=1),
    Plan("kite-makers-guild.test", "Kite Makers' Guild", "Plans, bridles and good advice",
         "kites", "modern", 0, 20, "plans", ("facts", "plan", "flying", "past"),
         ("picture", "figure", "og"), "cards", BIG, ("JPEG", "PNG"), articles=4,
         table=("form", "sail", "spars", "span", "line")),
    Plan("windy-meadow.test", "Windy Meadow", "Kite festivals and their people",
         "kites", "blog", 6, 16, "reports", ("festival", "flying", "facts", "past"),
         ("background", "lazy", "figure"), "cards", MIXED, ("WEBP", "JPEG"), "uploads", articles=3),
    Plan("paper-and-spar.test", "Paper & Spar", "A history of kites, one sail at a time",
         "kites", "tables", 18, 12, "cabinet", ("past", "facts", "plan", "flying"),
         ("title", "cell"), "flat", ("640x480", "320x240", "600x450"), ("GIF", "PNG"), "numbers",
         articles=2),
    Plan("skyline-studio.test", "Skyline Studio", "Kite photographs, all rights reserved",
         "kites", "shop", 24, 8, "prints", ("festival", "past", "facts"),
         ("figure", "alt"), "items", BIG, pictures=1),
)  # fmt: skip

OTHER_PLANS = (
    Plan("oxmoor-council.test", "Oxmoor Town Council", "Serving all wards", "council", "shop", 0,
         14, "notices", ("notice", "service"), ("alt", "cell", "background"), "names",
         ("400x300", "640x480"), ("JPEG", "GIF"), "numbers", 1, 1, 6),
    Plan("plain-kitchen.test", "Plain Kitchen", "Simple suppers", "cookery", "blog", 0, 16,
         "recipes", ("method", "notes"), ("figure", "lazy"), "cards", MIXED, ("JPEG", "WEBP"),
         articles=2, sentences=6),
    Plan("branch-line-times.test", "Branch Line Times", "Timetables for Oxmoor and the coast",
         "railway", "tables", 0, 16, "stations", ("table", "station"), ("alt",), "names",
         ("320x240", "640x480"), ("PNG", "JPEG"), "numbers", 1, 1, 8),
    Plan("rook-and-pawn.test", "Rook & Pawn", "Chess on Thursdays", "chess", "plain", 0, 14,
         "games", ("game", "club"), ("cell", "figure"), "flat", ("512x512", "400x400", "640x480"),
         ("PNG", "GIF"), "numbers", 1, 1, 6),
    Plan("gemeinde-moorbach.test", "Gemeinde Moorbach", "Amtliches und Nützliches", "gemeinde",
         "shop", 0, 12, "aktuelles", ("notice", "order"), ("figure", "alt"), "names",
         ("640x480", "320x240"), ("JPEG",), "numbers", 1, 1, 7),
    Plan("lighthouse-audit.test", "Lighthouse", "Web performance you can see", "audit", "shop", 0,
         10, "docs", ("product", "support"), ("alt", "figure"), "names", ("800x600", "640x480"),
         ("PNG", "WEBP"), "words", 1, 1, 6),
    Plan("glow-and-shade.test", "Glow & Shade", "Lamps for every room", "lamps", "shop", 0, 10,
         "lamps", ("offer", "care"), ("srcset", "og"), "cards", ("800x600", "640x480"),
         ("WEBP", "JPEG"), "words", 1, 2, 6),
    Plan("toadstool-furniture.test", "Toadstool Furniture", "Sit like a gnome", "furniture",
         "shop", 0, 10, "seats", ("offer", "care"), ("lazy", "figure"), "items",
         ("640x480", "800x600"), ("JPEG",), "words", 1, 2, 6),
    Plan("kite-aerospace.test", "Kite Aerospace", "Unmanned. Unmatched.", "aerospace", "modern", 0,
         8, "press", ("news", "company"), ("background", "figure"), "names",
         ("1024x768", "800x600"), ("JPEG",), "words", 1, 1, 6),
    Plan("red-kite-watch.test", "Red Kite Watch", "Raptors of the county", "birds", "blog", 0, 10,
         "diary", ("watch", "guard"), ("figure", "noscript"), "flat", ("640x480", "400x300"),
         ("JPEG", "PNG"), "uploads", 1, 2, 6),
)  # fmt: skip

PLANS = TOPIC_PLANS + OTHER_PLANS
TOPICS = ("lighthouses", "mushrooms", "kites")
SEED_HOSTS = {
    "lighthouses": "lighthouse-almanac.test",
    "mushrooms": "fungi-field-guide.test",
    "kites": "kite-makers-guild.test",
}
NEUTRAL_HOSTS = ("oxmoor-council.test", "rook-and-pawn.test")
HUB_HOST = "wander-directory.test"
MIRROR_HOST = "almanac-mirror.test"
