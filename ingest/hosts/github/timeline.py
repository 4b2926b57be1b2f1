"""Comments and closing references of one issue by REST, for those without a token: GraphQL is closed to them.

REST does not say which pull request an issue counts as closing it. What is found here is what says so in words and
was merged, and the commit that closed it; links made in the side bar, and sizes, need a token.
"""

from ingest.hosts import Details, HostClosing, HostComment
from ingest.hosts.closing_words import says_it_closes
from ingest.hosts.errors import MissingError, UnwellError
from ingest.hosts.github.client import Client
from ingest.hosts.payload import MOST_ADDRESS, MOST_TEXT, Payload, objects_in

MOST_PAGES = 100


def read_timeline(client: Client, *, repository: str, ref: str, node_id: str) -> Details:
    """Read what happened below an issue. Raises `MissingError` when the issue is not there, and other `HostError`s."""
    url = f"{client.api_url}/repos/{repository}/issues/{ref}/timeline?per_page=100"
    comments: list[HostComment] = []
    closings: dict[str, HostClosing] = {}
    for _ in range(MOST_PAGES):
        answer = client.get(url)
        if answer.status in (404, 410):
            raise MissingError(f"{ref} is gone")
        if answer.status != 200 or not isinstance(answer.data, list):
            raise UnwellError(f"GitHub answered with status {answer.status}")
        for event in objects_in(answer.data):
            if event.get("event") == "commented":
                comments.append(_comment(event))
            else:
                _follow_closings(event, repository, ref, closings)
        url = answer.next_url
        if not url:
            break
    return Details(node_id, tuple(comments), tuple(closings.values()))


def _follow_closings(event: Payload, repository: str, ref: str, closings: dict[str, HostClosing]) -> None:
    """Add to `closings`, by address, what an event names as closing the issue; reopening takes commits back."""
    match event.get("event"):
        case "cross-referenced":
            closing = _closing_pull(event.part("source").part("issue"), repository, ref)
            if closing is not None:
                closings[closing.url] = closing
        case "closed" if event.get("commit_id"):
            url = f"https://github.com/{repository}/commit/{event.text('commit_id')}"
            closings[url] = HostClosing(url, "commit", "merged", None, None, None, event.moment("created_at"))
        case "reopened":
            for url in [url for url, closing in closings.items() if closing.kind == "commit"]:
                del closings[url]


def _comment(event: Payload) -> HostComment:
    created_at, node_id = event.moment("created_at"), event.text("node_id")
    if created_at is None or not node_id:
        raise UnwellError("a comment has no id or date")
    return HostComment(
        node_id=node_id,
        ref=str(event.get("id") or "")[:20],
        author=event.login("user") if event.get("user") else event.login("actor"),
        author_association=event.text("author_association", most=24),
        body=event.text("body", most=MOST_TEXT),
        created_at=created_at,
        updated_at=event.moment("updated_at") or created_at,
    )


def _closing_pull(issue: Payload, repository: str, ref: str) -> HostClosing | None:
    """A merged pull request whose words say that it closes the issue `ref`."""
    merged_at, url = issue.part("pull_request").moment("merged_at"), issue.text("html_url")
    words = f"{issue.text('title')}\n{issue.text('body')}"
    if merged_at is None or not url or len(url) > MOST_ADDRESS:
        return None
    if ref not in says_it_closes(words, repository=repository):
        return None
    return HostClosing(url, "pull_request", "merged", None, None, None, merged_at)
