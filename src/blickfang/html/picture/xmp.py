"""XMP: what a picture says of itself in XML, read without trusting it.

In: the bytes of an XMP packet. Out: the texts of the properties that are looked for, by name. A
document type, and with it every entity, ends the reading; what was read before stays.
"""

import re
from xml.parsers import expat

from blickfang.html.picture.limits import MAX_METADATA

PLUS = "http://ns.useplus.org/ldf/xmp/1.0/ "
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
WANTED = {
    PLUS + "DataMining": "data_mining",
    PLUS + "LicensorURL": "licensor",
    "http://ns.adobe.com/xap/1.0/rights/ WebStatement": "statement",
    "http://ns.adobe.com/xap/1.0/rights/ UsageTerms": "terms",
    "http://creativecommons.org/ns# license": "licence",
    "http://web.resource.org/cc/ license": "licence",
    "http://purl.org/dc/elements/1.1/ rights": "rights",
    "http://purl.org/dc/elements/1.1/ creator": "creator",
    "http://ns.adobe.com/photoshop/1.0/ Credit": "credit",
}
# An opt-out counts even where its XML is broken.
MINING = re.compile(rb"/vocab/(DMI-[A-Z-]+)")
MAX_VALUES = 100  # of one property
MAX_DEPTH = 200


class _EnoughError(Exception):
    """Enough was read."""


class _Reader:
    """The handlers of one reading, and what they have heard."""

    def __init__(self) -> None:
        self.heard: dict[str, list[str]] = {}
        self.depth = 0
        self.inside = ""  # the wanted property whose element is open
        self.level = 0  # of that element
        self.text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _EnoughError
        for key, value in attributes.items():
            if key in WANTED:
                self.hear(WANTED[key], value)
        if name in WANTED:
            self.inside, self.level = WANTED[name], self.depth
            self.hear(self.inside, attributes.get(RDF + "resource", ""))
        self.text.clear()

    def end(self, _: str) -> None:
        if self.inside:
            self.hear(self.inside, "".join(self.text))
            self.text.clear()
            if self.depth == self.level:
                self.inside = ""
        self.depth -= 1

    def say(self, text: str) -> None:
        if self.inside:
            self.text.append(text)

    def hear(self, name: str, value: str) -> None:
        value = " ".join(value.split())
        known = self.heard.setdefault(name, [])
        if value and value not in known and len(known) < MAX_VALUES:
            known.append(value)

    def refuse(self, *_: object) -> None:
        raise _EnoughError


def read_xmp(packet: bytes) -> dict[str, list[str]]:
    """Return the texts of the wanted properties of an XMP packet, by short names."""
    if not packet:
        return {}
    reader, parser = _Reader(), expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.say
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(packet[:MAX_METADATA].strip(b"\0 \t\r\n"), True)
    except (expat.ExpatError, _EnoughError, UnicodeError, ValueError, LookupError):
        reader.inside = ""  # what was heard so far is kept
    heard = {name: values for name, values in reader.heard.items() if values}
    if "data_mining" not in heard and (found := MINING.search(packet)):
        heard["data_mining"] = [found[1].decode("ascii")]
    return heard
