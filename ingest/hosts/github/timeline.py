"""Comments and closing references of one issue by REST, for those without a token: GraphQL is closed to them.

REST does not say which pull request an issue counts as closing it. What is found here is what says so in words and
was merged, and the commit that closed it; links made in the side bar, and sizes, need a token.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from ingest.hosts import Details, HostClosing, HostComment
from ingest.hosts.asking.fields import MOST_TEXT, login, moment, text
from ingest.hosts.closing_words import says_it_closes
from ingest.hosts.errors import UnwellError
from ingest.hosts.github.client import Client

Json = Mapping[str, Any]
MOST_PAGES = 100


def read_timeline(client: Client, *, repository: str, ref: str, node_id: str) -> Details | None:
    """Read what happened below an issue; None when the issue is not there (any more). Raises `HostError`s."""
    url = f"{client.api_url}/repos/{repository}/issues/{ref}/timeline?per_page=100"
    comments: list[HostComment] = []
    closings: dict[str, HostClosing] = {}
    for _ in range(MOST_PAGES):
        answer = client.get(url)
        if answer.status in (404, 410):
            return None
        if answer.status != 200 or not isinstance(answer.data, list):
            raise UnwellError(f"GitHub answered with status {answer.status}")
        for event in answer.data:
            if isinstance(event, dict):
                _take(event, repository, ref, comments, closings)
        url = answer.next_url
        if not url:
            break
    return Details(node_id, tuple(comments), tuple(closings.values()))


def _take(
    event: Json, repository: str, ref: str, comments: list[HostComment], closings: dict[str, HostClosing]
) -> None:
    match event.get("event"):
        case "commented":
            comments.append(_comment(event))
        case "cross-referenced":
            issue = (event.get("source") or {}).get("issue") or {}
            if closing := _pull(issue, repository, ref):
                closings[closing.url] = closing
        case "closed" if event.get("commit_id"):
            url = f"https://github.com/{repository}/commit/{text(event['commit_id'])}"
            merged = moment(event.get("created_at"))
            closings[url] = HostClosing(url, "commit", "merged", None, None, None, merged)
        case "reopened":
            for url in [url for url, closing in closings.items() if closing.kind == "commit"]:
                del closings[url]


def _comment(event: Json) -> HostComment:
    created = moment(event.get("created_at"))
    if created is None or not text(event.get("node_id")):
        raise UnwellError("a comment has no id or date")
    return HostComment(
        node_id=text(event.get("node_id")),
        ref=str(event.get("id") or "")[:20],
        author=login(event.get("user") or event.get("actor")),
        author_association=text(event.get("author_association"))[:24],
        body=text(event.get("body"))[:MOST_TEXT],
        created_at=created,
        updated_at=moment(event.get("updated_at")) or created,
    )


def _pull(issue: Json, repository: str, ref: str) -> HostClosing | None:
    pull = issue.get("pull_request")
    merged: dt.datetime | None = moment(pull.get("merged_at")) if isinstance(pull, dict) else None
    words = f"{text(issue.get('title'))}\n{text(issue.get('body'))}"
    url = text(issue.get("html_url"))
    if merged is None or not url or len(url) > 300 or ref not in says_it_closes(words, repository=repository):
        return None
    return HostClosing(url, "pull_request", "merged", None, None, None, merged)
