"""Renders a frozen text so that every visible character knows its place in the text as it was written.

Runs of text stand in `<span data-at="12">`: characters before them in the raw text, counted as Python counts. Where
what is seen differs from what was written (`&amp;`), `data-to` says where the run ends there, and it can be chosen as a
whole only. Nothing of the author's own markup gets through, as in `kb.web.markup.mirrored`: pictures become links.
"""

import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Any

import nh3
from django.core.cache import cache
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from kb.web.markup.headings import Levels
from kb.web.markup.mirrored import REMOTE_IMAGE, TAGS
from labeling.models import Snapshot
from labeling.web.comments import Thread, thread_of

# Hosts allow 65,536 characters; what is beyond is not shown, and said to be left out.
MOST_CHARACTERS = 200_000
FOLDABLE_LINES = 12
KEPT_SECONDS = 24 * 3600
# Goes up when texts are rendered in another way, so that nothing old is taken from the cache.
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
    """The snapshot rendered; kept, since neither the text nor its rendering changes."""
    key = f"labeling-frozen:{VERSION}:{snapshot.text_hash}"
    found: Frozen | None = cache.get(key)
    if found is None:
        content = snapshot.content
        found = _render(str(content.get("title", "")), str(content.get("body") or ""))
        found = replace(found, thread=thread_of(content))
        cache.set(key, found, KEPT_SECONDS)
    return found


def _render(title: str, body: str) -> Frozen:
    heading = mark_safe(f'<span data-at="0">{escape(title)}</span>')  # noqa: S308 - escaped
    return Frozen(heading, render_body(body), len(body), max(0, len(body) - MOST_CHARACTERS))


def render_body(body: str) -> SafeString:
    """A body as safe HTML with its places; long code can be folded."""
    shown = body[:MOST_CHARACTERS]
    clean = nh3.clean(
        _parser.render(shown, {"places": _Places(shown)}),
        tags=TAGS | {"span", "h2"},
        attributes={"a": {"href"}, "span": {"data-at", "data-to"}},
        url_schemes={"http", "https"},
        link_rel="noopener nofollow ugc",
    )
    boxed = CODE.sub(_code_box, clean)
    framed = boxed.replace("<table>", '<div class="scroll-x" tabindex="0"><table class="table table-sm">')
    return mark_safe(framed.replace("</table>", "</table></div>"))  # noqa: S308 - nh3 made it safe


def _code_box(found: "re.Match[str]") -> str:
    """Code scrolls by itself, and more than a few lines of it fold."""
    inside = found.group(1)
    lines = inside.count("\n")
    if lines < FOLDABLE_LINES:
        return f'<pre tabindex="0">{inside}</pre>'
    return (
        f'<details class="log" open><summary>Code or log, {lines:,} lines</summary>'
        f'<pre tabindex="0">{inside}</pre></details>'
    )


class _Places:
    """Walks through the raw text beside the tokens, which come in its order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in BREAK.finditer(text))]
        self.at, self.until = 0, len(text)
        self.levels = Levels(below=1)

    def enter(self, lines: Sequence[int], skip: int = 0) -> None:
        """Go on in a block: what is in it is in these lines."""
        first, last = lines[0] + skip, lines[1]
        self.at = max(self.at, self.starts[first] if first < len(self.starts) else len(self.text))
        self.until = self.starts[last] if last < len(self.starts) else len(self.text)

    def span(self, seen: str, written: str | None = None) -> str:
        """A run of text with its place; without one where it is not there as it was written."""
        raw = seen if written is None else written
        start = self.text.find(raw, self.at, self.until) if raw else -1
        if start < 0:
            return escape(seen)
        self.at = start + len(raw)
        until = f' data-to="{self.at}"' if raw != seen else ""
        return f'<span data-at="{start}"{until}>{escape(seen)}</span>'

    def line(self, seen: str) -> str:
        """The same for a line, whose indentation may have been written with other blanks."""
        bare = seen.lstrip()
        if self.text.find(seen, self.at, self.until) >= 0:
            return self.span(seen)
        return escape(seen[: len(seen) - len(bare)]) + self.span(bare)

    def skip(self, pattern: "re.Pattern[str]") -> None:
        """Pass over what is not seen, where it comes next."""
        if found := pattern.search(self.text, self.at, self.until):
            self.at = found.end()


Tokens = Sequence[Token]
Env = MutableMapping[str, Any]


class _Renderer(RendererHTML):
    """Renders tokens with their places; the methods without an underscore are markdown-it's rules, by token type."""

    def render(self, tokens: Tokens, options: OptionsDict, env: Env) -> str:
        """All tokens of a text."""
        parts = []
        for at, token in enumerate(tokens):
            if token.map and token.nesting >= 0:
                env["places"].enter(token.map, 1 if token.type == "fence" else 0)
            if token.type == "inline":
                parts.append(self.renderInline(token.children or [], options, env))
            elif rule := self.rules.get(token.type):
                parts.append(rule(tokens, at, options, env))
            else:
                parts.append(self.renderToken(tokens, at, options, env))
        return "".join(parts)

    def text(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """Plain words."""
        return str(env["places"].span(tokens[idx].content))

    def text_special(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """A character that was written in another way."""
        return str(env["places"].span(tokens[idx].content, tokens[idx].markup))

    def code_inline(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """A few words of code."""
        return f"<code>{env['places'].span(tokens[idx].content)}</code>"

    def code_block(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """Code, line by line."""
        lines = [env["places"].line(line) for line in tokens[idx].content.removesuffix("\n").split("\n")]
        return "<pre><code>" + "".join(f"{line}\n" for line in lines) + "</code></pre>\n"

    def fence(self, tokens: Tokens, idx: int, options: OptionsDict, env: Env) -> str:
        """The same between fences."""
        return self.code_block(tokens, idx, options, env)

    def link_close(self, tokens: Tokens, idx: int, options: OptionsDict, env: Env) -> str:
        """The end of a link, whose address is not seen."""
        if tokens[idx].info != "auto":
            env["places"].skip(ADDRESS)
        return str(self.renderToken(tokens, idx, options, env))

    def image(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """A picture as a link: nothing is loaded from elsewhere."""
        env["places"].skip(PICTURE)
        return _picture(str(tokens[idx].attrs.get("src", "")), tokens[idx].content)

    def html_inline(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """The author's own markup: only its text stays."""
        return "".join(_without_markup(tokens[idx].content, env["places"]))

    def html_block(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """The same for whole lines of it."""
        return f"<p>{''.join(_without_markup(tokens[idx].content, env['places']))}</p>"

    def heading_open(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        """The author's headings stand below the page's own, without a gap."""
        return f"<h{env['places'].levels.enter(int(tokens[idx].tag[1]))}>"

    def heading_close(self, _tokens: Tokens, _idx: int, _options: OptionsDict, env: Env) -> str:
        """The end of one."""
        return f"</h{env['places'].levels.here}>"


def _without_markup(raw: str, places: _Places) -> Iterator[str]:
    at = 0
    for tag in MARKUP.finditer(raw):
        yield from _lines(raw[at : tag.start()], places)
        yield from (_picture(address, "") for address in REMOTE_IMAGE.findall(tag.group()))
        if tag.group().lower().startswith("<br"):
            yield "<br>"
        places.skip(re.compile(re.escape(tag.group().splitlines()[0])))
        at = tag.end()
    yield from _lines(raw[at:], places)


def _lines(text: str, places: _Places) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        yield places.span(unescape(bare), bare) if bare else ""
        yield " " if line != line.strip() else ""


def _picture(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">[image{": " + escape(text) if text else ""}]</a>'


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "linkify": False, "maxNesting": 20}, renderer_cls=_Renderer)
    # Characters written in another way keep a token of their own.
    return parser.enable(["table", "strikethrough"]).disable("text_join")


_parser = _make_parser()
