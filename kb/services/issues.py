"""Writing issues' curated text and fixes. Mirrored fields are written by imports (`bulk`), labels by `labels`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from kb.models import Fix, Issue
from kb.services.rows import Changes, sync_rows

# What only the host knows for certain: a record fills these where nothing was mirrored yet.
HOST_FACTS = ("state", "opened_at", "closed_at", "comment_count")


@transaction.atomic
def save_curated_issues(*, wanted: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Issue], Changes]:
    """Create or update issues by URL with their curated text; mirrored facts win over a record's.

    `wanted`: URL -> field values (with `repository`, `ref`). Returns the issues by URL.
    """
    existing = {issue.url: issue for issue in Issue.objects.filter(url__in=wanted).select_related("repository")}
    values = {url: _without_host_facts(existing.get(url), dict(fields)) for url, fields in wanted.items()}
    sync = sync_rows(
        existing=existing.values(), key=lambda issue: issue.url, wanted=values, create=lambda fields: Issue(**fields)
    )
    return sync.rows, sync.changes


def _without_host_facts(issue: Issue | None, fields: dict[str, Any]) -> dict[str, Any]:
    if issue is None or issue.host_updated_at is None:
        return fields
    return {name: value for name, value in fields.items() if name not in HOST_FACTS}


@transaction.atomic
def save_fixes(*, wanted: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Fix], Changes]:
    """Create or update fixes by URL. Facts that are not stated (None) leave what is known alone."""
    known = {url: {k: v for k, v in fields.items() if v is not None} for url, fields in wanted.items()}
    sync = sync_rows(
        existing=Fix.objects.filter(url__in=wanted),
        key=lambda fix: fix.url,
        wanted={url: {**fields, "url": url} for url, fields in known.items()},
        create=lambda fields: Fix(**fields),
    )
    return sync.rows, sync.changes


@transaction.atomic
def link_fixes(*, wanted: Mapping[Issue, Sequence[Fix]]) -> None:
    """Make each issue's fixes exactly these."""
    through = Issue.fixes.through
    pairs = {(issue.pk, fix.pk) for issue, fixes in wanted.items() for fix in fixes}
    have = {
        (issue_id, fix_id): pk
        for pk, issue_id, fix_id in through.objects.filter(issue__in=wanted).values_list("pk", "issue_id", "fix_id")
    }
    through.objects.filter(pk__in=[pk for pair, pk in have.items() if pair not in pairs]).delete()
    through.objects.bulk_create(through(issue_id=i, fix_id=f) for i, f in sorted(pairs - have.keys()))


@transaction.atomic
def link_related(*, wanted: Mapping[Issue, Sequence[Issue]]) -> None:
    """Add these relatives, both ways; nothing is removed."""
    through = Issue.related.through
    pairs = {(a.pk, b.pk) for a, others in wanted.items() for b in others if a.pk != b.pk}
    both = pairs | {(b, a) for a, b in pairs}
    through.objects.bulk_create(
        (through(from_issue_id=a, to_issue_id=b) for a, b in sorted(both)), ignore_conflicts=True
    )


def at_midnight(day: dt.date | None) -> dt.datetime | None:
    """A date as the start of that day in UTC; records know days, hosts know seconds."""
    return dt.datetime.combine(day, dt.time(), dt.UTC) if day else None
