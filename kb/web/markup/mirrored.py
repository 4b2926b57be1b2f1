"""A mirrored text as safe HTML, without raw HTML, remote images and pasted secrets.

Hosts let authors mix HTML into Markdown. Tags are dropped, their text stays, and images become links.
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

# Pasted logs reach 65,000 characters; the original is one click away.
SHOWN_CHARACTERS = 20_000
TAGS = {
    "p", "br", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "a", "hr", "h3", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
REMOTE_IMAGE = re.compile(r"<img\b[^<>]*?\bsrc\s*=\s*[\"']?(https?://[^\s\"'>]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Mirrored:
    """The rendered text, the number of characters that were cut off, and the number of masked secrets."""

    html: SafeString
    left_out: int
    hidden: int


def render(body: str) -> Mirrored:
    """Render a mirrored text, with its headings below the page's second level."""
    # Masked before it is cut: half a secret would not be recognised.
    readable, secrets = mask(body)
    shown = readable[:SHOWN_CHARACTERS]
    clean = nh3.clean(
        _parser.render(shown, {"levels": Levels(below=2)}),
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener nofollow ugc",
    )
    html = (
        clean.replace("<pre>", '<pre tabindex="0">')
        .replace("<table>", '<div class="scroll-x" tabindex="0"><table class="table table-sm">')
        .replace("</table>", "</table></div>")
    )
    safe = mark_safe(html)  # noqa: S308 - nh3 made it safe
    return Mirrored(safe, left_out=len(readable) - len(shown), hidden=sum(secrets.values()))


def _raw_html(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
    raw = tokens[at].content
    links = "".join(_image_link(address, "") for address in REMOTE_IMAGE.findall(raw))
    text = nh3.clean(raw, tags=set(), clean_content_tags={"script", "style"})
    if tokens[at].block and text.strip():
        text = f"<p>{text}</p>"
    return links + text


def _image(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
    return _image_link(str(tokens[at].attrs.get("src", "")), tokens[at].content)


def _image_link(address: str, text: str) -> str:
    name = f"image: {escape(text)}" if text else "image"
    return f'<a href="{escape(address)}">[{name}]</a>'


def _heading(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
    levels: Levels = env["levels"]
    if tokens[at].nesting < 0:
        return f"</h{levels.here}>"
    return f"<h{levels.enter(int(tokens[at].tag[1]))}>"


_parser = MarkdownIt("commonmark", {"html": True, "linkify": False, "maxNesting": 20})
_parser.enable(["table", "strikethrough"])
_parser.add_render_rule("html_block", _raw_html)
_parser.add_render_rule("html_inline", _raw_html)
_parser.add_render_rule("image", _image)
_parser.add_render_rule("heading_open", _heading)
_parser.add_render_rule("heading_close", _heading)
