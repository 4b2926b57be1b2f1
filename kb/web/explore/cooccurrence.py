"""What a fix pattern goes with, as rows that a template can print: frameworks, symptoms, causes, other patterns."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from kb.charts.figures import few_note, percent, percent_range, times, times_range
from kb.charts.given_words import beside_usual
from kb.charts.intervals import wilson
from kb.charts.lift import lift
from kb.models import Node
from kb.selectors.codebook import NodeRow
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
    """A category that the pattern goes with, and how deep it stands below another row."""

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


def framework_rows(node: Node, facts: PatternFacts) -> tuple[FrameworkRow, ...]:
    """The frameworks whose issues carry the pattern, with most issues first."""
    return tuple(
        FrameworkRow(
            name=use.name,
            issues=use.issues,
            of=use.of,
            share=percent(use.issues / use.of),
            interval=percent_range(wilson(use.issues, use.of)),
            few=few_note(use.of),
            url=node_issues_url(node, framework=use.slug),
        )
        for use in facts.frameworks
    )


def company_tables(node: Node, facts: PatternFacts) -> tuple[CompanyTable, ...]:
    """Symptoms, causes and companions, each as far as there are any."""
    tables = (
        ("symptoms", "Symptoms it ends", "Symptom", facts.symptoms),
        ("causes", "Causes it answers", "Root cause", facts.causes),
        ("companions", "Patterns in the same issues", "Fix pattern", facts.companions),
    )
    return tuple(_table(node, *table) for table in tables if table[-1])


def _table(node: Node, key: str, heading: str, column: str, overlaps: Iterable[Overlap]) -> CompanyTable:
    found = list(overlaps)
    nested = list(_nested(found))
    rows = tuple(_row(node, overlap, depth) for overlap, depth in nested)
    groups = [place for place, (_, depth) in enumerate(nested) if depth == 0]
    cut = groups[SHOWN_GROUPS] if len(groups) > SHOWN_GROUPS else len(rows)
    return CompanyTable(key, heading, column, found[0].pattern, found[0].of, rows[:cut], rows[cut:])


def _nested(overlaps: list[Overlap]) -> Iterable[tuple[Overlap, int]]:
    """Put finer categories below their group, keeping the order among siblings."""
    present = {overlap.node.id for overlap in overlaps}

    def below(parent: int | None, depth: int) -> Iterable[tuple[Overlap, int]]:
        for overlap in overlaps:
            if (overlap.node.parent_id if overlap.node.parent_id in present else None) == parent:
                yield overlap, depth
                yield from below(overlap.node.id, depth + 1)

    return below(None, 0)


def _row(node: Node, overlap: Overlap, depth: int) -> CompanyRow:
    counted = lift(both=overlap.both, one=overlap.pattern, other=overlap.category, of=overlap.of)
    return CompanyRow(
        depth=depth,
        name=overlap.node.name,
        url=reverse("node", args=("house", overlap.node.axis, overlap.node.code)),
        issues=overlap.both,
        issues_url=_both_url(node, overlap.node),
        share=percent(overlap.both / overlap.pattern),
        interval=percent_range(wilson(overlap.both, overlap.pattern)),
        lift=times(counted.ratio),
        lift_interval=times_range(counted.interval),
        says=beside_usual(counted),
        few=few_note(min(overlap.pattern, overlap.category)),
    )


def _both_url(node: Node, row: NodeRow) -> str:
    """The issues with both; none for two fix patterns, which the search takes for either."""
    key = KEYS_BY_AXIS[row.axis]
    return "" if row.axis == "fix_pattern" else node_issues_url(node, **{key: row.code})
