"""Which of the issues that a host lists a mirror keeps: all, or those that hold one of its keywords.

What is left out is counted and listed, so that somebody can say otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.hosts import HostIssue
from ingest.models import LeftOut, Mirror
from ingest.scope.keywords import match
from kb.models import Issue


@dataclass(frozen=True)
class Sorted:
    """The issues kept; how many were left out for the first time."""

    kept: tuple[HostIssue, ...]
    newly_left_out: int = 0


def keep_apart(*, mirror: Mirror, issues: Sequence[HostIssue]) -> Sorted:
    """Sort issues into those kept and those left out, and note the latter; within a transaction.

    An issue stays once it is kept, whatever becomes of its words, and one that somebody asked for is kept.
    """
    if mirror.keywords is None:
        return Sorted(tuple(issues))
    refs = [issue.ref for issue in issues]
    known = set(Issue.objects.filter(repository=mirror.repository, ref__in=refs).values_list("ref", flat=True))
    noted = dict(LeftOut.objects.filter(mirror=mirror, ref__in=refs).values_list("ref", "overruled_at"))
    words = mirror.keywords.words
    kept = [
        issue
        for issue in issues
        if issue.ref in known
        or noted.get(issue.ref) is not None
        or match(title=issue.title, body=issue.body, labels=issue.host_labels, words=words).kept
    ]
    names = {issue.ref for issue in kept}
    out = [issue for issue in issues if issue.ref not in names]
    LeftOut.objects.bulk_create(
        [
            LeftOut(mirror=mirror, ref=i.ref, kind=i.kind, title=i.title[:1000], host_updated_at=i.updated_at)
            for i in out
        ],
        update_conflicts=True,
        unique_fields=["mirror", "ref"],
        update_fields=["title", "kind", "host_updated_at"],
    )
    LeftOut.objects.filter(mirror=mirror, ref__in=names, overruled_at__isnull=True).delete()
    return Sorted(tuple(kept), sum(issue.ref not in noted for issue in out))
