"""Markdown of curated texts as safe HTML: raw HTML is text, and only the tags that Markdown makes get through."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "h3", "h4", "hr"}
CODE_CLASSES = {"code": {f"language-{name}" for name in ("bash", "console", "diff", "json", "python", "text", "yaml")}}

_parser = MarkdownIt("commonmark", {"html": False})


def render(text: str) -> SafeString:
    """Render Markdown; whatever else the text holds comes out as the characters it is."""
    html = _parser.render(text)
    clean = nh3.clean(
        html, tags=TAGS, attributes={"a": {"href"}}, allowed_classes=CODE_CLASSES, url_schemes={"http", "https"}
    )
    # A long line scrolls inside its box, which therefore takes the keyboard's focus.
    return mark_safe(clean.replace("<pre>", '<pre tabindex="0">'))  # noqa: S308 - nh3 has just made it safe
