"""Writes the tantivy index: changes to the one in use, and whole new ones beside it."""

import fcntl
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import tantivy
from tantivy import FieldType, Query

from kb.core.search.backend import EngineUnavailableError, Prepared
from kb.core.search.keys import Fields
from kb.core.search.tantivy import folder as folders
from kb.core.search.tantivy.failures import failures_told
from kb.core.search.tantivy.folder import ROWS, Manifest
from kb.core.search.tantivy.schema import MOST_ID, build_schema, fingerprint, prepare, register
from kb.core.search.values import Document

log = logging.getLogger(__name__)
MEGABYTE = 1_000_000
# tantivy refuses less per thread.
LEAST_MEGABYTES = 15
# Documents of a new index for each commit: every commit makes a segment, and segments are merged again and again.
COMMIT = 20_000
LOCK = "WRITER"
UNWRITABLE = "The search index cannot be written"


class TantivyIndex:
    """The written side: one process at a time, from its first call until `close` or its end."""

    def __init__(self, root: Path, memory_mb: int, keys: Fields) -> None:
        self._root, self._keys = root, keys
        self._memory_mb = max(memory_mb, LEAST_MEGABYTES)
        self._rows: Rows | None = None
        self._build: TantivyBuild | None = None
        self._lock: TextIO | None = None

    def prepare(self, document: Document) -> Prepared:
        """The document as a row of the index, in JSON."""
        return prepare(document, self._keys)

    def apply(self, documents: Iterable[Document], gone: Iterable[int]) -> None:
        """Replace documents and remove ids, all at once or not at all."""
        folder = folders.live(self._root, fingerprint(self._keys))
        self._take_lock()
        if self._rows is None or self._rows.folder != folder:
            self._let_go()
            self._rows = Rows(folder, self._memory_mb, self._keys)
        try:
            self._rows.write(list(documents), gone)
        except EngineUnavailableError:
            # A writer that failed does not recover; the next call opens a new one.
            self._rows = None
            raise

    def build(self, *, fresh: bool = False) -> "TantivyBuild":
        """Go on with the index that was begun; start one from nothing if there is none, or if `fresh`."""
        with failures_told(UNWRITABLE):
            self._root.mkdir(parents=True, exist_ok=True)
        self._take_lock()
        self._stop_building()
        self._build = TantivyBuild(self._root, self._memory_mb, self._keys, fresh=fresh)
        return self._build

    def close(self) -> None:
        """Let another process write."""
        try:
            self._let_go()
        finally:
            self._stop_building()
            if self._lock:
                self._lock.close()
                self._lock = None

    def _let_go(self) -> None:
        rows, self._rows = self._rows, None
        if rows:
            rows.close()

    def _stop_building(self) -> None:
        build, self._build = self._build, None
        if build:
            build.stop()

    def _take_lock(self) -> None:
        if self._lock:
            return
        with failures_told(UNWRITABLE):
            lock = (self._root / LOCK).open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.close()
                raise EngineUnavailableError("Another process is writing the search index.") from error
        self._lock = lock


class Rows:
    """The writer of one folder."""

    def __init__(self, folder: Path, memory_mb: int, keys: Fields, *, is_new: bool = False) -> None:
        self.folder, self._keys = folder, keys
        path = str(folder / ROWS)
        with failures_told(UNWRITABLE):
            self._index = register(tantivy.Index(build_schema(keys), path) if is_new else tantivy.Index.open(path))
            self._index.config_reader("manual")
            self._schema = self._index.schema
            # One thread makes larger segments, and making rows in Python takes longer than indexing them.
            self._writer = self._index.writer(memory_mb * MEGABYTE, 1)

    def write(self, documents: Iterable[Document], gone: Iterable[int]) -> None:
        """Replace documents and remove ids in one commit.

        Raises ValueError when a document has no place in the index; then nothing is written.
        """
        self.put([prepare(document, self._keys) for document in documents], gone)
        self.commit()

    def put(self, rows: Sequence[Prepared], gone: Iterable[int], *, new_from: int = MOST_ID + 1) -> None:
        """Do the same up to the commit. Documents with ids from `new_from` on replace nothing."""
        with failures_told(UNWRITABLE):
            for pk in (*gone, *(pk for pk, _ in rows if pk < new_from)):
                self._writer.delete_documents_by_term("id", pk)
            for _, row in rows:
                self._writer.add_json(row)

    def commit(self) -> None:
        """What was put is in for good."""
        with failures_told(UNWRITABLE):
            self._writer.commit()

    def forget_after(self, last_id: int) -> None:
        """Remove every document with a greater id."""
        with failures_told(UNWRITABLE):
            beyond = Query.range_query(self._schema, "id", FieldType.Integer, last_id + 1, MOST_ID)
            self._writer.delete_documents_by_query(beyond)
            self._writer.commit()

    def count(self) -> int:
        """How many documents there are."""
        with failures_told(UNWRITABLE):
            self._index.reload()
            return self._index.searcher().num_docs

    def close(self) -> None:
        """Let merges end; nothing can be written afterwards."""
        with failures_told(UNWRITABLE):
            self._writer.wait_merging_threads()

    def drop(self) -> None:
        """Let another writer have the folder; what was not committed is lost."""
        del self._writer


class TantivyBuild:
    """An index under construction."""

    def __init__(self, root: Path, memory_mb: int, keys: Fields, *, fresh: bool) -> None:
        self._root = root
        begun = None if fresh else _go_on(root, memory_mb, keys)
        self._rows, self._manifest = begun or _begin(root, memory_mb, keys)
        self.last_id = self._highest = self._manifest.last_id
        self._waiting = 0
        self._is_open = True

    def add(self, documents: Iterable[Prepared], last_id: int) -> None:
        """Add documents; a document that is in already is replaced."""
        batch = list(documents)
        with self._or_given_up():
            self._rows.put(batch, (), new_from=self._highest + 1)
        self._highest = max([self._highest, *(pk for pk, _ in batch)])
        self.last_id = max(self.last_id, last_id)
        self._waiting += len(batch)
        if self._waiting >= COMMIT:
            self._save()

    def size(self) -> int:
        """How many documents it holds."""
        self._save()
        return self._rows.count()

    def finish(self) -> None:
        """Put the new index in the place of the one in use."""
        self._save()
        self.stop()
        documents = self._rows.count()
        done = replace(self._manifest, last_id=self.last_id, documents=documents, is_finished=True)
        with failures_told(UNWRITABLE):
            folders.write_manifest(self._rows.folder, done)
            folders.make_live(self._root, self._rows.folder)

    def stop(self) -> None:
        """Write nothing more; what was added stays and can be gone on with."""
        if not self._is_open:
            return
        # What cannot be saved is made again by whoever goes on.
        with suppress(EngineUnavailableError):
            self._save()
            self._is_open = False
            self._rows.close()

    def _save(self) -> None:
        """Make what was added last, then say how far it goes: never the other way round."""
        with self._or_given_up():
            self._rows.commit()
            with failures_told(UNWRITABLE):
                folders.write_manifest(self._rows.folder, replace(self._manifest, last_id=self.last_id))
        self._waiting = 0

    @contextmanager
    def _or_given_up(self) -> Iterator[None]:
        """After a failure save nothing more: the next commit succeeds without the documents that the last one lost."""
        try:
            yield
        except EngineUnavailableError:
            self._is_open = False
            self._rows.drop()
            raise


def _go_on(root: Path, memory_mb: int, keys: Fields) -> tuple[Rows, Manifest] | None:
    begun = folders.begun(root, fingerprint(keys))
    if not begun:
        return None
    folder, manifest = begun
    try:
        rows = Rows(folder, memory_mb, keys)
        # The process may have died between a commit and its manifest.
        rows.forget_after(manifest.last_id)
    except EngineUnavailableError as error:
        log.warning("The index that was being built is damaged and is rebuilt: %s", error)
        return None
    return rows, manifest


def _begin(root: Path, memory_mb: int, keys: Fields) -> tuple[Rows, Manifest]:
    with failures_told(UNWRITABLE):
        folders.tidy(root)
        folder, manifest = folders.start(root, fingerprint(keys))
    rows = Rows(folder, memory_mb, keys, is_new=True)
    with failures_told(UNWRITABLE):
        folders.write_manifest(folder, manifest)
    return rows, manifest
