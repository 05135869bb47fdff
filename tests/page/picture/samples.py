"""Pictures made for tests: by Pillow, and by hand where Pillow would not."""

import struct
import zlib
from io import BytesIO

import numpy as np
from PIL import Image

from blickfang.corpus.pictures import read_picture
from blickfang.types import Failure, Picture

URL = "http://example.test/a"
MINING = "DMI-PROHIBITED-AIMLTRAINING"
XMP = f"""<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#"
    xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="Agency &amp; Co">
   <plus:DataMining>http://ns.useplus.org/ldf/vocab/{MINING}</plus:DataMining>
   <cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>
   <dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Grace</rdf:li></rdf:Seq></dc:creator>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>""".encode()


def read(data: bytes) -> Picture:
    """Read a picture that must be one."""
    found = read_picture(URL, data)
    assert isinstance(found, Picture), found
    return found


def refuse(data: bytes) -> str:
    """Return why bytes are no picture."""
    found = read_picture(URL, data)
    assert isinstance(found, Failure), found
    assert (found.url, found.room) == (URL, "picture")
    return found.reason


def paint(width: int = 240, height: int = 160, seed: int = 0) -> Image.Image:
    """Return a picture with broad shapes and some detail, another for each seed."""
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 256, (5, 7, 3), np.uint8))
    image = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(np.int16)
    noise = random.integers(-12, 13, image.shape)
    return Image.fromarray(np.clip(image + noise, 0, 255).astype(np.uint8))


def encode(image: Image.Image, kind: str, **settings: object) -> bytes:
    """Return the bytes of a picture in a format."""
    buffer = BytesIO()
    image.save(buffer, kind, **settings)
    return buffer.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG."""
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def with_chunk(png: bytes, kind: bytes, content: bytes) -> bytes:
    """Return a PNG with one more chunk behind its header."""
    return png[:33] + chunk(kind, content) + png[33:]


def segment(marker: int, content: bytes) -> bytes:
    """Return a segment of a JPEG."""
    return bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content


def with_segment(jpeg: bytes, marker: int, content: bytes) -> bytes:
    """Return a JPEG with one more segment in front."""
    return jpeg[:2] + segment(marker, content) + jpeg[2:]


def exif(**texts: str | int) -> bytes:
    """Return EXIF with orientation, artist and copyright as given."""
    tags = Image.Exif()
    for name, value in texts.items():
        tag = {"orientation": 0x0112, "artist": 0x013B, "copyright": 0x8298}[name]
        tags[tag] = value.encode() if isinstance(value, str) else value
    return tags.tobytes()


def iim(**texts: str) -> bytes:
    """Return Photoshop's resources with records of IIM: byline, credit, notice."""
    records = b""
    for name, text in texts.items():
        dataset = {"byline": 80, "credit": 110, "notice": 116}[name]
        records += struct.pack(">BBBH", 0x1C, 2, dataset, len(text.encode())) + text.encode()
    other = b"8BIM\x04\x0a\x03odd\0\0\0\x03abc\0"  # another one, with a title, in front
    resource = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(records)) + records
    return b"Photoshop 3.0\0" + other + resource
