"""Names of files for addresses that strangers chose.

In: the address of a picture, its id, its format. Out: a relative path that mirrors the address and
is safe on any file system: no way out of the folder, no name that a system reserves, none too long,
none that differs from another by case only. The id in each name keeps two pictures apart, and no
folder can have the name of a file.
"""

import re
import unicodedata
from urllib.parse import unquote

from blickfang.io.urls import host

EXTENSIONS = {"jpeg": "jpg", "mpo": "jpg", "tiff": "tif"}
UNSAFE = re.compile(r"[^\w.~-]+")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE)
LIKE_A_FILE = re.compile(r"-[0-9a-f]{16}\.[a-z0-9]+$", re.IGNORECASE)
LONGEST_HOST = 64  # in bytes; all together fit into the 260 of Windows
LONGEST_FOLDERS = 80
LONGEST_STEM = 60


def file_extension(kind: str) -> str:
    """Return the usual extension for a format, safe whatever it is called.

    >>> file_extension("jpeg"), file_extension("../x")
    ('jpg', 'x')
    """
    plain = re.sub("[^a-z0-9]", "", kind.lower())[:8]
    return EXTENSIONS.get(plain, plain) or "bin"


def mirror_path(url: str, identity: str, kind: str) -> str:
    """Return where a picture lies in a mirror of the web, with slashes.

    >>> mirror_path("https://example.org/a/../b/My%20cat.JPG?x=1", "0123456789abcdef", "jpeg")
    'example.org/a/b/My_cat-0123456789abcdef.jpg'
    """
    path = url.partition("//")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    *folders, name = path.split("/")
    stem, dot, _ = unquote(name).rpartition(".")
    parts = [_folder(host(url), LONGEST_HOST) or "unknown"]
    left = LONGEST_FOLDERS
    for folder in folders:
        part = _folder(unquote(folder), left)
        if not part or len(part.encode()) + 1 > left:
            continue
        parts.append(part)
        left -= len(part.encode()) + 1
    last = _safe(stem if dot and stem else unquote(name), LONGEST_STEM) or "image"
    return "/".join([*parts, f"{last}-{identity}.{file_extension(kind)}"])


def _folder(name: str, longest: int) -> str:
    part = _safe(name, longest)
    return f"{part}_" if LIKE_A_FILE.search(part) else part


def _safe(name: str, longest: int) -> str:
    """Return a part of a path that means nothing to any system; "" if nothing is left."""
    name = unicodedata.normalize("NFC", UNSAFE.sub("_", name))
    name = name.encode("utf-8", "ignore")[:longest].decode("utf-8", "ignore").strip(". ")
    if RESERVED.fullmatch(name):
        name = f"_{name}"
    return name.strip("._") and name
