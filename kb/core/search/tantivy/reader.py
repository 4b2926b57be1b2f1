"""Searches the tantivy index: the best or the first matches, how many there are, and the facets' counts.

A process opens the index at its first search; files are mapped into memory and shared. Threads share one snapshot,
which is taken anew when a commit or another index appears.
"""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tantivy

from kb.core.search.backend import EVERYTHING, EngineUnavailableError, is_known
from kb.core.search.keys import Fields
from kb.core.search.tantivy import folder as folders
from kb.core.search.tantivy.facets import Counts
from kb.core.search.tantivy.failures import failures_told
from kb.core.search.tantivy.folder import ROWS
from kb.core.search.tantivy.orders import Orders
from kb.core.search.tantivy.query import Queries
from kb.core.search.tantivy.schema import fingerprint
from kb.core.search.values import Candidate, Hits, Request

UNREADABLE = "The search index cannot be read"
# From so many documents on, the best ones are looked for and the facets are counted at the same time.
WORTH_HELP = 100_000
HELPERS = 4
# What tells that a file was replaced.
Stamp = tuple[int, int, int]


class Snapshot:
    """The index as it was after one commit."""

    def __init__(
        self, index: tantivy.Index, folder: Path, stamps: tuple[Stamp, Stamp], helpers: ThreadPoolExecutor
    ) -> None:
        self.index, self.folder, self.stamps = index, folder, stamps
        self.searcher = index.searcher()
        queries = Queries(index.schema)
        self._orders = Orders(self.searcher, queries)
        self._helpers = helpers if self.searcher.num_docs >= WORTH_HELP else None
        self._counts = Counts(self.searcher, queries, helpers.map if self._helpers else map)

    def find(self, request: Request) -> Hits:
        """Answer the request."""
        last = request.offset + request.limit
        if self._helpers:
            best = self._helpers.submit(self._orders.first, request, last)
            total, facets = self._counts.of(request)
            hits = best.result()
        else:
            total, facets = self._counts.of(request)
            hits = self._orders.first(request, min(last, total))
        candidates = []
        for pk, score, address in hits[request.offset : last]:
            card = features = b""
            if request.with_cards:
                stored = self.searcher.doc(address)
                card, features = bytes(stored.get_first("card") or b""), bytes(stored.get_first("features") or b"")
            candidates.append(Candidate(pk, score, card, features))
        return Hits(tuple(candidates), total, facets)


class TantivyBackend:
    """Answers from the index in `root`."""

    name = "tantivy"

    def __init__(self, root: Path, keys: Fields) -> None:
        self._root, self._keys = root, keys
        self._fingerprint = fingerprint(keys)
        self._begin()

    def _begin(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()
        self._snapshot: Snapshot | None = None
        self._helpers = ThreadPoolExecutor(HELPERS, "search")

    def find(self, request: Request) -> Hits:
        """Answer a request; raises EngineUnavailableError when the index is missing or damaged."""
        if not is_known(request, self._keys, self._keys.indexed):
            raise ValueError("The request has conditions or facets that no engine knows.")
        snapshot = self._fresh()
        with failures_told(UNREADABLE):
            return snapshot.find(request)

    def supports(self, request: Request) -> bool:
        """All that is known at all."""
        return is_known(request, self._keys, self._keys.indexed)

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each word; removed ones count until their segment is merged."""
        snapshot = self._fresh()
        with failures_told(UNREADABLE):
            return {word: snapshot.searcher.doc_freq(EVERYTHING, word) for word in words}

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words that start so."""
        snapshot = self._fresh()
        with failures_told(UNREADABLE):
            return snapshot.searcher.terms_with_prefix(EVERYTHING, prefix, limit=limit)

    def size(self) -> int:
        """How many documents there are."""
        return self._fresh().searcher.num_docs

    def _fresh(self) -> Snapshot:
        """The index as it is now; two looks at the disk when nothing has changed."""
        if self._process != os.getpid():
            # After a fork the parent's lock may be held by a thread that is not here.
            self._begin()
        known = self._snapshot
        if known and known.stamps == self._stamps(known.folder):
            return known
        with self._lock:
            return self._renewed()

    def _renewed(self) -> Snapshot:
        known = self._snapshot
        for is_last_try in (False, True):
            # A rebuild may delete the folder just after its name was read; the next look finds the new one.
            folder = folders.live(self._root, self._fingerprint)
            stamps = self._stamps(folder)
            if known and known.folder == folder and known.stamps == stamps:
                return known
            try:
                with failures_told(UNREADABLE):
                    if known and known.folder == folder:
                        index = known.index
                    else:
                        index = tantivy.Index.open(str(folder / ROWS))
                        index.config_reader("manual")
                    index.reload()
                    self._snapshot = Snapshot(index, folder, stamps, self._helpers)
                return self._snapshot
            except EngineUnavailableError:
                self._snapshot = known = None
                if is_last_try:
                    raise
        raise AssertionError

    def _stamps(self, folder: Path) -> tuple[Stamp, Stamp]:
        return _stamp(self._root / folders.CURRENT), _stamp(folder / ROWS / "meta.json")


def _stamp(path: Path) -> Stamp:
    try:
        stat = path.stat()
    except OSError:
        return (0, 0, 0)
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
