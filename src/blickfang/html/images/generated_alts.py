"""Texts of images that no person wrote: file names, camera numbers and defaults, templates.

In: an alt, title or caption and the address of the image. Out: whether a program made the text.
Such texts are marked, never silently used: the study asks for it ("wp content uploads …").
"""

import re
from urllib.parse import unquote

from blickfang.io.urls import BLANKED, file_words, url_words

FILE = re.compile(r"\S+\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|svg|heic)\s*$", re.IGNORECASE)
CAMERA = re.compile(
    r"(?:img|dsc[nf_]?|dscn|dcim|pict?|image|photo|foto|bild|screenshot|screen shot|scan|cimg|mvi|"
    r"imag|gopr|whatsapp image|pxl|untitled|unnamed)?[\s_.()#-]*+\d[\d\s_.:x()#T-]*+"
    r"(?:at[\d\s.:]*+(?:[ap]\.?m\b[\s.]*+)?|wa\d{4,}+\s*+)?"
    r"(?:copy|edited|scaled|cropped)?[\s\d_.()-]*+",
    re.IGNORECASE,
)
# Names that cameras, messengers and shops of pictures give, whosever they are: without blanks, with
# a number of six digits or a date behind letters, or with underscores and a number of three.
COUNTED = re.compile(
    r"[A-Za-z]++(?>(?:[-_][A-Za-z]++)*)[-_]?\d{6,}+"
    r"|(?>(?:[A-Za-z]++[-_])*)(?:19|20)\d\d(?>-?\d\d){2}(?>(?:[-_.]\w++)*)"
    r"|(?=\w*?\d{3})(?=\w*_)\w++",
    re.ASCII,
)
# Where systems keep what was uploaded, as words: an alt text that begins so is a path.
FOLDERS = ("wp content ", "wp includes ", "sites default files ", "media catalog product ")
IDENTIFIER = re.compile(
    r"(?=[^\s]*\d)[0-9a-f]{8,}+(?>(?:[-_][0-9a-f]++)*)|(?=.*?[0-9a-f]{12})[\w-]++", re.IGNORECASE
)
SHORTEST = 8  # of identifiers
# Words that stand where nobody wrote a text; English, since programs write them everywhere.
EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "image images img photo picture pic thumbnail thumb placeholder undefined null none alt "
        "untitled unnamed default spacer blank banner icon file filename",
    )
)
# What cameras, phones and scanners write into ImageDescription, which systems take for alt texts;
# all of a text, its signs and numbers left out.
CAMERA_DEFAULTS = frozenset(
    {
        *("olympus digital camera", "minolta digital camera", "konica minolta digital camera"),
        *("konica digital camera", "kodak digital still camera", "kodak digital camera"),
        *("sony dsc", "sony digital camera", "samsung digital camera", "samsung camera pictures"),
        *(
            "samsung camera",
            "casio digital camera",
            "pentax digital camera",
            "ricoh digital camera",
        ),
        *("sanyo digital camera", "vivitar digital camera", "medion digital camera"),
        *("panasonic digital camera", "nikon digital camera", "canon digital camera"),
        *("fujifilm digital camera", "polaroid digital camera", "jenoptik digital camera"),
        *(
            "praktica digital camera",
            "hp digital camera",
            "ge digital camera",
            "agfa digital camera",
        ),
        *("toshiba digital camera", "epson digital camera", "leica digital camera"),
        *("my digital camera", "digital camera", "digital still camera", "digitalcamera"),
        *("exif jpeg picture", "exif jpeg", "exif jpeg t", "jpeg picture", "dcim", "dig camera"),
        *("ascii", "binary comment", "user comments", "hdrpl", "cof vivid"),
    }
)
# Those that phones write in small letters, and makers in large ones: else somebody means a word.
SMALL_DEFAULTS = frozenset({"dav", "edf", "cof", "mde", "ptr", "vhdr", "rhdr", "btf", "sdr", "hdr"})
LARGE_DEFAULTS = frozenset({"SAMSUNG", "SONY", "OLYMPUS", "KODAK", "DIGITAL CAMERA", "DCIM"})
# What site builders and templates leave where a text was to be written; all of a text.
TEMPLATE_DEFAULTS = frozenset(
    {
        *("mobirise", "mobirise website builder", "mobirise free website builder"),
        *("mobirise website maker", "mobirise web page maker", "free website builder"),
        *("alt text", "alt tag", "alt attribute", "image alt", "img alt", "image alt text"),
        *("your alt text", "your alt text here", "alt text here", "insert alt text here"),
        *("image title", "image name", "image description", "image caption", "picture title"),
        *("no image", "no image available", "image not available", "image not found"),
        *("no alternative text available", "no automatic alt text available"),
        *("no photo description available", "no alt text provided for this image"),
        *("click to enlarge", "click to view", "click to zoom", "click to view larger image"),
        *("object object", "image placeholder", "placeholder image", "default image"),
    }
)
# How the texts begin that editors of blogs and of photos write.
BEGINNINGS = (
    *("this image has an empty alt attribute", "processed with ", "processed by ", "dcim "),
    *("created with gimp", "created with canva", "created with sketch", "created with inkscape"),
    *("edited with ", "uploaded with ", "posted with ", "photo created with "),
    *("image may contain ", "may be an image of ", "untitled design", "may be a closeup of "),
)
# The first words of all these, by which a kernel tells what must be looked at.
FIRST_WORDS = frozenset(
    text.split()[0]
    for text in (
        *(*CAMERA_DEFAULTS, *SMALL_DEFAULTS, *map(str.lower, LARGE_DEFAULTS)),
        *(*TEMPLATE_DEFAULTS, *BEGINNINGS),
    )
)
# Of what a template was to put in: "image.title", "{{ product.name }}", "<%= alt %>", "${title}".
VARIABLE = re.compile(
    r"[$@%#]?[a-z_]\w*(?:\.\w+){0,5}?\.(?:alt|title|name|caption|description|text|label|alt_?text|file_?name)",
    re.IGNORECASE | re.ASCII,
)
BRACES = ("{{", "}}", "<%", "%>", "${", "{%")
NAMED_FILE = re.compile(
    r"(?<![\w.-])(\w[\w%+()-]*+)\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|heic)(?!\w)", re.IGNORECASE
)
MAX_LENGTH = 200  # of what programs write
DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"[^\W\d_]+")


def is_generated(text: str, url: str = "") -> bool:
    """Whether a text about an image was made by a program.

    >>> is_generated("IMG_2034"), is_generated("A cat on a sofa"), is_generated("cat-2.jpg")
    (True, False, True)
    >>> is_generated("wp content uploads is the kitten healthy",
    ...              "http://a.org/wp-content/uploads/is-the-kitten-healthy.jpg")
    True
    >>> is_generated("OLYMPUS DIGITAL CAMERA"), is_generated("Samsung digital camera on a desk")
    (True, False)
    """
    if not text or len(text) > MAX_LENGTH:
        return False
    if " " not in text and _is_name(text):
        return True
    if "{" in text and any(map(text.__contains__, BRACES)):
        return True
    if DIGIT.search(text) and CAMERA.fullmatch(text):
        return True
    low = text.lower()
    words = low.translate(BLANKED).split() if low.isascii() else LETTERS.findall(low)
    if not words or (len(words) <= 2 and EMPTY_WORDS.issuperset(words)):
        return True
    if text == low and " ".join(words).startswith(FOLDERS):
        return True
    said = " ".join(words)
    if words[0] in FIRST_WORDS and _is_default(text, said, url):
        return True
    if "." in text and _names_file(text, url):
        return True
    if words[-1] not in url.lower():  # the cheap answer for nearly all
        return False
    name = file_words(url)
    if said == name:
        return not _is_written(text, url)
    return len(words) > len(name.split()) and url_words(url).endswith(said)


def _is_default(text: str, said: str, url: str) -> bool:
    """Whether a text is what a camera, an editor or a template writes where nobody wrote one."""
    if said in CAMERA_DEFAULTS or said in TEMPLATE_DEFAULTS or said.startswith(BEGINNINGS):
        return True
    if text in LARGE_DEFAULTS:
        return said not in url.lower()  # else it may be the maker's own sign
    return text in SMALL_DEFAULTS


def _names_file(text: str, url: str) -> bool:
    """Whether a text names the file of the image, as editors do, whatever their language."""
    address = unquote(url).lower()
    return any(match[1].lower() in address for match in NAMED_FILE.finditer(text))


def _is_name(text: str) -> bool:
    """Whether a text without blanks is the name of a file, or a number that a program gave."""
    if "." in text and (FILE.fullmatch(text) or VARIABLE.fullmatch(text)):
        return True
    if len(text) < SHORTEST - 1:
        return False
    return bool(
        (len(text) >= SHORTEST and IDENTIFIER.fullmatch(text))
        or (DIGIT.search(text) and COUNTED.fullmatch(text))
    )


def _is_written(text: str, url: str) -> bool:
    """Whether a text has what file names lose: a capital letter, or a stop at its end."""
    return text not in unquote(url) and (text != text.lower() or text.rstrip()[-1:] in ".!?…")
