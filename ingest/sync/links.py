"""Which issues a changed pull request may have to do with: a host tells the pull request's change, not the issue's."""

from collections.abc import Sequence

from ingest.closing_words import says_it_closes
from ingest.hosts import HostIssue
from kb.addresses import RepositoryAddress, issue_address
from kb.models import ClosingReference, Issue, Repository


def issues_of_pulls(*, repository: Repository, pulls: Sequence[HostIssue]) -> set[int]:
    """The ids of issues that name one of these pull requests, or that one of them says it closes."""
    if not pulls:
        return set()
    address = RepositoryAddress(repository.host, repository.full_name)
    urls = [issue_address(address, pull.ref, is_pull_request=True) for pull in pulls]
    named = ClosingReference.objects.filter(url__in=urls).values_list("issue_id", flat=True)
    refs = {
        ref for pull in pulls for ref in says_it_closes(f"{pull.title}\n{pull.body}", repository=repository.full_name)
    }
    said = Issue.objects.filter(repository=repository, kind="issue", ref__in=refs).values_list("pk", flat=True)
    return {*named, *said}
