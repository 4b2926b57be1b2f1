"""Comments and closing references of many issues at once, by GraphQL; without a token, issue by issue.

A query that is too large for GitHub is asked again in halves; the size recovers slowly.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ingest.hosts import Batch, Details, HostClosing, HostComment
from ingest.hosts.asking.batches import read_each
from ingest.hosts.errors import TooMuchError
from ingest.hosts.github import queries
from ingest.hosts.github.client import Client
from ingest.hosts.github.nodes import CLOSING_REFERENCES, closings_of, comments_of, next_cursor, nodes_by_id, pulls_of
from ingest.hosts.github.timeline import read_timeline
from ingest.hosts.payload import Payload, UnreadableError

MOST_IDS, FIRST_IDS, FEWEST_IDS = 100, 50, 1
# After so many good answers in a row the size doubles again.
GOOD_IN_A_ROW = 3
MOST_THREADS = 10
# GitHub's "Resource limits": the answer comes, but what was too much in it is null.
OUT_OF_RESOURCES = "RESOURCE_LIMITS_EXCEEDED"

T = TypeVar("T")


class DetailsReader:
    """Remembers how large a query GitHub takes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._size = FIRST_IDS
        self._good = 0
        self._knows_closings = True

    def read(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Details]:
        """Read the details of issues, given as (node id, ref)."""
        if not self._client.may_query:
            return read_each(
                issues,
                lambda node_id, ref: read_timeline(self._client, repository=repository, ref=ref, node_id=node_id),
            )
        batch: Batch[Details] = Batch()
        waiting = [node_id for node_id, _ in issues]
        while waiting:
            node_ids = waiting[: self._size]
            try:
                batch |= self._query(node_ids)
            except TooMuchError:
                if len(node_ids) <= FEWEST_IDS:
                    batch |= Batch(failed={waiting.pop(0): "too large for GitHub"})
                self._size, self._good = max(FEWEST_IDS, min(self._size, len(node_ids)) // 2), 0
                continue
            waiting = waiting[len(node_ids) :]
            self._good += 1
            if self._good >= GOOD_IN_A_ROW and self._size < MOST_IDS:
                self._size, self._good = min(MOST_IDS, self._size * 2), 0
        return batch

    def _query(self, node_ids: Sequence[str]) -> Batch[Details]:
        query = queries.DETAILS if self._knows_closings else queries.DETAILS_OF_OLD
        answer = self._client.query(query, {"ids": list(node_ids)}, is_divisible=len(node_ids) > FEWEST_IDS)
        if self._knows_closings and _is_unknown_field(answer):
            self._knows_closings = False
            return self._query(node_ids)
        nodes, reasons = nodes_by_id(node_ids, answer)
        if OUT_OF_RESOURCES in reasons.values():
            raise TooMuchError("GitHub ran out of resources for this query")
        vanished = frozenset(node_id for node_id, reason in reasons.items() if reason == "NOT_FOUND")
        failed = {node_id: reason for node_id, reason in reasons.items() if reason != "NOT_FOUND"}
        comments = self._rest(nodes, failed, "comments", queries.more_comments, comments_of)
        closings = self._rest(nodes, failed, CLOSING_REFERENCES, queries.more_closings, pulls_of)
        details: dict[str, Details] = {}
        for node_id, node in nodes.items():
            if node_id in failed:
                continue
            try:
                details[node_id] = _details(node_id, node, comments.get(node_id, []), closings.get(node_id, []))
            except UnreadableError as error:
                failed[node_id] = str(error)
        return Batch(details, vanished, failed)

    def _rest(
        self,
        nodes: Mapping[str, Payload],
        failed: dict[str, str],
        connection: str,
        query: Callable[[int], str],
        read: Callable[[Payload], list[T]],
    ) -> dict[str, list[T]]:
        """What a connection holds beyond its first page, by node id; adds to `failed` where it does not come."""
        cursors = {node_id: next_cursor(node.part(connection)) for node_id, node in nodes.items()}
        waiting = {node_id: cursor for node_id, cursor in cursors.items() if cursor}
        rest: dict[str, list[T]] = {}
        while waiting:
            threads = list(waiting.items())[:MOST_THREADS]
            variables: dict[str, str] = {}
            for k, (node_id, cursor) in enumerate(threads):
                variables |= {f"id{k}": node_id, f"after{k}": cursor}
            data = self._client.query(query(len(threads)), variables).part("data")
            for k, (node_id, cursor) in enumerate(threads):
                node = data.part(f"i{k}")
                page = node.part(connection)
                next_ = next_cursor(page)
                if not isinstance(node.get(connection), dict) or next_ == cursor:
                    failed[node_id] = "the rest did not arrive"
                    del waiting[node_id]
                    continue
                rest.setdefault(node_id, []).extend(read(page))
                waiting[node_id] = next_
                if not next_:
                    del waiting[node_id]
        return rest


def _details(node_id: str, node: Payload, more: Sequence[HostComment], links: Sequence[HostClosing]) -> Details:
    closings = closings_of(node)
    for link in links:
        closings.setdefault(link.url, link)
    comments = {comment.node_id: comment for comment in (*comments_of(node.part("comments")), *more)}
    return Details(node_id, tuple(comments.values()), tuple(closings.values()))


def _is_unknown_field(answer: Payload) -> bool:
    """Return whether GitHub does not know closing references: old Enterprise servers do not."""
    messages = [error.text("message") for error in answer.parts("errors")]
    return not answer.get("data") and any(CLOSING_REFERENCES in message for message in messages)
