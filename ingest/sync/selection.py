"""Which of the issues that a host lists a mirror keeps: all, or those that hold one of its keywords.

What is excluded is counted and listed, so that somebody can say otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.hosts import HostIssue
from ingest.models import LeftOut, Mirror
from ingest.scope.keywords import match
from kb.models import Issue


@dataclass(frozen=True)
class Selection:
    """The issues kept; how many were left out for the first time."""

    kept: tuple[HostIssue, ...]
    newly_left_out: int = 0


def select_issues(*, mirror: Mirror, issues: Sequence[HostIssue]) -> Selection:
    """Sort issues into those kept and those left out, and note the latter; within a transaction.

    An issue stays once it is kept, whatever becomes of its words, and one that somebody asked for is kept.
    """
    if mirror.keywords is None:
        return Selection(tuple(issues))
    refs = [issue.ref for issue in issues]
    held = set(Issue.objects.filter(repository=mirror.repository, ref__in=refs).values_list("ref", flat=True))
    overruled_at = dict(LeftOut.objects.filter(mirror=mirror, ref__in=refs).values_list("ref", "overruled_at"))
    kept: list[HostIssue] = []
    for issue in issues:
        if (
            issue.ref in held
            or overruled_at.get(issue.ref) is not None
            or match(title=issue.title, body=issue.body, labels=issue.host_labels, words=mirror.keywords.words).kept
        ):
            kept.append(issue)
    kept_refs = {issue.ref for issue in kept}
    left_out = [
        LeftOut(
            mirror=mirror, ref=issue.ref, kind=issue.kind, title=issue.title[:1000], host_updated_at=issue.updated_at
        )
        for issue in issues
        if issue.ref not in kept_refs
    ]
    LeftOut.objects.bulk_create(
        left_out,
        update_conflicts=True,
        unique_fields=["mirror", "ref"],
        update_fields=["title", "kind", "host_updated_at"],
    )
    LeftOut.objects.filter(mirror=mirror, ref__in=kept_refs, overruled_at__isnull=True).delete()
    return Selection(tuple(kept), sum(row.ref not in overruled_at for row in left_out))
