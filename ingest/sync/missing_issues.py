"""What became of an issue that its host does not show any more: deleted, moved elsewhere, or there after all.

Asked by its old address, which the host remembers; the row and its labels are kept in each case.
"""

from django.db import transaction
from django.utils import timezone

from ingest.hosts import Deleted, HostIssue, Moved
from ingest.models import Pending, SuggestionMark
from ingest.sync.due_details import want_details
from ingest.sync.rows import issue_row, write_page
from ingest.sync.session import Session
from kb.models import Issue
from kb.services.mirror import follow_move, mark_deleted, mark_moved, write_issues
from kb.services.repositories import resolve_repository


def find_out(session: Session, issue: Issue) -> None:
    """Ask for one issue and write down what became of it. Raises `HostError`s."""
    answer = session.host.look(repository=session.repository.full_name, ref=issue.ref)
    with transaction.atomic():
        match answer:
            case Moved(target):
                Pending.objects.filter(issue=issue).delete()
                _follow(session, issue, target)
                session.run.moved += 1
            case Deleted() | None:
                Pending.objects.filter(issue=issue).delete()
                mark_deleted(issue=issue, found_at=timezone.now())
                session.run.deleted += 1
            case HostIssue():
                _, written = write_page(session, [answer])
                session.run.updated += len(written)


def _follow(session: Session, issue: Issue, target: HostIssue) -> None:
    """Keep the issue under its new address where we know the repository; else note where it went."""
    repository_url = f"https://{session.repository.host}/{target.repository}"
    url = f"{repository_url}/issues/{target.ref}"
    repository = resolve_repository(url=repository_url)
    Pending.objects.filter(issue__repository=repository, issue__ref=target.ref).delete()
    SuggestionMark.objects.filter(issue__repository=repository, issue__ref=target.ref).delete()
    if repository is None or not follow_move(issue=issue, repository=repository, ref=target.ref, url=url):
        mark_moved(issue=issue, url=url)
        return
    write_issues(repository=repository, rows=[issue_row(repository, target)])
    mirror = getattr(repository, "mirror", None)
    if mirror is not None:
        want_details(mirror=mirror, issues=[issue.pk])
