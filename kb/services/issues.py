"""Writing issues' curated texts and fixes. Mirrored fields are written by `bulk` and `mirror`, labels by `labels`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from kb.models import Fix, Issue, Kind, State
from kb.models.fixes import FIX_FACTS
from kb.services.rows import Changes, FieldValues, sync_rows

# The host is the authority on these; a record fills them where nothing was mirrored yet.
HOST_FACTS = ("state", "opened_at", "closed_at", "comment_count")
UNSTATED = (None, State.UNKNOWN)


@transaction.atomic
def save_curated_issues(*, wanted: Mapping[str, FieldValues]) -> tuple[dict[str, Issue], Changes]:
    """Create or update issues by URL with their curated text; known facts stay where a record states none.

    `wanted`: field values by URL, with `repository` and `ref` where the issue may be new. An issue that is known by
    another URL, such as one of its repository's old name, keeps that URL. Returns the issues by the given URLs.
    """
    existing = _known_issues(wanted)
    url_of = {issue.pk: url for url, issue in existing.items()}
    values = dict(wanted)
    for url, issue in existing.items():
        values[url] = _changes_of(issue, wanted[url])
    sync = sync_rows(
        existing=existing.values(),
        key=lambda issue: url_of[issue.pk],
        wanted=values,
        create=lambda fields: Issue(**fields),
    )
    return sync.rows, sync.changes


def _known_issues(wanted: Mapping[str, FieldValues]) -> dict[str, Issue]:
    """The existing issues by the wanted URLs: found by URL, else by repository and number."""
    issues = Issue.objects.select_related("repository")
    known = {issue.url: issue for issue in issues.filter(url__in=wanted)}
    taken = {issue.pk for issue in known.values()}
    urls: dict[tuple[int, str], str] = {}
    for url, values in wanted.items():
        if url not in known and "ref" in values:
            urls[values["repository"].pk, values["ref"]] = url
    repositories = {repository for repository, _ in urls}
    for issue in issues.filter(repository__in=repositories, ref__in={ref for _, ref in urls}):
        number = (issue.repository_id, issue.ref)
        if number in urls and issue.pk not in taken:
            known[urls[number]] = issue
    return known


def _changes_of(issue: Issue, values: FieldValues) -> FieldValues:
    """The values to write to a known issue: no pull request becomes an issue, and the host's own facts stay."""
    changes = {name: value for name, value in values.items() if name not in ("url", "repository", "ref")}
    if issue.kind == Kind.PULL_REQUEST:
        changes.pop("kind", None)
    facts = {name: changes.pop(name) for name in HOST_FACTS if name in changes}
    return changes if issue.host_updated_at else {**changes, **_completed(issue, facts)}


def _completed(issue: Issue, facts: FieldValues) -> FieldValues:
    """A record's host facts, completed by the known ones unless the two together are impossible."""
    completed = {name: _more_precise(getattr(issue, name), value) for name, value in facts.items()}
    opened, closed = completed.get("opened_at"), completed.get("closed_at")
    if closed and completed.get("state") == State.OPEN:
        return facts
    return facts if opened and closed and closed < opened else completed


def _more_precise(known: Any, stated: Any) -> Any:
    """The known value where the record states none, or only the day of a known time."""
    if stated in UNSTATED:
        return known
    if isinstance(known, dt.datetime) and isinstance(stated, dt.datetime) and known.date() == stated.date():
        return known
    return stated


@transaction.atomic
def save_fixes(*, wanted: Mapping[str, FieldValues]) -> tuple[dict[str, Fix], Changes]:
    """Create or update fixes by URL. A value of None leaves the known one as it is.

    Day and size of a fix whose history was read stay: those given here are kept beside them, as stated.
    """
    existing = list(Fix.objects.filter(url__in=wanted))
    from_git = {fix.url: fix for fix in existing if fix.commit}
    values: dict[str, FieldValues] = {}
    for url, fields in wanted.items():
        stated = {name: value for name, value in fields.items() if value is not None}
        if url in from_git:
            facts = {name: stated.pop(name) for name in FIX_FACTS if name in stated}
            stated["stated"] = from_git[url].stated | as_stated(facts)
        values[url] = {"url": url, **stated}
    sync = sync_rows(
        existing=existing,
        key=lambda fix: fix.url,
        wanted=values,
        create=lambda fields: Fix(**fields),
    )
    return sync.rows, sync.changes


def as_stated(facts: FieldValues) -> dict[str, str | int]:
    """Day and size of a fix as they are kept beside those from git."""
    return {name: str(value) if isinstance(value, dt.date) else value for name, value in facts.items()}


@transaction.atomic
def link_fixes(*, wanted: Mapping[Issue, Sequence[Fix]]) -> None:
    """Make each issue's fixes exactly these."""
    through = Issue.fixes.through
    pairs: set[tuple[int, int]] = set()
    for issue, fixes in wanted.items():
        pairs.update((issue.pk, fix.pk) for fix in fixes)
    existing = {(link.issue_id, link.fix_id): link.pk for link in through.objects.filter(issue__in=wanted)}
    through.objects.filter(pk__in=[pk for pair, pk in existing.items() if pair not in pairs]).delete()
    through.objects.bulk_create(through(issue_id=i, fix_id=f) for i, f in sorted(pairs - existing.keys()))


@transaction.atomic
def link_related(*, wanted: Mapping[Issue, Sequence[Issue]]) -> None:
    """Add these relatives, both ways; nothing is removed."""
    through = Issue.related.through
    pairs: set[tuple[int, int]] = set()
    for issue, others in wanted.items():
        for other in others:
            if other.pk != issue.pk:
                pairs |= {(issue.pk, other.pk), (other.pk, issue.pk)}
    links = [through(from_issue_id=from_id, to_issue_id=to_id) for from_id, to_id in sorted(pairs)]
    through.objects.bulk_create(links, ignore_conflicts=True)


def replace_related(*, issue: Issue, related: Sequence[Issue]) -> None:
    """Make the issue's relatives exactly these, both ways."""
    issue.related.set(related)


def at_midnight(day: dt.date | None) -> dt.datetime | None:
    """The start of a day in UTC: records have dates, hosts have times."""
    return dt.datetime.combine(day, dt.time(), dt.UTC) if day else None
