"""Whose turn it is: so many at a time, and fairly among visitors. Nothing here knows HTTP.

Earliest virtual deadline first: a request is due when it came, plus a handicap for what its visitor had of late and
asks at the same time, and for how long its kind takes. So a newcomer is ahead of those who have asked a hundred times,
one visitor cannot hold all turns while others wait, a quick page does not wait for slow ones, and, as handicaps are
bounded, nobody is passed over for ever. A visitor has several names, wide ones first (an address, a connection from
there), and a handicap by each.
"""

import asyncio
import heapq
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count

from kb.health.numbers import WAITING

# A second in turns of late is worth so many of waiting, up to a bound; it counts half after the half-life.
HANDICAP, MOST_HANDICAP, HALF_LIFE = 100.0, 5.0, 20.0
# Each further request of the same visitor at the same time is due so much later, up to the same bound.
APART = 0.25
# A second that requests of a kind take is worth so many of waiting, up to the same bound.
SLOWNESS = 20.0
# Visitors and kinds that are remembered; those not seen for longest are forgotten first.
REMEMBERED = 10_000
# Of a kind's name so much is remembered: visitors choose it.
MOST_NAME = 200


class BusyError(Exception):
    """Too many wait already, or the wait was too long."""


@dataclass
class _Visitor:
    """`asking`: requests that wait or have a turn. `seconds`: time in turns, as of `at`."""

    asking: int = 0
    seconds: float = 0.0
    at: float = 0.0

    def handicap(self, now: float) -> float:
        """How many seconds after it came a request is due."""
        return min(MOST_HANDICAP, HANDICAP * self._had(now)) + min(MOST_HANDICAP, APART * self.asking)

    def add(self, seconds: float, now: float) -> None:
        self.seconds, self.at = self._had(now) + seconds, now

    def _had(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / HALF_LIFE)


class _Kinds:
    """How many seconds a turn of each kind took of late; an unknown kind is taken for a quick one."""

    def __init__(self) -> None:
        self._seconds: OrderedDict[str, float] = OrderedDict()

    def handicap(self, kind: str) -> float:
        """How many seconds later a request of this kind is due."""
        return min(MOST_HANDICAP, SLOWNESS * self._seconds.get(kind[:MOST_NAME], 0.0))

    def add(self, kind: str, seconds: float) -> None:
        """A turn is over: it counts a quarter, what was known before the rest."""
        kind = kind[:MOST_NAME]
        before = self._seconds.pop(kind, seconds)
        self._seconds[kind] = before + (seconds - before) / 4
        if len(self._seconds) > REMEMBERED:
            self._seconds.popitem(last=False)


class Turns:
    """`at_once` have a turn at the same time, at most `waiting` wait for one, each for at most `seconds`."""

    def __init__(self, *, at_once: int, waiting: int, seconds: float) -> None:
        self._free = at_once
        self._most = waiting
        self._seconds = seconds
        self._waiting = 0
        self._queue: list[tuple[float, int, asyncio.Future[None]]] = []
        self._visitors: OrderedDict[str, _Visitor] = OrderedDict()
        self._kinds = _Kinds()
        self._order = count()

    def is_crowded(self) -> bool:
        """Does anybody wait?"""
        return self._waiting > 0

    @asynccontextmanager
    async def turn(self, *names: str, kind: str = "") -> AsyncIterator[None]:
        """Wait for a turn and have it. Requests of a `kind` take about as long as each other. Raises BusyError."""
        visitors = [self._visitor(name) for name in names]
        now = time.monotonic()
        due = now + sum(visitor.handicap(now) for visitor in visitors) + self._kinds.handicap(kind)
        for visitor in visitors:
            visitor.asking += 1
        try:
            await self._wait(due)
            began = time.monotonic()
            try:
                yield
            finally:
                now = time.monotonic()
                for visitor in visitors:
                    visitor.add(now - began, now)
                self._kinds.add(kind, now - began)
                self._pass_on()
        finally:
            for visitor in visitors:
                visitor.asking -= 1

    async def _wait(self, due: float) -> None:
        if self._free:
            self._free -= 1
            return
        if self._waiting >= self._most:
            raise BusyError
        mine = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (due, next(self._order), mine))
        self._waiting += 1
        WAITING.inc()
        try:
            await asyncio.wait_for(mine, self._seconds)
        except TimeoutError as error:
            # The turn may come in the moment in which the time is over (Python 3.12); it is taken then.
            if mine.cancelled():
                raise BusyError from error
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._pass_on()
            raise
        finally:
            self._waiting -= 1
            WAITING.dec()

    def _pass_on(self) -> None:
        """A turn is over: the next who still waits has it."""
        while self._queue:
            _, _, following = heapq.heappop(self._queue)
            if not following.done():
                following.set_result(None)
                return
        self._free += 1

    def _visitor(self, name: str) -> _Visitor:
        visitor = self._visitors.pop(name, None) or _Visitor()
        self._visitors[name] = visitor
        if len(self._visitors) > REMEMBERED:
            oldest = next((key for key, one in self._visitors.items() if not one.asking), None)
            if oldest is not None:
                del self._visitors[oldest]
        return visitor
