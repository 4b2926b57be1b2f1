"""Markdown of curated texts as safe HTML: raw HTML is escaped, and only Markdown's own tags remain."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from kb.web.markup.headings import Levels

TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "h3", "h4", "hr"}
CODE_CLASSES = {"code": {f"language-{name}" for name in ("bash", "console", "diff", "json", "python", "text", "yaml")}}

DOCUMENT_TAGS = TAGS | {"h2", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
# A wide table scrolls inside its box, which therefore takes the keyboard's focus.
TABLE = '<div class="scroll-x" tabindex="0"><table class="table doc-table">'

_parser = MarkdownIt("commonmark", {"html": False})
_documents = MarkdownIt("commonmark", {"html": False}).enable("table")


def render(text: str) -> SafeString:
    """Render Markdown; anything else in the text is escaped."""
    return _safe(_parser.render(text), TAGS)


def render_document(text: str) -> SafeString:
    """Render Markdown with headings, which are put below the page's own, and tables."""
    tokens = _documents.parse(text)
    levels = Levels(below=1)
    for token in tokens:
        if token.type == "heading_open":
            token.tag = f"h{levels.enter(int(token.tag[1]))}"
        elif token.type == "heading_close":
            token.tag = f"h{levels.here}"
    html = _safe(_documents.renderer.render(tokens, _documents.options, {}), DOCUMENT_TAGS)
    return mark_safe(html.replace("<table>", TABLE).replace("</table>", "</table></div>"))  # noqa: S308 - as below


def _safe(html: str, tags: set[str]) -> SafeString:
    clean = nh3.clean(
        html, tags=tags, attributes={"a": {"href"}}, allowed_classes=CODE_CLASSES, url_schemes={"http", "https"}
    )
    # A long line scrolls inside its box, which therefore takes the keyboard's focus.
    return mark_safe(clean.replace("<pre>", '<pre tabindex="0">'))  # noqa: S308 - nh3 has just made it safe
