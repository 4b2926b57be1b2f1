"""Comments and closing references of many issues at once, by GraphQL; without a token, issue by issue.

A question that is too large for GitHub is asked again in halves; the size recovers slowly.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ingest.hosts import Batch, Details, HostClosing, HostComment
from ingest.hosts.asking.fields import UnreadableError, text
from ingest.hosts.errors import TooMuchError, UnwellError
from ingest.hosts.github import queries
from ingest.hosts.github.client import Client
from ingest.hosts.github.nodes import closings_of, comments_of, next_cursor, nodes_by_id, pulls_of
from ingest.hosts.github.timeline import read_timeline

MOST_IDS, FIRST_IDS, FEWEST_IDS = 100, 50, 1
# After so many good answers in a row the size doubles again.
GOOD_IN_A_ROW = 3
MOST_THREADS = 10
# GitHub's "Resource limits": the answer comes, but what was too much in it is null.
OUT_OF_RESOURCES = "RESOURCE_LIMITS_EXCEEDED"

T = TypeVar("T")


class DetailsReader:
    """Remembers how large a question GitHub takes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._size = FIRST_IDS
        self._good = 0
        self._knows_closings = True

    def read(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch:
        """Read the details of issues, given as (node id, ref)."""
        if not self._client.may_query:
            return self._one_by_one(repository, issues)
        found: dict[str, Details] = {}
        vanished: set[str] = set()
        failed: dict[str, str] = {}
        waiting = [node_id for node_id, _ in issues]
        while waiting:
            asked = waiting[: self._size]
            try:
                batch = self._ask(asked)
            except TooMuchError:
                if len(asked) <= FEWEST_IDS:
                    failed[waiting.pop(0)] = "too much for GitHub"
                self._smaller(len(asked))
                continue
            waiting = waiting[len(asked) :]
            self._larger()
            found |= batch.found
            vanished |= batch.vanished
            failed |= batch.failed
        return Batch(found, frozenset(vanished), failed)

    def _smaller(self, asked: int) -> None:
        self._size, self._good = max(FEWEST_IDS, min(self._size, asked) // 2), 0

    def _larger(self) -> None:
        self._good += 1
        if self._good >= GOOD_IN_A_ROW and self._size < MOST_IDS:
            self._size, self._good = min(MOST_IDS, self._size * 2), 0

    def _ask(self, node_ids: Sequence[str]) -> Batch:
        query = queries.DETAILS if self._knows_closings else queries.DETAILS_OF_OLD
        answer = self._client.query(query, {"ids": list(node_ids)}, is_divisible=len(node_ids) > FEWEST_IDS)
        if self._knows_closings and _is_unknown_field(answer):
            self._knows_closings = False
            return self._ask(node_ids)
        nodes, reasons = nodes_by_id(node_ids, answer)
        if OUT_OF_RESOURCES in reasons.values():
            raise TooMuchError("GitHub ran out of what it allots to one question")
        vanished = frozenset(key for key, why in reasons.items() if why == "NOT_FOUND")
        failed = {key: why for key, why in reasons.items() if why != "NOT_FOUND"}
        threads = self._rest(nodes, failed, "comments", queries.more_comments, comments_of)
        links = self._rest(nodes, failed, "closedByPullRequestsReferences", queries.more_closings, pulls_of)
        found: dict[str, Details] = {}
        for node_id, node in nodes.items():
            if node_id in failed:
                continue
            try:
                found[node_id] = _details(node_id, node, threads.get(node_id, []), links.get(node_id, []))
            except UnreadableError as error:
                failed[node_id] = str(error)
        return Batch(found, vanished, failed)

    def _rest(
        self,
        nodes: Mapping[str, Any],
        failed: dict[str, str],
        connection: str,
        question: Callable[[int], str],
        read: Callable[[Any], list[T]],
    ) -> dict[str, list[T]]:
        """What a connection holds beyond its first page, by node id."""
        cursors = {key: next_cursor(node.get(connection) or {}) for key, node in nodes.items()}
        waiting = {key: cursor for key, cursor in cursors.items() if cursor}
        brought: dict[str, list[T]] = {}
        while waiting:
            some = dict(list(waiting.items())[:MOST_THREADS])
            variables = {f"id{k}": key for k, key in enumerate(some)} | {
                f"after{k}": cursor for k, cursor in enumerate(some.values())
            }
            data = self._client.query(question(len(some)), variables).get("data") or {}
            for k, key in enumerate(some):
                part = (data.get(f"i{k}") or {}).get(connection)
                cursor = next_cursor(part) if isinstance(part, dict) else ""
                if not isinstance(part, dict) or cursor == some[key]:
                    failed[key] = "the rest of it did not come"
                    del waiting[key]
                    continue
                brought.setdefault(key, []).extend(read(part))
                if cursor:
                    waiting[key] = cursor
                else:
                    del waiting[key]
        return brought

    def _one_by_one(self, repository: str, issues: Sequence[tuple[str, str]]) -> Batch:
        found: dict[str, Details] = {}
        vanished: set[str] = set()
        failed: dict[str, str] = {}
        for node_id, ref in issues:
            try:
                details = read_timeline(self._client, repository=repository, ref=ref, node_id=node_id)
            except UnwellError as error:
                failed[node_id] = str(error)
                continue
            if details is None:
                vanished.add(node_id)
            else:
                found[node_id] = details
        return Batch(found, frozenset(vanished), failed)


def _details(
    node_id: str, node: Mapping[str, Any], more: Sequence[HostComment], links: Sequence[HostClosing]
) -> Details:
    closings = closings_of(node)
    for link in links:
        closings.setdefault(link.url, link)
    comments = {comment.node_id: comment for comment in (*comments_of(node.get("comments") or {}), *more)}
    return Details(node_id, tuple(comments.values()), tuple(closings.values()))


def _is_unknown_field(answer: Mapping[str, Any]) -> bool:
    """Does GitHub not know closing references? Old Enterprise servers do not."""
    errors = answer.get("errors") or []
    return not answer.get("data") and any(
        "closedByPullRequestsReferences" in text(error.get("message")) for error in errors if isinstance(error, dict)
    )
