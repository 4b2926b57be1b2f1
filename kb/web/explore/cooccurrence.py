"""What a fix pattern occurs with, as rows of a template: frameworks, symptoms, causes, other patterns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse

from kb.charts.figures import times, times_range
from kb.charts.given_words import beside_usual
from kb.charts.lift import lift
from kb.charts.samples import is_small, small_note, unless_too_few
from kb.charts.shares import Share
from kb.models import Node
from kb.selectors.fix_patterns import Overlap, PatternFacts
from kb.web.search.links import KEYS_BY_AXIS, node_issues_url

SHOWN_GROUPS = 5


@dataclass(frozen=True)
class FrameworkRow:
    """A framework's issues with the pattern: how many, and their share of those whose fix pattern is known."""

    name: str
    issues: int
    of: int
    share: str
    interval: str
    few: str
    url: str


@dataclass(frozen=True)
class CompanyRow:
    """A category that the pattern goes with, and its depth below other rows."""

    depth: int
    name: str
    url: str
    issues: int
    issues_url: str
    share: str
    interval: str
    lift: str
    lift_interval: str
    says: str
    few: str


@dataclass(frozen=True)
class CompanyTable:
    """What the pattern goes with by one question. Of `of` issues that answer both, `pattern` carry the pattern."""

    key: str
    heading: str
    column: str
    pattern: int
    of: int
    rows: tuple[CompanyRow, ...]
    more: tuple[CompanyRow, ...]


def framework_rows(node: Node, facts: PatternFacts) -> list[FrameworkRow]:
    """The frameworks whose issues carry the pattern, with most issues first and small samples last."""
    rows = []
    for use in sorted(facts.frameworks, key=lambda use: is_small(use.of)):
        share = Share(use.issues, use.of)
        percent, interval = unless_too_few(use.of, share.percent), unless_too_few(use.of, share.range)
        url = node_issues_url(node, framework=use.slug)
        rows.append(FrameworkRow(use.name, use.issues, use.of, percent, interval, share.small, url))
    return rows


def company_tables(node: Node, facts: PatternFacts) -> list[CompanyTable]:
    """Symptoms, causes and companions, each as far as there are any."""
    tables = []
    if facts.symptoms:
        tables.append(_table(node, "symptoms", "Symptoms it fixes", "Symptom", facts.symptoms))
    if facts.causes:
        tables.append(_table(node, "causes", "Causes it answers", "Root cause", facts.causes))
    if facts.companions:
        tables.append(_table(node, "companions", "Patterns in the same issues", "Fix pattern", facts.companions))
    return tables


def _table(node: Node, key: str, heading: str, column: str, overlaps: Sequence[Overlap]) -> CompanyTable:
    rows = tuple(_row(node, overlap, depth) for overlap, depth in _nested(overlaps))
    groups = [place for place, row in enumerate(rows) if row.depth == 0]
    cut = groups[SHOWN_GROUPS] if len(groups) > SHOWN_GROUPS else len(rows)
    return CompanyTable(key, heading, column, overlaps[0].pattern, overlaps[0].of, rows[:cut], rows[cut:])


def _nested(overlaps: Sequence[Overlap]) -> Iterable[tuple[Overlap, int]]:
    """Put finer categories below their group, keeping the order among siblings; each with its depth."""
    present = {overlap.node.id for overlap in overlaps}
    children: dict[int | None, list[Overlap]] = {}
    for overlap in overlaps:
        parent = overlap.node.parent_id
        children.setdefault(parent if parent in present else None, []).append(overlap)

    def below(parent: int | None, depth: int) -> Iterable[tuple[Overlap, int]]:
        for overlap in children.get(parent, ()):
            yield overlap, depth
            yield from below(overlap.node.id, depth + 1)

    return below(None, 0)


def _row(node: Node, overlap: Overlap, depth: int) -> CompanyRow:
    share = Share(overlap.both, overlap.pattern)
    pair_lift = lift(both=overlap.both, one=overlap.pattern, other=overlap.category, of=overlap.of)
    other = overlap.node
    least = min(overlap.pattern, overlap.category)
    # The search takes two fix patterns for either, so no address finds the issues with both.
    issues_url = "" if other.axis == "fix_pattern" else node_issues_url(node, **{KEYS_BY_AXIS[other.axis]: other.code})
    return CompanyRow(
        depth=depth,
        name=other.name,
        url=reverse("node", args=("house", other.axis, other.code)),
        issues=overlap.both,
        issues_url=issues_url,
        share=unless_too_few(overlap.pattern, share.percent),
        interval=unless_too_few(overlap.pattern, share.range),
        lift=unless_too_few(least, times(pair_lift.ratio)),
        lift_interval=unless_too_few(least, times_range(pair_lift.interval)),
        says=beside_usual(pair_lift),
        few=small_note(least),
    )
