"""A host's values as the rows that `kb.services.mirror` and `mirror_details` write."""

from dataclasses import asdict
from typing import Any

from ingest.hosts import Details, HostIssue
from kb.core.addresses import RepositoryAddress, issue_address
from kb.models import Repository
from kb.services.mirror_details import IssueDetails


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
    return IssueDetails(
        issue_id, [asdict(comment) for comment in details.comments], [asdict(closing) for closing in details.closings]
    )
