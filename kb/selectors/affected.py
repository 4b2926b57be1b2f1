"""All faults whose versions or conditions are known, as `kb.core.setups` judges them; read with four queries."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from kb.core.frameworks import package_of
from kb.core.setups.answers import ConditionError
from kb.core.setups.conditions import compiled
from kb.core.setups.known_faults import SEVERITIES, Bound, Certainty, KnownFault, Row, Severity, combined
from kb.core.versions import as_version
from kb.models import AffectedRange, History, Issue, Label, Source
from kb.selectors.remembered import InProcess

log = logging.getLogger(__name__)

# Code and name.
Family = tuple[str, str]
BOUNDS = ("introduced", "fixed", "last_affected")


class Symptom(NamedTuple):
    """A symptom of an issue; the worst comes first."""

    severity: Severity
    name: str
    family: Family


@dataclass(frozen=True)
class Known:
    """Every fault with a range or a condition; packages of theirs whose repository's git history was not read."""

    faults: tuple[KnownFault, ...]
    without_history: frozenset[str]

    @cached_property
    def by_url(self) -> Mapping[str, KnownFault]:
        """The faults by the address of their report."""
        return {fault.url: fault for fault in self.faults}


def known() -> Known:
    """All that is known; kept by this process until rows change."""
    return KEPT.value()


def _known_faults() -> tuple[KnownFault, ...]:
    rows: dict[int, list[Row]] = defaultdict(list)
    for stored in AffectedRange.objects.order_by("issue", "package", "pk"):
        rows[stored.issue_id].append(row_of(stored))
    has_range = Exists(AffectedRange.objects.filter(issue=OuterRef("pk")))
    issues = (
        Issue.objects.true_issues()
        .filter(has_range | ~Q(affects_when=""), deleted_at=None)
        .select_related("repository")
        .only(
            "url",
            "public_id",
            "ref",
            "title",
            "heading",
            "fix_line",
            "resolution",
            "workaround",
            "affects_when",
            "repository",
        )
        .order_by("pk")
    )
    symptoms = _symptoms()
    return tuple(_fault(issue, rows[issue.pk], symptoms.get(issue.pk, [])) for issue in issues)


def _symptoms() -> dict[int, list[Symptom]]:
    """The symptoms of each issue by trusted labels, with their severity."""
    labels = Label.objects.filter(
        axis__code="symptom",
        axis__scheme__study=None,
        source__kind__in=(Source.Kind.CONSENSUS, Source.Kind.CURATED),
    ).values_list("issue", "node__parent__code", "node__parent__name", "node__code", "node__name")
    symptoms: dict[int, list[Symptom]] = defaultdict(list)
    for issue, parent, parent_name, code, name in labels.order_by("issue", "node__position"):
        family = (parent, parent_name) if parent else (code, name)
        severity = SEVERITIES.get(code, SEVERITIES.get(family[0], Severity.OTHER))
        symptoms[issue].append(Symptom(severity, name, family))
    return symptoms


def _fault(issue: Issue, rows: Iterable[Row], symptoms: list[Symptom]) -> KnownFault:
    worst = min(symptoms, default=Symptom(Severity.OTHER, "", ("", "")))
    return KnownFault(
        url=issue.url,
        page=issue.get_absolute_url(),
        short_name=issue.short_name,
        family=worst.family,
        title=issue.display_title,
        rows=combined(rows),
        condition=_condition(issue),
        severity=worst.severity,
        symptom=worst.name,
        fix_line=issue.fix_line,
        resolution=issue.resolution,
        workaround=issue.workaround,
        package=package_of(issue.repository.full_name),
    )


def _condition(issue: Issue) -> str:
    """The issue's condition; none where it cannot be read, which `check_records` would have refused."""
    try:
        compiled(issue.affects_when or "any")
    except ConditionError as error:
        log.warning("The condition of %s cannot be read: %s", issue.url, error)
        return ""
    return issue.affects_when.strip()


def row_of(stored: AffectedRange) -> Row:
    """A stored range as it is judged; a bound that is no version is not known."""
    bounds = {name: _bound(stored, name) for name in BOUNDS}
    return Row(
        package=stored.package,
        is_of_record=stored.origin == AffectedRange.Origin.RECORD,
        oldest=as_version(stored.introduced_oldest) if stored.introduced_oldest else None,
        reported=tuple(version for text in stored.reported if (version := as_version(text)) is not None),
        **bounds,
    )


def _bound(stored: AffectedRange, name: str) -> Bound | None:
    version = as_version(getattr(stored, name))
    by: Certainty = getattr(stored, f"{name}_by")
    return Bound(version, by, getattr(stored, f"{name}_evidence")) if version is not None else None


def ranges_of(issue: Issue) -> tuple[Row, ...]:
    """The issue's ranges, those of its record and of histories made one."""
    return combined(map(row_of, issue.affected_ranges.order_by("package", "pk")))


def _packages_with_history() -> set[str]:
    return {package_of(name) for name in History.objects.values_list("repository__full_name", flat=True)}


def _known() -> Known:
    faults = _known_faults()
    packages = frozenset(row.package for fault in faults for row in fault.rows)
    return Known(faults, packages - _packages_with_history())


KEPT = InProcess("known-faults", _known)
