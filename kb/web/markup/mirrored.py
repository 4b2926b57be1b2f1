"""An issue's text as its author wrote it, as safe HTML: no markup of its own, no remote images, no pasted secrets.

Hosts let authors mix HTML into Markdown. None of it is passed on: tags go, their text stays, pictures become links.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from kb.core.secrets import mask
from kb.web.markup.headings import Levels

# A longer text is cut: pasted logs reach 65,000 characters, and the original is one click away.
SHOWN_CHARACTERS = 20_000
TAGS = {
    "p", "br", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "a", "hr", "h3", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
REMOTE_IMAGE = re.compile(r"<img\b[^<>]*?\bsrc\s*=\s*[\"']?(https?://[^\s\"'>]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Mirrored:
    """The rendered text; `left_out` is the number of characters that are not shown, `hidden` that of secrets."""

    html: SafeString
    left_out: int
    hidden: int


def render(body: str) -> Mirrored:
    """Render a mirrored text; its headings go below the page's second level."""
    # Before it is cut: half a secret would not be known as one.
    readable, found = mask(body)
    shown = readable[:SHOWN_CHARACTERS]
    clean = nh3.clean(
        _parser.render(shown, {"levels": Levels(below=2)}),
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener nofollow ugc",
    )
    framed = clean.replace("<pre>", '<pre tabindex="0">').replace(
        "<table>", '<div class="scroll-x" tabindex="0"><table class="table table-sm">'
    )
    html = mark_safe(framed.replace("</table>", "</table></div>"))  # noqa: S308 - nh3 made it safe
    return Mirrored(html, left_out=len(readable) - len(shown), hidden=sum(found.values()))


def _raw_html(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
    raw = tokens[at].content
    links = "".join(_image_link(address, "") for address in REMOTE_IMAGE.findall(raw))
    text = nh3.clean(raw, tags=set(), clean_content_tags={"script", "style"})
    return links + (f"<p>{text}</p>" if tokens[at].block and text.strip() else text)


def _image(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
    return _image_link(str(tokens[at].attrs.get("src", "")), tokens[at].content)


def _image_link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">[image{": " + escape(text) if text else ""}]</a>'


def _heading(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
    levels: Levels = env["levels"]
    return f"</h{levels.here}>" if tokens[at].nesting < 0 else f"<h{levels.enter(int(tokens[at].tag[1]))}>"


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "linkify": False, "maxNesting": 20})
    parser.enable(["table", "strikethrough"])
    for kind, rule in {
        "html_block": _raw_html,
        "html_inline": _raw_html,
        "image": _image,
        "heading_open": _heading,
        "heading_close": _heading,
    }.items():
        parser.add_render_rule(kind, rule)
    return parser


_parser = _make_parser()
