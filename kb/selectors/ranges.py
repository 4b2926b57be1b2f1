"""The ranges of versions that hold for issues: of each package the history's, else the record's.

A history's range has the bounds that a record states already (`kb.services.affected`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from kb.models import AffectedRange


def ranges_of(*, issues: Collection[int]) -> dict[int, list[AffectedRange]]:
    """The ranges that hold for these issues, by the issue's id."""
    return holding(AffectedRange.objects.filter(issue__in=issues).order_by("issue_id", "package", "pk"))


def holding(rows: Iterable[AffectedRange]) -> dict[int, list[AffectedRange]]:
    """Those of the rows that hold, by the issue's id."""
    by_package: dict[tuple[int, str], list[AffectedRange]] = defaultdict(list)
    for row in rows:
        by_package[row.issue_id, row.package].append(row)
    ranges: dict[int, list[AffectedRange]] = defaultdict(list)
    for (issue_id, _), alike in by_package.items():
        from_history = [row for row in alike if row.origin == AffectedRange.Origin.HISTORY]
        ranges[issue_id] += from_history or alike
    return dict(ranges)
