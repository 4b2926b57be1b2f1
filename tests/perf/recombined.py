"""Documents of any number for the benchmark of search, without rows in the database: a million take minutes, not hours.

The title of one real issue and the body of another, with labels, dates and fixes of a realistic skew. Each is worked
out from its number alone, so that processes can share the work and two runs index the same.
"""

import datetime as dt
import multiprocessing
import pickle
import random
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing.pool import AsyncResult
from typing import Any

from django.db import connection

from kb.core.search.backend import Prepared
from kb.core.search.tantivy.schema import prepare
from kb.core.search.values import Document
from kb.search.backends.fields import FIELDS
from kb.search.document_builder import received, uncollected
from kb.search.document_rows import COLUMN_FILTERS, FixRow, IssueRow, Rows
from kb.search.documents import make_documents
from kb.search.vocabulary import KnownNode, KnownRepository, Vocabulary
from kb.spawned import begin
from tests.perf.corpus import LABELLED_AXES, SEED, read_texts

PROCESSES = 2
CHUNK, AHEAD = 250, 8
STATES = ("open", "closed", "closed", "closed")
Texts = list[tuple[str, str]]


def documents_up_to(size: int) -> Iterator[list[Document]]:
    """Chunks of the documents 1 to `size`, made by `PROCESSES` processes; few are in memory at once."""
    return _chunks(size, send_documents)


def prepared_up_to(size: int) -> Iterator[list[Prepared]]:
    """The same as tantivy writes them, made ready where they are made, as the indexer does it."""
    return _chunks(size, send_prepared)


def send_documents(start: int, end: int) -> bytes:
    """The documents with these numbers, the last one excluded, for another process."""
    with uncollected():
        return pickle.dumps(make_chunk(start, end), pickle.HIGHEST_PROTOCOL)


def send_prepared(start: int, end: int) -> bytes:
    """The same as tantivy writes them."""
    with uncollected():
        return pickle.dumps([prepare(document, FIELDS) for document in make_chunk(start, end)], pickle.HIGHEST_PROTOCOL)


def make_chunk(start: int, end: int) -> list[Document]:
    """The documents with these numbers, the last one excluded."""
    vocabulary = _vocabulary()
    return make_documents([make_rows(number, _texts(), vocabulary) for number in range(start, end)], vocabulary)


def _chunks(size: int, send: Callable[[int, int], bytes]) -> Iterator[Any]:
    context = multiprocessing.get_context("spawn")
    with context.Pool(PROCESSES, begin, (str(connection.settings_dict["NAME"]),)) as pool:
        running: deque[AsyncResult[bytes]] = deque()
        for start in range(1, size + 1, CHUNK):
            running.append(pool.apply_async(send, (start, min(start + CHUNK, size + 1))))
            if len(running) >= AHEAD * PROCESSES:
                yield received(running.popleft().get())
        while running:
            yield received(running.popleft().get())


_texts = cache(read_texts)
_vocabulary = cache(Vocabulary)


def make_rows(number: int, texts: Texts, vocabulary: Vocabulary) -> Rows:
    """What the database would hold about the issue with this number."""
    chance = random.Random(SEED + number)  # noqa: S311
    repositories = _repositories(vocabulary)
    repository_id, repository = repositories[min(int(chance.expovariate(0.25)), len(repositories) - 1)]
    title, body = chance.choice(texts)[0], chance.choice(texts)[1]
    opened = dt.datetime(2020, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=chance.randrange(2_300))
    state = chance.choice(STATES)
    is_fixed = state == "closed" and chance.random() < 0.4
    size = int(chance.expovariate(0.02))
    kind = "pull_request" if chance.random() < 0.02 else "issue"
    closed = opened + dt.timedelta(days=int(chance.expovariate(0.03))) if state == "closed" else None
    comments, reactions = int(chance.expovariate(0.2)), int(chance.expovariate(0.7))
    summary = f"{title} {body[:300]}" if chance.random() < 0.1 else ""
    filtered: dict[str, object] = {
        "state": state, "kind": kind, "year": opened.year, "opened": opened, "closed": closed, "curated": bool(summary),
        "resolved": False, "has_workaround": False, "comments": comments, "reactions": reactions,
        "days": closed and closed - opened,
    }  # fmt: skip
    issue = IssueRow(
        id=number,
        repository_id=repository_id,
        ref=str(number),
        url=f"https://github.com/{repository.full_name}/issues/{number}",
        kind=kind,
        title=title,
        body=body,
        state=state,
        opened_at=opened,
        closed_at=closed,
        comments=comments,
        reactions=reactions,
        heading="",
        summary=summary,
        fix_line=f"Set `{title[:60]}`." if summary else "",
        recognise=[],
        also_seen=[text[0][:60] for text in chance.sample(texts, 6)] if summary else [],
        resolution="",
        workaround="",
        fixed_version="",
        certainty="",
        public_id="",
        filtered=tuple(map(filtered.get, COLUMN_FILTERS)),
    )
    fix = FixRow(
        url=f"https://github.com/{repository.full_name}/pull/{number}",
        kind="pull_request",
        lines=size,
        files=1 + size // 40,
        small=size <= 10,
        merged_on=None,
    )
    return Rows(issue, repository, tuple(_labels(chance, vocabulary)), (fix,) if is_fixed else ())


def _labels(chance: random.Random, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    source = min(vocabulary.sources)
    for choices in _house_nodes(vocabulary):
        if chance.random() < 0.85:
            yield source, choices[min(int(chance.expovariate(8 / len(choices))), len(choices) - 1)]


@cache
def _repositories(vocabulary: Vocabulary) -> list[tuple[int, KnownRepository]]:
    return sorted(vocabulary.repositories.items())


@cache
def _house_nodes(vocabulary: Vocabulary) -> list[list[int]]:
    """The house codebook's nodes by axis."""
    return [[pk for pk, node in sorted(vocabulary.nodes.items()) if _is_of(axis, node)] for axis in LABELLED_AXES]


def _is_of(axis: str, node: KnownNode) -> bool:
    return node.is_house and node.axis == axis
