"""Pages in every encoding, declared rightly, wrongly or not at all."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.decode import CODECS, NAMES, Decoded, _is_utf8, decode_page, looks_binary

GERMAN = (
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und "
    "Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen."
)
RUSSIAN = (
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и "
    "совестью и должны поступать в отношении друг друга в духе братства."
)
POLISH = (
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa."
)
GREEK = (
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
    "προικισμένοι με λογική και συνείδηση."
)
TURKISH = (
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler "
    "ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler."
)
HEBREW = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון."
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا."
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม"
JAPANESE = (
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
    "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
)
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神互相对待。"
TAIWANESE = (
    "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。"
)
KOREAN = (
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 "
    "양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."
)
OLD = [
    ("windows-1252", GERMAN),
    ("windows-1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("iso-8859-5", RUSSIAN),
    ("ibm866", RUSSIAN),
    ("windows-1250", POLISH),
    ("iso-8859-2", POLISH),
    ("iso-8859-7", GREEK),
    ("windows-1254", TURKISH),
    ("windows-1255", HEBREW),
    ("windows-1256", ARABIC),
    ("windows-874", THAI),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("gb18030", CHINESE),
    ("big5", TAIWANESE),
    ("euc-kr", KOREAN),
]


def page(text: str, head: str = "") -> str:
    return f"<html><head>{head}<title>1</title></head><body><p class='x'>{text}</p></body></html>"


def meta(label: str) -> str:
    return f'<meta charset="{label}">'


@pytest.mark.parametrize(("name", "text"), OLD)
def test_declared_encodings(name: str, text: str) -> None:
    in_meta = page(text, meta(name))
    assert decode_page(in_meta.encode(CODECS[name])) == Decoded(in_meta.encode(), name, ())
    plain = page(text)
    read = decode_page(plain.encode(CODECS[name]), f'text/html; charset="{name.upper()}"')
    assert read == Decoded(plain.encode(), name, ())


@pytest.mark.parametrize(("name", "text"), OLD)
def test_encodings_that_nobody_declared(name: str, text: str) -> None:
    read = decode_page(page(text).encode(CODECS[name]))
    assert read == Decoded(page(text).encode(), name, ())


@pytest.mark.parametrize(("name", "text"), OLD)
def test_pages_that_are_not_utf_8_as_they_say(name: str, text: str) -> None:
    html = page(text, meta("utf-8"))
    read = decode_page(html.encode(CODECS[name]))
    assert read == Decoded(html.encode(), name, (f"declared utf-8, read as {name}",))


@pytest.mark.parametrize(("name", "text"), OLD)
def test_pages_that_are_utf_8_and_do_not_say_so(name: str, text: str) -> None:
    body = page(text, meta(name)).encode()
    assert decode_page(body) == Decoded(body, "utf-8", (f"declared {name}, read as utf-8",))


@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, GERMAN])
def test_utf_8_goes_through_untouched(text: str) -> None:
    for html in (page(text), page(text, meta("UTF-8"))):
        body = html.encode()
        read = decode_page(body, "text/html")
        assert read.data is body
        assert read[1:] == ("utf-8", ())


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
    ],
)
def test_a_byte_order_mark_goes_before_all(mark: bytes, codec: str, name: str) -> None:
    html = page(GERMAN, meta("koi8-r"))
    read = decode_page(mark + html.encode(codec), "text/html; charset=shift_jis")
    assert read == Decoded(html.encode(), name, ())


def test_the_header_goes_before_the_page() -> None:
    html = page(RUSSIAN, meta("windows-1252"))
    read = decode_page(html.encode("cp1251"), "text/html;charset=windows-1251")
    assert read == Decoded(html.encode(), "windows-1251", ())


@pytest.mark.parametrize(
    "head",
    [
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        "<META CHARSET = windows-1251 >",
        "<!-- <meta charset=koi8-r> --><meta charset='windows-1251'>",
        "<meta name='x'><meta charset=x-cp1251/>",
    ],
)
def test_ways_to_declare(head: str) -> None:
    html = page("Мы все", head)
    assert decode_page(html.encode("cp1251")) == Decoded(html.encode(), "windows-1251", ())


def test_xml_declaration() -> None:
    html = '<?xml version="1.0" encoding="windows-1251"?>' + page("Мы все")
    assert decode_page(html.encode("cp1251")).data == html.encode()


def test_utf_16_in_a_page_means_utf_8() -> None:
    body = page("Kätzchen", meta("utf-16")).encode()
    assert decode_page(body) == Decoded(body, "utf-8", ())


@pytest.mark.parametrize(("codec", "name"), [("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be")])
@pytest.mark.parametrize("text", [GERMAN, JAPANESE])
def test_utf_16_without_mark(codec: str, name: str, text: str) -> None:
    body = page(text).encode(codec)
    assert decode_page(body) == Decoded(page(text).encode(), name, ())
    assert not looks_binary(body)


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("text", [JAPANESE, CHINESE, "一" * 9])
@pytest.mark.parametrize("head", ["", "日本", "<p>"])
def test_utf_16_without_mark_and_with_little_markup(order: str, text: str, head: str) -> None:
    html = head + text * 20 + "<br>" + text * 20
    body, header = html.encode(f"utf-16-{order}"), f"text/html; charset=UTF-16{order}"
    assert not looks_binary(body, header)
    assert decode_page(body, header) == Decoded(html.encode(), f"utf-16{order}", ())
    if head == "<p>":
        assert not looks_binary(body)
        assert decode_page(body) == Decoded(html.encode(), f"utf-16{order}", ())


def test_a_header_makes_no_utf_16_of_a_page_or_a_picture() -> None:
    header = "text/html; charset=utf-16le"
    assert decode_page(page(GERMAN).encode(), header).encoding == "utf-8"
    assert decode_page(page(JAPANESE).encode(), header).data == page(JAPANESE).encode()
    assert looks_binary(b"\x89PNG\r\n\x1a\n" + bytes(20), header)
    assert looks_binary(bytes(range(256)), header)


def test_unknown_labels_are_noted() -> None:
    body = page("Kätzchen", meta("klingon")).encode()
    assert decode_page(body) == Decoded(body, "utf-8", ("unknown encoding 'klingon' declared",))


@pytest.mark.parametrize(
    "head",
    [
        "<meta charset=bogus><meta charset=windows-1251>",
        "<meta charset=''><meta charset=a><META http-equiv=x content='text/html; charset=cp1251'>",
        "<meta charset='&#x77;indows-1251'>",
        "<meta charset=&#119indows-1251>",
    ],
)
def test_the_first_encoding_that_is_one_counts(head: str) -> None:
    read = decode_page(f"{head}<p>{RUSSIAN}".encode("cp1251"))
    assert read == Decoded(f"{head}<p>{RUSSIAN}".encode(), "windows-1251", ())


def test_an_unknown_header_leaves_it_to_the_page() -> None:
    body = page("Мы все", meta("windows-1251")).encode("cp1251")
    assert decode_page(body, "text/html; charset=klingon").encoding == "windows-1251"


def test_a_few_broken_bytes_leave_utf_8() -> None:
    body = page(RUSSIAN).encode() + b"\xff<p>\xc3"
    read = decode_page(body)
    assert read.encoding == "utf-8"
    assert read.data == body[:-5] + "\ufffd<p>\ufffd".encode()
    assert read.notes == ("2 characters unreadable",)


def test_a_page_cut_inside_a_character_is_utf_8() -> None:
    body = b"<p>" + b"cat " * 100 + "…".encode()[:2]
    assert decode_page(body).data == body[:-2] + "\ufffd".encode()


def test_the_last_letter_of_an_old_page_is_no_cut_utf_8() -> None:
    assert decode_page(b"caf\xe9", "text/html; charset=latin1").data == "café".encode()


def test_many_marks_are_all_left_out() -> None:
    assert decode_page(codecs.BOM_UTF8 * 100_000 + b"<p>").data == b"<p>"


def test_two_characters_that_could_be_utf_8_are_what_is_declared() -> None:
    html = page("巍", meta("gbk"))  # also two letters of UTF-8
    body = html.encode("gb18030")
    assert body.decode()
    assert decode_page(body) == Decoded(html.encode(), "gbk", ())


def test_another_old_encoding_than_declared() -> None:
    html = page(JAPANESE, meta("euc-jp"))
    read = decode_page(html.encode("cp932"))
    assert read == Decoded(html.encode(), "shift_jis", ("declared euc-jp, read as shift_jis",))


def test_labels_of_the_standard() -> None:
    assert NAMES["latin1"] == NAMES["us-ascii"] == NAMES["x-user-defined"] == "windows-1252"
    assert NAMES["iso-8859-9"] == "windows-1254"
    assert NAMES["gb2312"] == "gbk"
    assert NAMES["ks_c_5601-1987"] == "euc-kr"
    for name, codec in CODECS.items():
        assert name == "utf-32" or NAMES[name] == name
        codecs.lookup(codec)


CONTENT_TYPES = (
    st.none() | st.text() | st.sampled_from(list(NAMES)).map("text/html;charset={}".format)
)
BODIES = st.binary() | st.lists(
    st.binary(max_size=4)
    | st.sampled_from(
        [b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"<p>", b"\x1b$B", b"~{", b"\xef\xbf\xbd"]
    )
    | st.sampled_from(list(NAMES)).map(lambda label: meta(label).encode())
    | st.text(max_size=5).map(lambda text: text.encode("utf-8", "replace"))
).map(b"".join)


@given(BODIES, CONTENT_TYPES)
def test_anything_becomes_utf_8(body: bytes, content_type: str | None) -> None:
    read = decode_page(body, content_type)
    read.data.decode()
    assert not read.data.startswith(codecs.BOM_UTF8)
    assert read.encoding in CODECS
    assert looks_binary(body) in {True, False}


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf_8_is_never_changed(text: str) -> None:
    body = page(text).encode()
    assert decode_page(body).data == body


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.4\n1 0 obj",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"RIFF\x10\x20\x30\x40WEBPVP8 ",
        b"\0\0\0\x20ftypavif",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\x7fELF",
        bytes(range(256)),
        bytes(100),
        b"<p>" + b"\1\2" * 20,
        b"<\0" + bytes(range(256)),
        b"text" + b"\0" * 40,
        b"<svgz" + bytes(range(256)),
    ],
)
def test_binary(body: bytes) -> None:
    assert looks_binary(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<p>cat",
        b"<p>one \0 zero in a long enough page, as some writers leave them",
        b"{}",
        b"PK is no archive",
        b"BM, II and MM, ID3 too",
        *(page(text).encode(CODECS[name]) for name, text in OLD),
        page(CHINESE).encode("utf-16"),
        b"<p>" + b"one\0" * 20,
        b"\0" * 5000 + b"<!doctype html><p>cat",
        b"\n<html><p>cat" + b"\0" * 5000,
        b"<\0p\0>\0one",
    ],
)
def test_not_binary(body: bytes) -> None:
    assert not looks_binary(body)


EDGES = [b"a", b"\xc2\x80", b"\xc1", b"\xdf\xbf", b"\xe0\xa0\x80", b"\xe0\x9f", b"\xed\xa0\x80"]
EDGES += [
    b"\xed\x9f\xbf",
    b"\xf0\x90\x80\x80",
    b"\xf0\x8f",
    b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80",
]
EDGES += [b"\xf5", b"\xe4\xb8", b"\x80", b"\xef\xbf\xbd", b"eightyes", b"\xff"]


@given(st.binary(max_size=40) | st.lists(st.sampled_from(EDGES), max_size=12).map(b"".join))
def test_what_is_utf8_is_what_python_reads(body: bytes) -> None:
    try:
        body.decode()
        sound = True
    except UnicodeDecodeError:
        sound = False
    assert _is_utf8(body) == sound
