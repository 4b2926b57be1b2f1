"""How pages write a version at which a fault begins or ends, and lists of faults that are folded after the first."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template import Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from kb.core.frameworks import package_of
from kb.core.setups.known_faults import BY, Bound
from kb.core.versions import as_version
from kb.exports.upgrades import BEGINNINGS
from kb.models import Issue
from kb.selectors.faults import FaultLine

register = Library()
# So many of a list are shown before a fold.
SHOWN = 10


@dataclass(frozen=True)
class FaultList:
    """Faults of one kind under a heading: fixed, new, open or maybe open, which are all folded."""

    kind: str
    heading: str
    lines: Sequence[FaultLine]
    note: str = ""
    shown: int = SHOWN

    @property
    def first(self) -> Sequence[FaultLine]:
        """Those before the fold."""
        return self.lines[: self.shown]

    @property
    def folded(self) -> Sequence[FaultLine]:
        """The others."""
        return self.lines[self.shown :]


def maybe_open(version: str, lines: Sequence[FaultLine]) -> FaultList:
    """The faults that a version may have."""
    note = (
        "A later version fixes them, or nothing is known of a fix, and nobody has found out since when they are there."
    )
    return FaultList("maybe", f"May be open in {version}", lines, note, shown=0)


@register.simple_tag
def fixed_in(package: str, bound: Bound) -> SafeString:
    """`fixed in 0.15.1, from git`: the release's page, and the proof."""
    return _bound(package, bound, "fixed in", BY.get(bound.by, "not stated"))


@register.simple_tag
def begins_in(package: str, bound: Bound) -> SafeString:
    """`introduced in 0.15.0, from git`, or the words for a beginning that is a bound only."""
    if bound.by in BEGINNINGS:
        return _bound(package, bound, BEGINNINGS[bound.by], "proof" if bound.evidence else "")
    return _bound(package, bound, "introduced in", BY.get(bound.by, "not stated"))


@register.simple_tag
def release_of(issue: Issue) -> str:
    """The first release with an issue's fix; a link to its page, unless it is no version."""
    name, _, text = issue.fixed_version.rpartition(" ")
    version = as_version(text)
    if version is None:
        return issue.fixed_version
    package = name or package_of(issue.repository.full_name)
    return format_html('<a href="{}">{}</a>', reverse("release", args=(package, version)), issue.fixed_version)


def _bound(package: str, bound: Bound, words: str, certainty: str) -> SafeString:
    release = reverse("release", args=(package, bound.version))
    said = format_html('{} <a href="{}">{}</a>', words, release, bound.version)
    if not certainty:
        return said
    if not bound.evidence:
        return format_html("{}, {}", said, certainty)
    return format_html('{}, <a href="{}" rel="external noopener">{}</a>', said, bound.evidence, certainty)
