"""A result as HTML: its title, facts, what to do, passage, labels, and why it stands there.

Not a template: a page has twenty, and as templates they took more than half of the page's time.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from kb.core.search.cards import Card, CardFix
from kb.search import Reason
from kb.web.markup.tags import fix_line, held_by_card, icon, node_tag, suggested_tag, with_code
from kb.web.search.results import ResultRow

register = Library()
LINES = "\n".join
START_WORDS, REASON_WORDS = 32, 10
EXPECTED = '<p class="result-expected">Expected behaviour, not a fault</p>'
SMALL = '<span class="mark-small" title="At most 10 changed lines">small</span>'


@register.simple_tag
def result(row: ResultRow) -> SafeString:
    """The result, with everything escaped that is not ours."""
    parts = (
        _head(row.card),
        f'<p class="meta">{LINES(_facts(row))}</p>',
        EXPECTED if row.is_expected else "",
        _advice(row.card),
        _passage(row),
        _outcome(row),
        _tags(row),
        _why(row.reason) if row.reason.found else "",
        _twins(row.twins),
    )
    return mark_safe(f'<article class="result">{LINES(filter(None, parts))}</article>')  # noqa: S308


def _head(card: Card) -> str:
    return f'<h2 class="result-title"><a href="{escape(card.page)}">{escape(card.title)}</a></h2>'


def _facts(row: ResultRow) -> Iterator[str]:
    card = row.card
    yield f'<span class="meta-name">{escape(card.framework_name)}</span>'
    yield (
        f'<a class="result-original" href="{escape(card.url)}" rel="external noopener" title="The original report">'
        f"{escape(card.name)}{icon('out')}</a>"
    )
    state = "state unknown" if card.state == "unknown" else card.state
    yield f'<span class="state state-{escape(card.state)}">{escape(state)}</span>'
    if card.kind == "pull_request":
        yield '<span class="badge text-bg-warning">pull request</span>'
    if card.opened_at:
        yield f"<span>opened {_day(card.opened_at)}</span>"
    if card.closed_at:
        yield f"<span>closed {_day(card.closed_at)}</span>"
    if card.comments:
        yield f"<span>{card.comments:,} comment{'' if card.comments == 1 else 's'}</span>"
    if not row.outcome.text and not card.fix:
        yield f"<span>{escape(row.outcome.status.lower())}</span>"
    yield from map(held_by_card, card.sources)


def _day(moment: dt.datetime) -> str:
    return f'<time datetime="{moment:%Y-%m-%d}">{moment.day} {moment:%b %Y}</time>'


def _advice(card: Card) -> str:
    """What to do now, of its own record or of the one that answers it."""
    if card.fix_line:
        return fix_line(card.fix_line, f"fix-{card.id}", card.certainty)
    answer = card.answered_by
    if answer is None:
        return ""
    link = f'<a href="{escape(answer.page)}">{escape(answer.title or answer.name)}</a>'
    advice = fix_line(answer.fix_line, f"fix-{card.id}") if answer.fix_line else ""
    return f'<p class="result-answered">Answered by {link}</p>{advice}'


def _passage(row: ResultRow) -> str:
    if row.passage:
        pieces = (f"<mark>{escape(one.text)}</mark>" if one.is_hit else escape(one.text) for one in row.passage)
        return f'<p class="result-passage">{"".join(pieces)}</p>'
    words = row.card.start.split()
    more = " …" if len(words) > START_WORDS else ""
    return f'<p class="result-passage">{escape(" ".join(words[:START_WORDS]))}{more}</p>' if words else ""


def _outcome(row: ResultRow) -> str:
    outcome, card = row.outcome, row.card
    if not outcome.text and not card.fix:
        return ""
    parts = [f'<span class="outcome-status">{escape(outcome.status)}</span>']
    if card.fix:
        parts.append(_fix(card.fix))
        if card.more_fixes:
            parts.append(f'<span class="small">and {card.more_fixes} more</span>')
        if card.fix.small:
            parts.append(SMALL)
    if outcome.text:
        parts.append(f'<span class="outcome-text">{with_code(outcome.text)}</span>')
    return f'<p class="result-outcome outcome-{outcome.kind.value}">{LINES(parts)}</p>'


def _fix(fix: CardFix) -> str:
    name = f"{escape(fix.name)}{icon('out')}"
    return f'<a class="fix-link" href="{escape(fix.url)}" rel="external noopener">{name}</a>'


def _tags(row: ResultRow) -> str:
    tags = chain(map(suggested_tag, row.suggested), map(node_tag, row.tags))
    items = LINES(f"<li>{tag}</li>" for tag in tags)
    return f'<ul class="result-tags" aria-label="Labels">{items}</ul>' if items else ""


def _why(reason: Reason) -> str:
    """Which of the wanted words it has, and where."""
    parts = ['<span class="visually-hidden">Why:</span>']
    if reason.wanted > 1:
        every = "both words" if reason.wanted == 2 else f"all {reason.wanted} words"
        parts.append(f"<span>{every if reason.has_all else f'at least {reason.found} of {reason.wanted} words'}</span>")
    if reason.title:
        parts.append(f"<span>in the title: {_some(reason.title)}</span>")
    if reason.elsewhere:
        parts.append(f"<span>in the text: {_some(reason.elsewhere)}</span>")
    parts += (f"<span>“{escape(one.there)}” for {escape(one.wanted)}</span>" for one in reason.alike)
    return f'<p class="result-why">{LINES(parts)}</p>'


def _some(words: Sequence[str]) -> str:
    return escape(", ".join(words[:REASON_WORDS])) + (" …" if len(words) > REASON_WORDS else "")


def _twins(twins: Sequence[Card]) -> str:
    links = ",\n".join(f'<a href="{escape(twin.page)}">{escape(twin.name)}</a>' for twin in twins)
    return f'<p class="twins">Also reported as {links}</p>' if links else ""
