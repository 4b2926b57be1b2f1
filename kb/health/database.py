"""Does the database answer now? Asked by what can do without it: searches, whose results come from the index alone."""

import logging
import math
import threading
import time
from collections.abc import Callable

from django.db import OperationalError, connection

from kb.health.outages import database_is_away

log = logging.getLogger(__name__)

# So long a process trusts its last look: searches ask the database nothing else, and are not to wait for it.
LOOK_SECONDS = 2.0
# A look that takes longer meets silence: nobody refuses the connection, and nobody answers on it.
SILENCE_SECONDS = 2.0


class Watch:
    """What one process knows. One thread looks at a time; the others go by the last look meanwhile."""

    def __init__(self, reached: Callable[[], bool]) -> None:
        self._reached = reached
        self._lock = threading.Lock()
        self._answers, self._until, self._silent_from = True, 0.0, math.inf

    def answers(self, *, anew: bool = False) -> bool:
        """Does it answer, as far as is known? `anew`: whenever the last look was."""
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
    """Is this thread's connection alive, or can it be made anew?"""
    try:
        # By itself Django looks at a connection once in each request; it may have broken since.
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
