"""Tables of a page come out as these tables: their cells, heads, links and images."""

import pytest

from blickfang.records import extract_records
from blickfang.types import Failure, Region

WINES = [("Musar, red", "Bekaa, Lebanon", "2015"), ("Barolo", "Piemonte, Italy", "2016")]
WINES += [("Rioja - Reserva", "Rioja, Spain", "2014"), ("Kabinett", "Mosel, Germany", "2019")]


def extract(html: str) -> Region:
    found = extract_records(html, "https://example.org/shop/list.html", regions=1, split=True)
    assert not isinstance(found, Failure)
    return found[0]


def names(region: Region) -> list[str]:
    return [column.name for column in region.columns]


def rows(wines: list[tuple[str, str, str]], cell: str = "{}") -> str:
    return "".join(
        "<tr>" + "".join(f"<td>{cell.format(text)}</td>" for text in wine) + "</tr>"
        for wine in wines
    )


HEADS = "<th>Wine</th><th>Region</th><th>Vintage</th>"


@pytest.mark.parametrize(
    "head",
    [
        f"<thead><tr>{HEADS}</tr></thead>",
        f"<thead><tr>{HEADS.replace('th>', 'td>')}</tr></thead>",
        f"<tr>{HEADS}</tr>",
        f"<caption>Our wines</caption><tr><td colspan=3>All wines</td></tr><tr>{HEADS}</tr>",
        f"<tr>{HEADS.replace('<th>', '<td><b>').replace('</th>', '</b></td>')}</tr>",
    ],
)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_heads_name_columns_and_cells_stay_whole(head: str, count: int) -> None:
    region = extract(f"<h1>List</h1><table>{head}{rows(WINES[:count])}</table><p>Prices vary.</p>")
    assert names(region) == ["Wine", "Region", "Vintage"]
    assert [record.cells for record in region.records] == WINES[:count]


def test_a_table_without_heads_is_named_by_what_it_holds() -> None:
    region = extract(f"<table>{rows(WINES)}</table>")
    assert [record.cells for record in region.records] == WINES
    assert names(region)[2] == "year"


def test_a_table_of_one_row_with_heads() -> None:
    region = extract(f"<h1>List</h1><table><tr>{HEADS}</tr>{rows(WINES[:1])}</table>")
    assert names(region) == ["Wine", "Region", "Vintage"]
    assert [record.cells for record in region.records] == WINES[:1]


def test_links_and_images_are_columns() -> None:
    body = "".join(
        f"<tr><td><img src=i/{k}.jpg><td><a href=/w/{k}>{wine}</a>"
        f"<td>{'' if k else f'<a href=#top>{place}</a>'}{place if k else ''}"
        f"<td><a href=a{k}>x</a>, <a href=b{k}>y</a></tr>"
        for k, (wine, place, _) in enumerate(WINES)
    )
    heads = "<tr><th>Label<th>Wine<th>Region<th>See</tr>"
    region = extract(f"<table>{heads}{body}</table>")
    assert names(region) == [
        "Label",
        "Wine",
        "Wine link",
        "Region",
        "Region link",
        "See",
        "See link",
    ]
    base = "https://example.org"
    assert region.records[1].cells == (
        *(f"{base}/shop/i/1.jpg", "Barolo", f"{base}/w/1", "Piemonte, Italy", "", "x, y"),
        f"{base}/shop/a1 {base}/shop/b1",
    )
    assert region.columns[0].kind == "image"


def test_spans_are_followed() -> None:
    html = (
        "<table><tr><th rowspan=2>Day<th colspan=2>Hall</tr><tr><th>North<th>South</tr>"
        "<tr><td rowspan=2>Monday<td>Chess<td>Choir</tr><tr><td colspan=2>Dance</tr>"
        "<tr><td>Tuesday<td>Judo<td>Yoga</tr><tr><td rowspan=0>Friday<td>Film<td>Swim</tr></table>"
    )
    region = extract(html)
    assert names(region) == ["Day", "Hall North", "Hall South"]
    assert [record.cells for record in region.records] == [
        ("Monday", "Chess", "Choir"),
        ("Monday", "Dance", "Dance"),
        ("Tuesday", "Judo", "Yoga"),
        ("Friday", "Film", "Swim"),
    ]


def test_hostile_spans_end() -> None:
    body = "".join(
        f"<tr><td colspan=999999 rowspan=999999>{k} in all<td rowspan=9x>{k}</tr>"
        for k in range(40)
    )
    assert len(extract(f"<table>{body}</table>").columns) <= 500


def test_things_in_cells_are_the_records() -> None:
    cell = "<td><a href=/{0}><img src={0}.jpg></a><h3>Boat {0}</h3><p>Sails on {0} rivers</p></td>"
    body = "".join(
        "<tr>" + "".join(cell.format(3 * row + k) for k in range(3)) + "</tr>" for row in range(4)
    )
    region = extract(f"<table>{body}</table>")
    assert len(region.records) == 12
    assert region.records[4].fields["title"] == "Sails on 4 rivers"


def test_lists_have_columns_of_links_beside_their_text() -> None:
    body = "".join(
        f"<li><a href=/p/{k}><img src={k}.png></a><h3><a href=/p/{k}>{wine}</a></h3>"
        f"<p>From {place} <a href=/r/{k}>more</a></p></li>"
        for k, (wine, place, _) in enumerate(WINES)
    )
    region = extract(f"<ul>{body}</ul>")
    kinds = [column.kind for column in region.columns]
    cells = dict(zip(names(region), region.records[2].cells, strict=True))
    assert kinds.count("link") == 2, "the link of the image is that of the text"
    assert [value for name, value in cells.items() if name.endswith("link")] == [
        f"https://example.org/{way}/2" for way in "pr"
    ]


@pytest.mark.parametrize("corner", ["<td></td>", "<td>&nbsp;<br></td>", "<th></th>"])
def test_heads_beside_an_empty_corner_are_heads(corner: str) -> None:
    planets = [("Mercury", "0.33", "0"), ("Venus", "4.87", "0"), ("Mars", "0.64", "2")]
    body = "".join(
        f"<tr><th scope=row>{name}</th><td>{mass}</td><td>{moons}</td></tr>"
        for name, mass, moons in planets
    )
    head = f"<tr>{corner}<th scope=col>Mass</th><th scope=col>Moons</th></tr>"
    region = extract(f"<table>{head}{body}</table>")
    assert names(region)[1:] == ["Mass", "Moons"]
    assert [record.cells for record in region.records] == planets


@pytest.mark.parametrize("wide", ["99", "1000000"])
def test_a_cell_wider_than_the_table_makes_no_columns(wide: str) -> None:
    note = f"<tr><td colspan={wide}>All of 2020</td></tr>"
    region = extract(f"<table><tr>{HEADS}</tr>{rows(WINES)}{note}</table>")
    assert names(region) == ["Wine", "Region", "Vintage"]
    assert region.records[-1].cells == ("All of 2020", "", "")


def test_columns_that_every_row_spans_are_one() -> None:
    html = f"<table><tr>{HEADS}</tr>{rows(WINES)}</table>"
    for tag in "th", "td":
        html = html.replace(f"<tr><{tag}>", f"<tr><{tag} colspan=2>")
    assert names(extract(html)) == ["Wine", "Region", "Vintage"]
