"""Builds the documents of many issues in order of their ids, in this process or in several beside it.

They come as the engine writes them. Nothing is written here: that is `indexing`'s business.
"""

import gc
import logging
import multiprocessing
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import AsyncResult
from time import monotonic
from typing import Any, NamedTuple

from django.db import connection

from kb.core.search.backend import Prepared
from kb.core.search.values import Document
from kb.models import Issue
from kb.search import backends
from kb.search.documents import documents
from kb.spawned import begin

log = logging.getLogger(__name__)

CHUNK = 250
# For fewer issues than this, starting processes takes longer than they save.
WORTH_PROCESSES = 5_000
# Chunks that are under way or wait to be written, per process: memory stays bounded.
AHEAD = 8
TICK_SECONDS = 0.2
# A process that was killed never answers.
LOST_SECONDS = 300


class Chunk(NamedTuple):
    """What was made of some issues, the ids of those that have no place in the index, and the last id of all."""

    made: list[Prepared]
    refused: list[int]
    last_id: int


def built(*, after: int, processes: int, between: Callable[[], None]) -> Iterator[Chunk]:
    """What is made of all issues with a greater id than `after`, chunk by chunk.

    `between` is called while they are made; what it raises ends this.
    """
    if processes < 2 or Issue.objects.filter(pk__gt=after).count() < WORTH_PROCESSES:
        for ids in chunks_of_ids(after):
            yield build_chunk(ids)
            between()
    else:
        yield from _built_beside(after, processes, between)


def chunks_of_ids(after: int) -> Iterator[list[int]]:
    """The ids of all issues in order, read chunk by chunk."""
    while ids := list(Issue.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        yield ids
        after = ids[-1]


def build_chunk(ids: list[int]) -> Chunk:
    """What is made of these issues."""
    with uncollected():
        return Chunk(*prepared(documents(ids)), ids[-1])


def prepared(documents: Iterable[Document]) -> tuple[list[Prepared], list[int]]:
    """The documents as the engine writes them, and the ids of those that have no place in its index."""
    index = backends.index()
    if index is None:
        raise RuntimeError("The engine that the settings choose has no index.")
    made: list[Prepared] = []
    refused: list[int] = []
    for document in documents:
        try:
            made.append(index.prepare(document))
        except ValueError as error:
            log.error("The search index cannot hold the issue with id %s: %s", document.id, error)
            refused.append(document.id)
    return made, refused


def send_chunk(ids: list[int]) -> bytes:
    """What `build_chunk` gives, for another process: taken apart there by `received`, not by the pool's thread."""
    return pickle.dumps(build_chunk(ids), pickle.HIGHEST_PROTOCOL)


def received(sent: bytes) -> Any:
    """What one of our own processes sent."""
    with uncollected():
        return pickle.loads(sent)  # noqa: S301


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: a chunk of documents leaves none, and looking takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _built_beside(after: int, processes: int, between: Callable[[], None]) -> Iterator[Chunk]:
    # Spawned, not forked: a copy of this process would hold its connections and the engine's locks.
    context = multiprocessing.get_context("spawn")
    # Leaving the block ends the processes at once; what they were at is not lost, since nobody has counted it yet.
    with context.Pool(processes, begin, (str(connection.settings_dict["NAME"]),)) as pool:
        running: deque[AsyncResult[bytes]] = deque()
        for ids in chunks_of_ids(after):
            running.append(pool.apply_async(send_chunk, (ids,)))
            if len(running) >= AHEAD * processes:
                yield _wait_for(running.popleft(), between)
        while running:
            yield _wait_for(running.popleft(), between)


def _wait_for(result: "AsyncResult[bytes]", between: Callable[[], None]) -> Chunk:
    until = monotonic() + LOST_SECONDS
    between()
    while monotonic() < until:
        try:
            chunk: Chunk = received(result.get(TICK_SECONDS))
        except multiprocessing.TimeoutError:
            between()
        else:
            return chunk
    raise RuntimeError("A process that makes documents has not answered for minutes.")
