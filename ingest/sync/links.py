"""Which issues a changed pull request may have to do with: a host tells the pull request's change, not the issue's."""

from collections.abc import Sequence

from ingest.hosts import HostIssue
from ingest.hosts.closing_words import says_it_closes
from kb.core.addresses import RepositoryAddress, issue_address
from kb.models import Repository
from kb.services.recordsets import run

# Which of those said to be closed are issues is looked up last: else Postgres may go through all issues that there are.
NAMED_OR_NAMING = """
SELECT issue_id FROM kb_closingreference WHERE url = ANY (%s)
UNION SELECT id FROM (
    SELECT id, kind FROM kb_issue WHERE repository_id = %s AND ref = ANY (%s) OFFSET 0
) said WHERE kind = 'issue'
"""


def issues_of_pulls(*, repository: Repository, pulls: Sequence[HostIssue]) -> set[int]:
    """The ids of issues that name one of these pull requests, or that one of them says it closes."""
    if not pulls:
        return set()
    address = RepositoryAddress(repository.host, repository.full_name)
    urls = [issue_address(address, pull.ref, is_pull_request=True) for pull in pulls]
    refs: set[str] = set()
    for pull in pulls:
        refs |= says_it_closes(f"{pull.title}\n{pull.body}", repository=repository.full_name)
    return {pk for (pk,) in run(NAMED_OR_NAMING, [urls, repository.pk, sorted(refs)])}
