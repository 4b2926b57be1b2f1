"""Asking a host's next question while the answer to the last one is written.

What came is kept in Valkey before more is asked for: a run that is killed then repeats one question at most, for the
next run finds the other one's answer instead of asking again. Without Valkey nothing is asked ahead. At no time are
there two questions on their way.
"""

import datetime as dt
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

import orjson
import redis
from django.db import connections
from pydantic import TypeAdapter, ValidationError

from ingest.hosts.connections import shared_memory
from ingest.models import SyncRun
from ingest.sync.due_details import database_now
from ingest.sync.session import OutOfTimeError, Session

# What is older is asked for again: a run that goes on begins within minutes.
KEPT_SECONDS = 600
MOST_KEPT_BYTES = 16 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """An answer, and when it was asked for by the database's clock."""

    question: str
    answer: T
    asked_at: dt.datetime


class Ahead(Generic[T]):
    """Asks one kind of question of one mirror's host. To be used as a context, whose end waits for what is asked."""

    def __init__(self, session: Session, kind: type[T]) -> None:
        self._kind = TypeAdapter(Heard[kind])  # type: ignore[valid-type]
        self._name, self._run = kind.__name__, session.run
        self._memory = shared_memory()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="asking-ahead")
        self._last: Heard[T] | None = None
        self._next: tuple[str, Future[Heard[T]]] | None = None
        self._is_first = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.submit(connections.close_all)
        self._thread.shutdown()
        if error is None:
            with suppress(redis.RedisError):
                self._memory.delete(self._key(self._run))
        elif isinstance(error, OutOfTimeError) and self._next is not None and not self._next[1].exception():
            # Time is looked at when everything heard before is written.
            self._last = self._next[1].result()
            self._keep()

    def ask(self, question: str, put: Callable[[], T]) -> Heard[T]:
        """The answer to a question: asked ahead, kept by a run that was killed, or asked for now by `put`."""
        ahead, self._next = self._next, None
        if ahead is not None:
            ahead_question, future = ahead
            answer = future.result()
            if ahead_question == question:
                self._last = answer
                return answer
        # Only where a killed run stopped is its last answer good; further on it would be an old one.
        heard = self._kept(question) if self._is_first else None
        self._is_first = False
        if heard is None:
            asked_at = database_now()
            heard = Heard(question, put(), asked_at)
        self._last = heard
        return heard

    def ask_ahead(self, question: str, put: Callable[[], T]) -> None:
        """Put the question that comes next, once the last answer is kept; by then it need not be written."""
        if self._keep():
            asked_at = database_now()
            self._next = question, self._thread.submit(lambda: Heard(question, put(), asked_at))

    def _key(self, run: SyncRun) -> str:
        # By its moment: a number may come again, where a database was made anew.
        return f"faultbook:heard:{run.mirror_id}:{run.started_at.timestamp()}:{self._name}"

    def _keep(self) -> bool:
        if self._last is None:
            return False
        text = orjson.dumps(self._last, default=list)
        if len(text) > MOST_KEPT_BYTES:
            return False
        try:
            self._memory.set(self._key(self._run), text, ex=KEPT_SECONDS)
        except redis.RedisError:
            return False
        return True

    def _kept(self, question: str) -> Heard[T] | None:
        """The answer to this question that the run just before this one had no time to write."""
        before = SyncRun.objects.filter(mirror=self._run.mirror_id).exclude(pk=self._run.pk).order_by("-pk").first()
        if before is None:
            return None
        with suppress(redis.RedisError, ValidationError):
            # Taken away: a list that is read once more in this run is to be read anew.
            text = self._memory.getdel(self._key(before))
            heard: Heard[T] | None = self._kind.validate_json(text) if text else None
            return heard if heard and heard.question == question else None
        return None
