"""Other reports of a record's fault, records that answer a report, and records that look the same and are not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from kb.models import Issue, OtherReport


@dataclass(frozen=True)
class Report:
    """Another report that a record answers; `issue` is None where it is not mirrored."""

    url: str
    name: str
    issue: Issue | None


@dataclass(frozen=True)
class Neighbour:
    """A report with the same symptom and another cause, and how to tell; `issue` is None where it is not known."""

    url: str
    tell: str
    issue: Issue | None


def reports_of(record: Issue) -> tuple[Report, ...]:
    """The other reports that a record answers, in the record's order."""
    reports: Sequence[OtherReport] = list(record.other_reports.all())
    if not reports:
        return ()
    same = reduce(or_, (Q(repository=report.repository_id, ref=report.ref) for report in reports))
    known = {(issue.repository_id, issue.ref): issue for issue in _in_short(Issue.objects.filter(same))}
    return tuple(Report(each.url, str(each), known.get((each.repository_id, each.ref))) for each in reports)


def answers_to(issue: Issue) -> Sequence[Issue]:
    """The records that answer a report besides their own."""
    answering = Issue.objects.filter(
        other_reports__repository=issue.repository_id, other_reports__ref=issue.ref
    ).order_by("other_reports__pk")
    return list(_in_short(answering))


def neighbours_of(record: Issue) -> tuple[Neighbour, ...]:
    """What looks the same as a record's fault and is not."""
    urls = [neighbour["url"] for neighbour in record.neighbours]
    known = {issue.url: issue for issue in _in_short(Issue.objects.filter(url__in=urls))} if urls else {}
    return tuple(Neighbour(each["url"], each["tell"], known.get(each["url"])) for each in record.neighbours)


def is_other_report(record: Issue, ref: str) -> bool:
    """Does the record answer a report of this number, which is not its own?"""
    return ref != record.ref and record.other_reports.filter(ref=ref).exists()


def _in_short(issues: QuerySet[Issue]) -> Iterable[Issue]:
    return issues.select_related("repository").defer("body", "search_vector", "label_terms")
