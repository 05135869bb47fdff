"""Page templates: a draft and its site go in, the whole HTML document comes out.

Each theme has its own furniture around the same pieces: a main element or none, a sidebar, layout
by tables, breadcrumbs, cookie lines. What a page is about stands only in the pieces.
"""

from collections.abc import Callable
from html import escape

from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.sites.captions import local
from blickfang.demo.sites.compose import Site
from blickfang.demo.sites.pieces import Draft, anchor, tag
from blickfang.demo.writing.furniture import WORDS

# Which of a site's decoration images each theme shows.
DECOR = {
    "modern": ("logo.png", "feed.gif"),
    "blog": ("banner.gif", "feed.gif"),
    "tables": ("banner.gif",),
    "plain": (),
    "shop": ("logo.png",),
    "print": (),
}

STYLE = """body { font: 1rem/1.5 Georgia, serif; margin: 0 auto; max-width: 60rem; color: #222 }
nav a { margin-right: 1em } img { max-width: 100%; height: auto } .grid { display: grid;
grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem } .hero { padding: 2rem;
background-size: cover } aside, .related { font-size: .9em } footer { color: #666 }
"""


def dress(draft: Draft, site: Site) -> str:
    """Write the whole document of a draft."""
    theme = draft.theme or site.theme
    body = "\n".join(piece.html for piece in draft.pieces)
    charset = f'<meta charset="{draft.charset}">' if draft.says_charset else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{draft.language}">\n<head>{charset}'
        f"<title>{escape(draft.title)} – {escape(site.name)}</title>"
        f'<link rel="stylesheet" href="/static/style.css">{draft.head}</head>\n'
        f"<body>\n{THEMES[theme](body, draft, site)}\n</body>\n</html>\n"
    )


def shown_decor(draft: Draft, site: Site) -> tuple[Sketch, ...]:
    """Return the decoration images that stand on a page."""
    names = DECOR[draft.theme or site.theme]
    return tuple(sketch for sketch in site.decor if sketch.url.rsplit("/", 1)[1] in names)


def decor(site: Site, name: str) -> str:
    """Write one decoration image."""
    sketch = next(sketch for sketch in site.decor if sketch.url.endswith(f"/{name}"))
    size = f'width="{sketch.width}" height="{sketch.height}"'
    return f'<img src="{local(sketch.url)}" {size} alt="{escape(site.name)}">'


def menu(site: Site, between: str = " ") -> str:
    """Write the links of the menu."""
    return between.join(anchor(link) for link in site.menu)


def modern(body: str, _: Draft, site: Site) -> str:
    """Header, nav, main, footer."""
    words = WORDS[site.language]
    return (
        f'<header><a href="/">{decor(site, "logo.png")}</a><p>{escape(site.motto)}</p></header>'
        f"<nav>{menu(site)}</nav>\n<main>\n{body}\n</main>\n"
        f"<footer>{decor(site, 'feed.gif')}<p>{escape(site.name)}. {words['rights']}</p>"
        f'<a href="#top">{words["up"]}</a></footer>'
    )


def blog(body: str, draft: Draft, site: Site) -> str:
    """Generic div elements, a sidebar before the content, a cookie line."""
    words = WORDS[site.language]
    items = "".join(f"<li>{anchor(link)}</li>" for link in site.menu)
    return (
        f'<div id="cookies">{words["cookie"]}</div><div id="page"><div id="header">'
        f'<a href="/"></a>{decor(site, "banner.gif")}</div>'
        f'<div id="sidebar"><h4>{words["search"]}</h4><ul>{items}</ul>{decor(site, "feed.gif")}'
        f'<p><a href="/login.html" rel="nofollow">{words["login"]}</a></p></div>'
        f'<div id="content" class="{draft.kind}"><div class="entry">\n{body}\n</div></div>'
        f'<div id="footer">{escape(site.name)} – {words["rights"]}</div></div>'
    )


def tables(body: str, _: Draft, site: Site) -> str:
    """The layout of 1998: one table, the menu in its left cell."""
    words = WORDS[site.language]
    return (
        f"<center>{decor(site, 'banner.gif')}<br><font>{escape(site.motto)}</font></center>"
        f'<table width="100%" cellspacing="6"><tr><td width="150" valign="top" bgcolor="#eeeedd">'
        f'{menu(site, "<br>")}</td>\n<td valign="top">{body}</td></tr></table>'
        f'<hr><font size="1">{escape(site.name)}. {words["rights"]}</font>'
    )


def plain(body: str, _: Draft, site: Site) -> str:
    """Hardly any furniture."""
    return f"<p class=top>{menu(site, ' | ')}</p><hr>\n{body}\n<hr><p>{escape(site.name)}</p>"


def shop(body: str, draft: Draft, site: Site) -> str:
    """Breadcrumbs, a menu as a list, sections."""
    words = WORDS[site.language]
    items = "".join(f"<li>{anchor(link)}</li>" for link in site.menu)
    crumbs = f'<a href="/">{words["home"]}</a> › {escape(draft.title)}'
    return (
        f'<div class="top">{decor(site, "logo.png")}<ul class="menu">{items}</ul></div>'
        f'<div class="crumbs">{crumbs}</div>\n<section class="body">{body}</section>\n'
        f'<div class="bottom"><p>{words["cookie"]}</p><p>{escape(site.motto)}</p>'
        f"<p>© {escape(site.name)}. {words['rights']}</p></div>"
    )


def printed(body: str, draft: Draft, site: Site) -> str:
    """A page for the printer: no menu, one line at the end."""
    return f"{body}\n<hr><small>{escape(site.name)}: {escape(draft.title)}</small>"


THEMES: dict[str, Callable[[str, Draft, Site], str]] = {
    "modern": modern,
    "blog": blog,
    "tables": tables,
    "plain": plain,
    "shop": shop,
    "print": printed,
}


def stylesheet(site: Site) -> str:
    """Write a host's style sheet."""
    return f"/* {site.name} */\n{STYLE}"


def error_page(status: int, words: str) -> str:
    """Write the page that goes with an error."""
    return f"<!DOCTYPE html><title>{status}</title>{tag('h1', {}, escape(words))}"
