"""Renders a frozen text so that every visible character knows its place in the text as it was written.

Runs of text stand in `<span data-at="12">`: the offset in the raw text, in Python's characters. Where what is seen
differs from what was written (`&amp;`), `data-to` is the offset of the run's end, and it can be selected only as a
whole. None of the author's own markup gets through, as in `kb.web.markup.mirrored`: pictures become links.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

import nh3
from django.core.cache import cache
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from kb.web.markup.headings import Levels
from kb.web.markup.mirrored import REMOTE_IMAGE, TAGS
from labeling.models import Snapshot
from labeling.web.comments import Thread, thread_of

# Hosts allow 65,536 characters; the page says how many beyond this are left out.
MOST_CHARACTERS = 200_000
FOLDABLE_LINES = 12
KEPT_SECONDS = 24 * 3600
# Part of the cache key: goes up when texts are rendered in another way.
VERSION = 3
BREAK = re.compile(r"\r\n?|\n")
MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)\s*>|\Z)|</?[A-Za-z][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
ADDRESS = re.compile(r"\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])?")
PICTURE = re.compile(r"!\[[^\]]*\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])?")
CODE = re.compile(r"<pre>(.*?)</pre>", re.DOTALL)


@dataclass(frozen=True)
class Frozen:
    """A snapshot's title, body and comments as HTML; `left_out`: characters of the body that are not shown."""

    title: SafeString
    body: SafeString
    characters: int
    left_out: int
    thread: Thread | None = None


def frozen(snapshot: Snapshot) -> Frozen:
    """The snapshot rendered, from the cache: neither the text nor its rendering changes."""
    key = f"labeling-frozen:{VERSION}:{snapshot.text_hash}"
    rendered: Frozen | None = cache.get(key)
    if rendered is None:
        title = str(snapshot.content.get("title", ""))
        body = str(snapshot.content.get("body") or "")
        rendered = Frozen(
            title=mark_safe(f'<span data-at="0">{escape(title)}</span>'),  # noqa: S308 - escaped
            body=render_body(body),
            characters=len(body),
            left_out=max(0, len(body) - MOST_CHARACTERS),
            thread=thread_of(snapshot),
        )
        cache.set(key, rendered, KEPT_SECONDS)
    return rendered


def render_body(body: str) -> SafeString:
    """A body as safe HTML with its places; long code can be folded."""
    shown = body[:MOST_CHARACTERS]
    clean = nh3.clean(
        _parser.render(shown, {"cursor": _Cursor(shown), "levels": Levels(below=1)}),
        tags=TAGS | {"span", "h2"},
        attributes={"a": {"href"}, "span": {"data-at", "data-to"}},
        url_schemes={"http", "https"},
        link_rel="noopener nofollow ugc",
    )
    html = CODE.sub(_code_box, clean)
    html = html.replace("<table>", '<div class="scroll-x" tabindex="0"><table class="table table-sm">')
    return mark_safe(html.replace("</table>", "</table></div>"))  # noqa: S308 - nh3 made it safe


def _code_box(match: re.Match[str]) -> str:
    """Code scrolls by itself, and more than a few lines of it fold."""
    code = match.group(1)
    pre = f'<pre tabindex="0">{code}</pre>'
    lines = code.count("\n")
    if lines < FOLDABLE_LINES:
        return pre
    return f'<details class="log" open><summary>Code or log, {lines:,} lines</summary>{pre}</details>'


class _Cursor:
    """Walks through the raw text beside the tokens, which come in its order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line_starts = [0, *(match.end() for match in BREAK.finditer(text))]
        self.offset, self.limit = 0, len(text)

    def enter(self, lines: Sequence[int], skip: int = 0) -> None:
        """Go on in a block that stands in these lines."""
        self.offset = max(self.offset, self._line_start(lines[0] + skip))
        self.limit = self._line_start(lines[1])

    def _line_start(self, line: int) -> int:
        return self.line_starts[line] if line < len(self.line_starts) else len(self.text)

    def span(self, seen: str, written: str | None = None) -> str:
        """A run of text with its place; without one where it does not stand there as it was written."""
        raw = seen if written is None else written
        start = self.text.find(raw, self.offset, self.limit) if raw else -1
        if start < 0:
            return escape(seen)
        self.offset = start + len(raw)
        end = f' data-to="{self.offset}"' if raw != seen else ""
        return f'<span data-at="{start}"{end}>{escape(seen)}</span>'

    def line(self, seen: str) -> str:
        """A line of code with its place; its indentation may have been written with other blanks."""
        if self.text.find(seen, self.offset, self.limit) >= 0:
            return self.span(seen)
        bare = seen.lstrip()
        return escape(seen[: len(seen) - len(bare)]) + self.span(bare)

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Pass over the pattern's next match, which is not seen."""
        match = pattern.search(self.text, self.offset, self.limit)
        if match:
            self.offset = match.end()


Tokens = Sequence[Token]


class _Renderer(RendererHTML):
    """Renders tokens with their places. Methods without an underscore are markdown-it's rules, named by token type."""

    def render(self, tokens: Tokens, options: OptionsDict, env: EnvType) -> str:
        parts = []
        for index, token in enumerate(tokens):
            if token.map and token.nesting >= 0:
                # A fence's first line is not part of its code.
                env["cursor"].enter(token.map, 1 if token.type == "fence" else 0)
            if token.type == "inline":
                parts.append(self.renderInline(token.children or [], options, env))
            elif token.type in self.rules:
                parts.append(self.rules[token.type](tokens, index, options, env))
            else:
                parts.append(self.renderToken(tokens, index, options, env))
        return "".join(parts)

    def text(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        return str(env["cursor"].span(tokens[idx].content))

    def text_special(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        """An entity or an escaped character."""
        return str(env["cursor"].span(tokens[idx].content, tokens[idx].markup))

    def code_inline(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        return f"<code>{env['cursor'].span(tokens[idx].content)}</code>"

    def code_block(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        lines = tokens[idx].content.removesuffix("\n").split("\n")
        code = "".join(f"{env['cursor'].line(line)}\n" for line in lines)
        return f"<pre><code>{code}</code></pre>\n"

    def fence(self, tokens: Tokens, idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.code_block(tokens, idx, options, env)

    def link_close(self, tokens: Tokens, idx: int, options: OptionsDict, env: EnvType) -> str:
        """The end of a link, whose address is not seen."""
        if tokens[idx].info != "auto":
            env["cursor"].skip(ADDRESS)
        return str(self.renderToken(tokens, idx, options, env))

    def image(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        """A picture as a link: nothing is loaded from elsewhere."""
        env["cursor"].skip(PICTURE)
        return _image_link(str(tokens[idx].attrs.get("src", "")), tokens[idx].content)

    def html_inline(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        """The author's own markup, of which only the text stays."""
        return "".join(_without_markup(tokens[idx].content, env["cursor"]))

    def html_block(self, tokens: Tokens, idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<p>{self.html_inline(tokens, idx, options, env)}</p>"

    def heading_open(self, tokens: Tokens, idx: int, _options: OptionsDict, env: EnvType) -> str:
        """The author's headings go below the page's own, without a gap."""
        return f"<h{env['levels'].enter(int(tokens[idx].tag[1]))}>"

    def heading_close(self, _tokens: Tokens, _idx: int, _options: OptionsDict, env: EnvType) -> str:
        return f"</h{env['levels'].here}>"


def _without_markup(raw: str, cursor: _Cursor) -> Iterator[str]:
    end = 0
    for tag in MARKUP.finditer(raw):
        yield from _lines(raw[end : tag.start()], cursor)
        for address in REMOTE_IMAGE.findall(tag.group()):
            yield _image_link(address, "")
        if tag.group().lower().startswith("<br"):
            yield "<br>"
        cursor.skip(re.compile(re.escape(tag.group().splitlines()[0])))
        end = tag.end()
    yield from _lines(raw[end:], cursor)


def _lines(text: str, cursor: _Cursor) -> Iterator[str]:
    """Each line with its place, without the blanks around it, which collapse to one."""
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare:
            yield cursor.span(unescape(bare), bare)
        if line != bare:
            yield " "


def _image_link(address: str, text: str) -> str:
    label = f"image: {escape(text)}" if text else "image"
    return f'<a href="{escape(address)}">[{label}]</a>'


_parser = MarkdownIt("commonmark", {"html": True, "linkify": False, "maxNesting": 20}, renderer_cls=_Renderer)
# Without "text_join", entities and escaped characters keep a token of their own.
_parser.enable(["table", "strikethrough"]).disable("text_join")
