"""A host's values as the rows that `kb.services.mirror` and `mirror_details` write, and a list of issues written so."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ingest.hosts import Details, HostClosing, HostComment, HostIssue
from ingest.hosts.closing_words import says_it_closes
from ingest.sync.due_details import want_details
from ingest.sync.selection import Selection, select_issues
from ingest.sync.session import Session
from kb.core.addresses import RepositoryAddress, issue_address
from kb.models import Kind, Repository
from kb.services.mirror import WrittenIssue, write_issues
from kb.services.mirror_details import IssueDetails
from kb.services.recordsets import run

# Which of those said to be closed are issues is looked up last: else Postgres may go through all issues that there are.
NAMED_OR_NAMING = """
SELECT issue_id FROM kb_closingreference WHERE url = ANY (%s)
UNION SELECT id FROM (
    SELECT id, kind FROM kb_issue WHERE repository_id = %s AND ref = ANY (%s) OFFSET 0
) said WHERE kind = 'issue'
"""


def write_page(session: Session, issues: Sequence[HostIssue]) -> tuple[Selection, tuple[WrittenIssue, ...]]:
    """Write issues as their host lists them, and note whose details have to be fetched; within a transaction."""
    mirror, repository = session.mirror, session.mirror.repository
    selection = select_issues(mirror=mirror, issues=issues)
    page = write_issues(repository=repository, rows=[issue_row(repository, issue) for issue in selection.kept])
    touched = {row.ref for row in page.written if row.kind == Kind.PULL_REQUEST}
    pulls = [issue for issue in selection.kept if issue.kind == "pull_request" and issue.ref in touched]
    due = _issues_of_pulls(repository=repository, pulls=pulls)
    due.update(row.id for row in page.written if _has_details(session, row))
    want_details(mirror=mirror, issues=due)
    return selection, page.written


def _has_details(session: Session, row: WrittenIssue) -> bool:
    """Return whether there is more to it than the list told; of a new pull request without comments there is not."""
    is_told = row.kind == Kind.PULL_REQUEST and row.is_new and row.comment_count == 0
    return row.kind in session.detailed_kinds and not is_told


def _issues_of_pulls(*, repository: Repository, pulls: Sequence[HostIssue]) -> set[int]:
    """The ids of issues that name one of these pull requests, or that one of them says it closes.

    A host tells that a pull request changed, not that the issues it has to do with did.
    """
    if not pulls:
        return set()
    address = RepositoryAddress(repository.host, repository.full_name)
    urls = [issue_address(address, pull.ref, is_pull_request=True) for pull in pulls]
    refs: set[str] = set()
    for pull in pulls:
        refs |= says_it_closes(f"{pull.title}\n{pull.body}", repository=repository.full_name)
    return {pk for (pk,) in run(NAMED_OR_NAMING, [urls, repository.pk, sorted(refs)])}


def issue_row(repository: Repository, issue: HostIssue) -> dict[str, Any]:
    """An issue; its address is written in the one form in which we keep addresses."""
    address = RepositoryAddress(repository.host, repository.full_name)
    return {
        "ref": issue.ref,
        "node_id": issue.node_id,
        "url": issue_address(address, issue.ref, is_pull_request=issue.kind == "pull_request"),
        "kind": issue.kind,
        "title": issue.title,
        "body": issue.body,
        "state": issue.state,
        "state_reason": issue.state_reason,
        "author": issue.author,
        "author_association": issue.author_association,
        "opened_at": issue.opened_at,
        "closed_at": issue.closed_at,
        "host_updated_at": issue.updated_at,
        "comment_count": issue.comment_count,
        "reaction_count": issue.reaction_count,
        "host_labels": list(issue.host_labels),
    }


def details_row(issue_id: int, details: Details) -> IssueDetails:
    """What belongs to one issue."""
    return IssueDetails(issue_id, list(map(_as_row, details.comments)), list(map(_as_row, details.closings)))


def _as_row(value: HostComment | HostClosing) -> dict[str, Any]:
    """By name; `asdict` copies each value deeply, which took a fifth of a first reading."""
    return {field.name: getattr(value, field.name) for field in fields(value)}
