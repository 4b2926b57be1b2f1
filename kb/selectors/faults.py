"""The known faults of a package: each with the versions it is in, its symptom and severity.

Which of them an upgrade fixes is in `upgrades`; what a version bound means in `kb.core.setups.known_faults`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from kb.core.setups.known_faults import SEVERITIES, Bound, Row, Severity, combined
from kb.core.upgrades import Outcome
from kb.models import AffectedRange, Issue, Kind, Label
from kb.selectors.affected import row_of
from kb.selectors.codebook import house_rows

NO_SYMPTOM = ("", "Symptom unknown")


@dataclass(frozen=True)
class Fault:
    """A fault with its ranges of one package. `family`: the most severe of its symptoms' families, code and name."""

    issue_id: int
    title: str
    short_name: str
    page: str
    url: str
    family: tuple[str, str]
    severity: Severity
    condition: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class FaultLine:
    """A fault and what becomes of it in a version, or between two; the bounds are those of the range that decides."""

    fault: Fault
    outcome: Outcome

    @property
    def fixed(self) -> Bound | None:
        """The first version without it."""
        return self.outcome.row.fixed if self.outcome.row else None

    @property
    def introduced(self) -> Bound | None:
        """The version where it begins, or was first reported."""
        return self.outcome.row.introduced if self.outcome.row else None

    @property
    def is_sure(self) -> bool:
        """Whether it is certain, not only possible."""
        return self.outcome.is_sure


def surest_first(lines: Iterable[FaultLine]) -> tuple[FaultLine, ...]:
    """By severity, those that are certain before the others."""
    return tuple(sorted(lines, key=lambda line: (line.fault.severity, not line.is_sure)))


def faults_of(package: str) -> tuple[Fault, ...]:
    """The faults with a range of this package, the worst first, then by title."""
    ranges: dict[int, list[AffectedRange]] = {}
    for bounds in (
        AffectedRange.objects.filter(package=package)
        .exclude(issue__kind=Kind.PULL_REQUEST)
        .select_related("issue__repository")
        .defer("issue__body", "issue__search_vector", "issue__label_terms", "issue__summary")
        .order_by("issue", "pk")
    ):
        ranges.setdefault(bounds.issue_id, []).append(bounds)
    families = _families(package) if ranges else {}
    faults = [_fault(several, families.get(issue, NO_SYMPTOM)) for issue, several in ranges.items()]
    return tuple(sorted(faults, key=lambda fault: (fault.severity, fault.title.casefold(), fault.issue_id)))


def _fault(ranges: list[AffectedRange], family: tuple[str, str]) -> Fault:
    issue = ranges[0].issue
    return Fault(
        issue_id=issue.pk,
        title=issue.display_title,
        short_name=issue.short_name,
        page=issue.get_absolute_url(),
        url=issue.url,
        family=family,
        severity=SEVERITIES.get(family[0], Severity.OTHER),
        condition=issue.affects_when,
        rows=combined(row_of(bounds) for bounds in ranges),
    )


def _families(package: str) -> Mapping[int, tuple[str, str]]:
    """By issue the family of its symptoms, the most severe one of several."""
    labels = Label.objects.by_people().filter(
        issue__in=AffectedRange.objects.filter(package=package).values("issue"),
        axis__code="symptom",
        axis__scheme__study=None,
    )
    nodes = {node.id: node for node in house_rows()}
    families: dict[int, list[tuple[str, str]]] = {}
    for issue, pk in labels.order_by("node__position").values_list("issue", "node"):
        node = nodes.get(pk)
        while node is not None and node.parent_id in nodes:
            node = nodes[node.parent_id]
        if node is not None:
            families.setdefault(issue, []).append((node.code, node.name))
    return {issue: most_severe(several) for issue, several in families.items()}


def most_severe(families: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """The family that is worst for who has the fault; the first of equals."""
    return min(families, key=lambda family: SEVERITIES.get(family[0], Severity.OTHER))


def issues_with_ranges(package: str = "") -> QuerySet[Issue]:
    """The issues with a range, of this package if one is given, with all that an export of them reads."""
    ranges = AffectedRange.objects.filter(issue=OuterRef("pk"))
    if package:
        ranges = ranges.filter(package=package)
    related = Issue.objects.select_related("repository").defer("body", "search_vector", "label_terms")
    return (
        Issue.objects.true_issues()
        .filter(Exists(ranges))
        .select_related("repository")
        .defer("body", "search_vector", "label_terms")
        .prefetch_related("affected_ranges", "fixes", Prefetch("related", related))
        .order_by("repository__full_name", "pk")
    )
