"""What mirror and git history know of an issue that somebody begins to describe: its host's facts and its fixes."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from kb.core.frameworks import package_of
from kb.models import Change, State
from kb.selectors.threads import issue_at


@dataclass(frozen=True)
class KnownFix:
    """A pull request or commit that closed the issue. `package`, `first_release`: empty where no history tells."""

    url: str
    merged: dt.date | None
    size: tuple[int, int, int] | None
    package: str = ""
    first_release: str = ""


@dataclass(frozen=True)
class RecordFacts:
    """The host's facts, as far as they are known; `state` is empty where the issue is not mirrored."""

    state: str = ""
    opened: dt.date | None = None
    closed: dt.date | None = None
    comments: int | None = None
    fixes: tuple[KnownFix, ...] = ()


def record_facts(*, url: str) -> RecordFacts:
    """What is known of the issue with this address."""
    issue = issue_at(url=url)
    fixes = {fix.url: fix for fix in _closing_changes(url)}
    if issue is None:
        return RecordFacts(fixes=tuple(fixes.values()))
    for fix in issue.fixes.all():
        size = None if fix.additions is None else (fix.additions, fix.deletions or 0, fix.files_changed or 0)
        fixes.setdefault(fix.url, KnownFix(fix.url, fix.merged_on, size))
    return RecordFacts(
        state=issue.state if issue.state != State.UNKNOWN else "",
        opened=issue.opened_at.date() if issue.opened_at else None,
        closed=issue.closed_at.date() if issue.closed_at else None,
        comments=issue.comment_count,
        fixes=tuple(fixes.values()),
    )


def _closing_changes(url: str) -> Iterator[KnownFix]:
    """What git histories have that says it closes the issue and was not taken back."""
    changes = Change.objects.filter(closes__contains=[url], reverted_by="").select_related("repository")
    for change in changes.order_by("merged_at", "commit"):
        repository = change.repository
        ref = f"pull/{change.pull_number}" if change.pull_number else f"commit/{change.commit}"
        size = None
        if change.additions is not None and change.deletions is not None and change.files is not None:
            size = change.additions, change.deletions, change.files
        yield KnownFix(
            f"https://{repository.host}/{repository.full_name}/{ref}",
            change.merged_at.date(),
            size,
            package_of(repository.full_name),
            next(iter(change.first_releases), ""),
        )
