"""Asking about several issues where a host answers about one at a time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ingest.hosts import Batch
from ingest.hosts.errors import MissingError, UnwellError
from ingest.hosts.payload import UnreadableError

T = TypeVar("T")


def read_each(issues: Sequence[tuple[str, str]], read: Callable[[str, str], T]) -> Batch[T]:
    """Call `read` with each issue's node id and ref.

    An issue is vanished if it raises `MissingError`, failed if `UnwellError` or `UnreadableError`.
    """
    values: dict[str, T] = {}
    vanished: set[str] = set()
    failed: dict[str, str] = {}
    for node_id, ref in issues:
        try:
            values[node_id] = read(node_id, ref)
        except MissingError:
            vanished.add(node_id)
        except (UnwellError, UnreadableError) as error:
            failed[node_id] = str(error)
    return Batch(values, frozenset(vanished), failed)
