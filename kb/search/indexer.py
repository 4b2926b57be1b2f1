"""The process that feeds a host's search index: waits for changes, applies them, rebuilds when it must.

On each host only one runs at a time: it holds a lock on the folder, and others wait for it. What is done to the index
is `indexing`; here is when.
"""

import fcntl
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from django.db import InterfaceError, OperationalError, close_old_connections, connection

from kb.core.search.tantivy.failures import failures_told
from kb.search import backends, hosts
from kb.search.backends import EngineUnavailableError, Index
from kb.search.indexing import (
    ReplacedError,
    apply_changes,
    ask_for_rebuild,
    build_asked_for,
    can_feed,
    reason_to_rebuild,
    rebuild,
)
from kb.services.locks import require_session, try_lock, unlock_all

log = logging.getLogger(__name__)

# A notification comes at once; these are the net below it.
POLL_SECONDS = 1.0
LOOK_SECONDS = 10.0
# Each one is a write, after which no page that was kept counts as new.
BEAT_SECONDS = 20.0
FEED_SECONDS = 0.5
# Between two tries to write an index that cannot be written.
PAUSE_SECONDS = 5.0
# Requests to stop are noticed as often as this.
SLICE_SECONDS = 0.25
# The session of an indexer that was killed ends sooner than this.
ELSEWHERE_SECONDS = 60.0
FOLDER_LOCK = "INDEXER"
LOCK = "faultbook search index"


class StopAskedError(Exception):
    """Somebody asked to stop in the middle of something long."""


class Hold:
    """The right to feed this host's index: a lock on its folder, and one on a connection that also hears of changes."""

    def __init__(self) -> None:
        self._connection = connection.copy()
        self._folder: TextIO | None = None
        self.is_elsewhere = False

    def take(self, *, as_another: bool = False) -> bool:
        """Take it; returns whether it was free.

        If not, `is_elsewhere` says whether an indexer of another folder, a copy, has it. `as_another` makes this folder
        another host's. Raises EngineUnavailableError when there can be no folder.
        """
        is_ours = self._take_folder()
        if is_ours:
            if as_another:
                hosts.renamed()
            with self._connection.cursor() as cursor:
                require_session(cursor)
                is_ours = try_lock(cursor, (LOCK, hosts.own().key))
                self.is_elsewhere = hosts.has_folder() and not is_ours
                if is_ours:
                    cursor.execute("LISTEN kb_search")
        if not is_ours:
            self.release()
        return is_ours

    def _take_folder(self) -> bool:
        if not hosts.has_folder():
            return True
        with failures_told("The search index cannot be written"):
            hosts.root().mkdir(parents=True, exist_ok=True)
            self._folder = (hosts.root() / FOLDER_LOCK).open("w")
            try:
                fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def wait(self, seconds: float) -> bool:
        """Wait until something changes; returns whether it did. Raises OperationalError when the right is lost."""
        raw = self._connection.connection
        if raw is None:
            raise OperationalError("The indexer's connection is closed.")
        with self._connection.wrap_database_errors:
            return any(True for _ in raw.notifies(timeout=seconds, stop_after=1))

    def release(self) -> None:
        """Let others have it."""
        with suppress(OperationalError, InterfaceError):
            if self._connection.connection is not None:
                # The end of a session lets go of its locks too, but a busy server takes a while to see that it ended.
                with self._connection.cursor() as cursor:
                    unlock_all(cursor)
        with suppress(OperationalError, InterfaceError):
            self._connection.close()
        if self._folder:
            self._folder.close()


class Indexer:
    """Feeds the index until it is asked to stop."""

    def __init__(self, *, processes: int = 0, tell: Callable[[], None] = lambda: None) -> None:
        self.is_stopping = False
        self.problem = ""
        self._processes = processes or os.cpu_count() or 1
        self._tell = tell
        self._beaten = self._fed = self._looked = float("-inf")
        self._can_feed = False

    def stop(self) -> None:
        """Ask to stop; safe from a signal handler."""
        self.is_stopping = True

    def run(self) -> None:
        """Feed until asked to stop; a database that goes away is waited for."""
        is_first, elsewhere_since = True, float("inf")
        while not self.is_stopping:
            hold = Hold()
            try:
                if hold.take(as_another=time.monotonic() - elsewhere_since > ELSEWHERE_SECONDS):
                    log.info("Feeding the search index.")
                    self._feed(hold)
                elif is_first:
                    log.info("Another indexer is at work; waiting for it to end.")
                is_first = False
                elsewhere_since = min(elsewhere_since, time.monotonic()) if hold.is_elsewhere else float("inf")
            except EngineUnavailableError as error:
                self._note(str(error))
            except (OperationalError, InterfaceError) as error:
                log.warning("The database does not answer; trying again: %s", str(error).strip())
            finally:
                hold.release()
                close_old_connections()
            self._sleep(POLL_SECONDS)

    def run_once(self) -> bool:
        """Bring the index up to date and end; False when another indexer is at work, which does the same."""
        hold = Hold()
        try:
            if not hold.take():
                return False
            index = backends.index()
            try:
                self.turn(index)
            finally:
                _close(index)
        except EngineUnavailableError as error:
            self._note(str(error))
        finally:
            hold.release()
        return True

    def turn(self, index: Index | None) -> None:
        """Do all there is to do; what stands in the way is noted as the problem, and this goes on."""
        try:
            if index is not None:
                self._rebuild(index)
            while not self.is_stopping and apply_changes(index):
                self._beat()
            self.problem = ""
        except (ReplacedError, StopAskedError):
            return
        except (OperationalError, InterfaceError):
            raise
        except EngineUnavailableError as error:
            self._note(str(error))
        except Exception as error:
            log.exception("The search index cannot be fed.")
            self._note(f"{type(error).__name__}: {error}")
        self._beat(now=bool(self.problem))

    def _note(self, problem: str) -> None:
        if problem != self.problem:
            log.error("The search index cannot be fed: %s", problem)
        self.problem = problem
        self._looked = float("-inf")

    def _feed(self, hold: Hold) -> None:
        index = backends.index()
        self._looked = float("-inf")
        try:
            while not self.is_stopping:
                self.turn(index)
                if self.problem:
                    self._sleep(PAUSE_SECONDS)
                self._wait(hold)
        finally:
            _close(index)

    def _rebuild(self, index: Index) -> None:
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            reason = reason_to_rebuild()
            if reason:
                ask_for_rebuild(reason)
            self._looked = time.monotonic()
        if build_asked_for():
            self._can_feed = can_feed()
            self._beat(now=True)
            rebuild(index, between=lambda: self._between(index), processes=self._processes)
            self._looked = float("-inf")

    def _between(self, index: Index) -> None:
        """What goes on during a rebuild."""
        if self.is_stopping:
            raise StopAskedError
        self._tell()
        self._beat()
        if self._can_feed and time.monotonic() - self._fed >= FEED_SECONDS:
            apply_changes(index)
            self._fed = time.monotonic()

    def _beat(self, *, now: bool = False) -> None:
        """Leave a sign of life."""
        if now or time.monotonic() - self._beaten >= BEAT_SECONDS:
            host = hosts.known()
            if host:
                hosts.leave_sign(host, self.problem)
            self._beaten = time.monotonic()

    def _wait(self, hold: Hold) -> None:
        until = time.monotonic() + POLL_SECONDS
        while not self.is_stopping and time.monotonic() < until:
            if hold.wait(SLICE_SECONDS):
                return

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self.is_stopping and time.monotonic() < until:
            time.sleep(SLICE_SECONDS)


def _close(index: Index | None) -> None:
    if index is not None:
        with suppress(EngineUnavailableError):
            index.close()
