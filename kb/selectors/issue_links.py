"""Links to issues that a text names by their addresses: to their pages here where they are known, else to a host."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.models import Issue


@dataclass(frozen=True)
class IssueLink:
    """A link to an issue. `title` is empty where the issue is not known here."""

    name: str
    title: str
    url: str


def issue_links(urls: Iterable[str]) -> dict[str, IssueLink]:
    """A link for each of these addresses."""
    wanted = list(dict.fromkeys(urls))
    fields = ("url", "public_id", "ref", "title", "heading", "repository")
    issues = Issue.objects.filter(url__in=wanted).select_related("repository").only(*fields)
    known = {issue.url: IssueLink(issue.short_name, issue.display_title, issue.get_absolute_url()) for issue in issues}
    return {url: known.get(url) or IssueLink(_short_name(url), "", url) for url in wanted}


def _short_name(url: str) -> str:
    """The repository's name and the issue's number."""
    _owner, name, _issues, ref = url.rstrip("/").split("/")[-4:]
    return f"{name}#{ref}"
