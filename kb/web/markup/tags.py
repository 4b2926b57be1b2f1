"""Template tags for marks that a page repeats by the hundred: icons, nodes, sources.

As included templates they took most of a list page's time.
"""

import re
from functools import cache, lru_cache
from html import escape
from typing import Protocol

from django.template import Library
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from kb.charts.figures import chance, decimal, decimal_range, percent
from kb.core.advice import literal
from kb.http.request_ids import current
from kb.models import READ_BY, Source
from kb.search import CardSource

register = Library()
IN_BACKTICKS = re.compile(r"`([^`]+)`")


class NamedAxis(Protocol):
    """The part of an axis that a mark needs."""

    @property
    def code(self) -> str:
        """The axis's code."""


class Bounded(Protocol):
    """An estimate with an interval; the bounds are None where the data have no spread."""

    @property
    def low(self) -> float | None:
        """The lower bound."""

    @property
    def high(self) -> float | None:
        """The upper bound."""


class ShownNode(Protocol):
    """A node, or the part of one that a list reads."""

    @property
    def axis(self) -> NamedAxis:
        """Its axis, which gives it its colour."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def definition(self) -> str:
        """What it means; empty where a list does not read it."""

    def get_absolute_url(self) -> str:
        """Its page."""


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """A small drawing, by the names in `components/icon.html`."""
    return render_to_string("components/icon.html", {"name": name})


@register.simple_tag
def copy_button(copies: str, what: str) -> SafeString:
    """Copies the text of the element with the id; `what` names it. Scripts show it: without them it does nothing."""
    return format_html(
        '<button class="btn btn-outline-secondary btn-sm no-print" type="button" data-copies="{}" hidden>{} '
        'Copy<span class="visually-hidden"> {}</span> <span role="status"></span></button>',
        copies,
        icon("copy"),
        what,
    )


@register.simple_tag
def fix_line(sentence: str, id_: str = "", certainty: str = "") -> SafeString:
    """What to do now, with code where it has backticks, and how sure it is.

    With an id, what can be pasted of it has this id and a button that copies it.
    """
    text: str = with_code(sentence)
    pasted = escape(literal(sentence)) if id_ else ""
    button = ""
    if pasted:
        text = text.replace(f"<code>{pasted}</code>", f'<code id="{escape(id_)}">{pasted}</code>', 1)
        button = copy_button(id_, "the fix")
    sure = f'<span class="fix-certainty">{escape(certainty)}</span>' if certainty else ""
    return mark_safe(f'<p class="fix-line"><span>{text}</span>\n{button}\n{sure}</p>')  # noqa: S308 - escaped above


@register.filter
def as_percent(share: float) -> str:
    """A share as a percentage."""
    return percent(share)


@register.filter
def decimals(value: float, digits: int = 2) -> str:
    """A number with so many digits behind the point."""
    return decimal(value, digits)


@register.filter
def bounds(value: Bounded, digits: int = 2) -> str:
    """The interval of an estimate."""
    return decimal_range(value.low, value.high, digits)


@register.filter
def chance_words(probability: float) -> str:
    """A chance as a percentage."""
    return chance(probability)


@register.filter
def with_code(words: str) -> SafeString:
    """A text of ours, escaped, with code where it has backticks."""
    return mark_safe(IN_BACKTICKS.sub(r"<code>\1</code>", escape(words)))  # noqa: S308 - escaped


@register.simple_tag
def node_tag(node: ShownNode) -> SafeString:
    """A category as a small tag in its axis's colour, linked to its page."""
    code, url, meaning, name = map(escape, (node.axis.code, node.get_absolute_url(), node.definition, node.name))
    return mark_safe(f'<a class="tag tag-{code}" href="{url}" title="{meaning}">{name}</a>')  # noqa: S308 - escaped


@register.simple_tag
def suggested_tag(node: ShownNode) -> SafeString:
    """A category that rules suggest: as a tag that is marked as unchecked."""
    return format_html(
        '<a class="tag tag-{} tag-suggested" href="{}" title="Suggested by rules: nobody has checked it">'
        '<span class="tag-mark">suggested:</span> {}</a>',
        node.axis.code,
        node.get_absolute_url(),
        node.name,
    )


@register.simple_tag
def held_by(source: Source, confidence: str = "") -> SafeString:
    """The source of a label with its confidence: the label's own if given, else the source's."""
    study = source.study.code if source.study else ""
    return _held(source.kind, source.name, study, confidence or source.confidence)


@register.simple_tag
@lru_cache(1_000)
def held_by_card(source: CardSource) -> SafeString:
    """The source of a label, as the card of a search result has it."""
    return _held(source.kind, source.name, source.study, source.confidence)


@register.simple_tag
def labelled_by() -> SafeString:
    """Who labelled the curated records, with a link to the agreement of the two passes."""
    return format_html(
        '{} <a href="{}">How far the passes agree</a>.', Source.Kind.CURATED.made, reverse("record-agreement")
    )


@register.simple_tag
def read_by(read_twice: object) -> str:
    """Who read a curated record, in brief; `read_twice` is empty where there was one pass."""
    return READ_BY[2 if read_twice else 1]


def _held(kind: str, name: str, study: str, confidence: str) -> SafeString:
    trust = Source.Confidence(confidence).label.lower()
    return format_html(
        '<span class="held held-{}" title="{}: confidence {}">{}'
        '<span class="visually-hidden">, confidence {}</span></span>',
        kind,
        name,
        trust,
        study or Source.Kind(kind).label.lower(),
        trust,
    )


@register.simple_tag
def request_id() -> SafeString | str:
    """What somebody quotes who asks the operator about an error page."""
    return (
        format_html('<p class="small text-body-secondary">Request <code>{}</code></p>', current()) if current() else ""
    )
