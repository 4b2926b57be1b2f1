"""Whether the database answers, for searches, which can do without it: the index alone has their results."""

import logging
import math
import threading
import time
from collections.abc import Callable

from django.db import OperationalError, connection

from kb.health.outages import database_is_away

log = logging.getLogger(__name__)

# A process checks again after this time. Searches need nothing else of the database, and are not to wait for it.
LOOK_SECONDS = 2.0
# After this time a running check counts as failed: the connection is neither refused nor answered.
SILENCE_SECONDS = 2.0


class Watch:
    """The database's state as one process knows it. One thread checks; the others use the last result meanwhile."""

    def __init__(self, reached: Callable[[], bool]) -> None:
        self._reached = reached
        self._lock = threading.Lock()
        self._answers, self._until, self._silent_from = True, 0.0, math.inf

    def answers(self, *, anew: bool = False) -> bool:
        """Whether the database answered at the last check; `anew` checks again, however recent that was."""
        now = time.monotonic()
        if (anew or now >= self._until) and self._lock.acquire(blocking=False):
            try:
                self._silent_from = now + SILENCE_SECONDS
                self._note(self._reached())
            finally:
                self._until, self._silent_from = time.monotonic() + LOOK_SECONDS, math.inf
                self._lock.release()
        elif now >= self._silent_from:
            self._note(False)
        return self._answers

    def _note(self, answers: bool) -> None:
        if self._answers and not answers:
            log.warning("The database does not answer; the search index alone answers searches meanwhile.")
        elif answers and not self._answers:
            log.info("The database answers again.")
        self._answers = answers


def reached() -> bool:
    """Whether this thread's connection works or can be reopened."""
    try:
        # Django itself checks a connection once a request; it may have broken since.
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        connection.close_if_health_check_failed()
        connection.ensure_connection()
    except OperationalError as error:
        if not database_is_away(error):
            raise
        return False
    return True


answers = Watch(reached).answers
