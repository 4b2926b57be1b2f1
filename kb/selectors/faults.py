"""The known faults of a package, as pages and exports of versions read them.

Which of them an upgrade fixes is in `upgrades`; what a version bound means in `kb.core.setups.known_faults`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from kb.core.setups.condition_words import in_words
from kb.core.setups.known_faults import Bound, KnownFault, Row
from kb.core.upgrades import Outcome
from kb.models import AffectedRange, Issue
from kb.selectors.affected import known


@dataclass(frozen=True)
class FaultLine:
    """A fault and what becomes of it in a version, or between two; the bounds are those of the range that decides."""

    fault: KnownFault
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
    def condition(self) -> str:
        """What must be true of a set-up besides, in words."""
        return in_words(self.fault.condition)

    @property
    def is_sure(self) -> bool:
        """Whether it is certain, not only possible."""
        return self.outcome.is_sure


def surest_first(lines: Iterable[FaultLine]) -> tuple[FaultLine, ...]:
    """By severity, those that are certain before the others, then by title."""
    return tuple(sorted(lines, key=lambda line: (line.fault.severity, not line.is_sure, line.fault.title.casefold())))


def faults_of(package: str) -> tuple[KnownFault, ...]:
    """The faults with a range of this package."""
    return tuple(fault for fault in known().faults if package in fault.by_package)


def rows_of(fault: KnownFault, package: str) -> Sequence[Row]:
    """The fault's ranges of this package."""
    return fault.by_package[package].rows


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
