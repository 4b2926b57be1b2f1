"""Writing issues' curated text and fixes. Mirrored fields are written by imports (`bulk`), labels by `labels`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from kb.models import Fix, Issue, Kind, State
from kb.services.rows import Changes, sync_rows

# What only the host knows for certain: a record fills these where nothing was mirrored yet.
HOST_FACTS = ("state", "opened_at", "closed_at", "comment_count")
NOT_SAID = (None, State.UNKNOWN)


@transaction.atomic
def save_curated_issues(*, wanted: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Issue], Changes]:
    """Create or update issues by URL with their curated text; what is mirrored or known wins over a record's silence.

    `wanted`: URL -> field values (with `repository`, `ref`, where the issue may be new). An issue that is known by
    another address, such as its repository's old name, keeps that address. Returns the issues by the given URLs.
    """
    existing = _known_issues(wanted)
    url_of = {issue.pk: url for url, issue in existing.items()}
    values = {url: _beside_what_is_known(existing.get(url), dict(fields)) for url, fields in wanted.items()}
    sync = sync_rows(
        existing=existing.values(),
        key=lambda issue: url_of[issue.pk],
        wanted=values,
        create=lambda fields: Issue(**fields),
    )
    return sync.rows, sync.changes


def _known_issues(wanted: Mapping[str, Mapping[str, Any]]) -> dict[str, Issue]:
    """The issues that exist, by the URL that asks for them: found by address, else by repository and number."""
    issues = Issue.objects.select_related("repository")
    found = {issue.url: issue for issue in issues.filter(url__in=wanted)}
    numbers = {
        (fields["repository"].pk, fields["ref"]): url
        for url, fields in wanted.items()
        if url not in found and "ref" in fields
    }
    same_ref = issues.filter(repository__in={pk for pk, _ in numbers}, ref__in={ref for _, ref in numbers})
    by_number = {numbers.get((issue.repository_id, issue.ref)): issue for issue in same_ref}
    taken = {issue.pk for issue in found.values()}
    return found | {url: issue for url, issue in by_number.items() if url and issue.pk not in taken}


def _beside_what_is_known(issue: Issue | None, fields: dict[str, Any]) -> dict[str, Any]:
    """The values to write: host facts only where the host has not spoken, and never a pull request made an issue."""
    if issue is None:
        return fields
    kept = {name: value for name, value in fields.items() if name not in ("url", "repository", "ref")}
    if issue.kind == Kind.PULL_REQUEST:
        kept.pop("kind", None)
    if issue.host_updated_at is not None:
        return {name: value for name, value in kept.items() if name not in HOST_FACTS}
    return kept | _filled_up(issue, {name: kept[name] for name in HOST_FACTS if name in kept})


def _filled_up(issue: Issue, said: dict[str, Any]) -> dict[str, Any]:
    """A record's host facts; what it does not say stays as it is known, as long as the whole makes sense."""
    both = {name: _surer(getattr(issue, name), value) for name, value in said.items()}
    opened, closed = both.get("opened_at"), both.get("closed_at")
    is_odd = closed and (both.get("state") == State.OPEN or (opened and closed < opened))
    return said if is_odd else both


def _surer(known: Any, said: Any) -> Any:
    """What is known, where the record says nothing or names only the day of a known moment."""
    same_day = isinstance(known, dt.datetime) and isinstance(said, dt.datetime) and known.date() == said.date()
    return known if said in NOT_SAID or same_day else said


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


def replace_related(*, issue: Issue, related: Sequence[Issue]) -> None:
    """Make the issue's relatives exactly these, both ways."""
    issue.related.set(related)


def at_midnight(day: dt.date | None) -> dt.datetime | None:
    """A date as the start of that day in UTC; records know days, hosts know seconds."""
    return dt.datetime.combine(day, dt.time(), dt.UTC) if day else None
