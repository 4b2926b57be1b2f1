"""Whose turn it is: so many at a time, and fairly among visitors. Nothing here knows HTTP.

Earliest virtual deadline first: a request is due when it came, plus a handicap for what its visitor had of late and
asks at the same time, and for how long its kind takes. So a newcomer is ahead of those who have asked a hundred times,
one visitor cannot hold all turns while others wait, a quick page does not wait for slow ones, and, as handicaps are
bounded, nobody is passed over for ever. A visitor has several names, wide ones first (an address, a connection from
there), and a handicap by each.

Kinds that take long have a lane of their own with half of the turns. Each lane takes in what it can serve in time, by
what kinds took of late: of those who are too many, whoever is due last is refused at once.
"""

import asyncio
import heapq
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from kb.health.numbers import WAITING

# A second in turns of late is worth so many of waiting; it counts half after the half-life.
HANDICAP, HALF_LIFE = 100.0, 20.0
# Each further request of the same visitor at the same time is due so much later.
APART = 0.25
# A second that requests of a kind take is worth so many of waiting.
SLOWNESS = 20.0
# All together come near this bound and never reach it, so that whoever had more is always due later.
MOST_HANDICAP = 1.0
# A kind that takes longer, or is not known yet, waits in the lane of slow ones.
SLOW_SECONDS = 0.5
# Whoever has waited so long is not refused any more to let somebody else in.
PROMISED_SECONDS = 0.5
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
        return HANDICAP * self._had(now) + APART * self.asking

    def add(self, seconds: float, now: float) -> None:
        self.seconds, self.at = self._had(now) + seconds, now

    def _had(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / HALF_LIFE)


class _Kinds:
    """How many seconds a turn of each kind took of late."""

    def __init__(self) -> None:
        self._seconds: OrderedDict[str, float] = OrderedDict()

    def expected(self, kinds: Sequence[str]) -> float | None:
        """By the first kind that is known, the narrowest first."""
        known = (self._seconds.get(kind[:MOST_NAME]) for kind in kinds)
        return next((seconds for seconds in known if seconds is not None), None)

    def add(self, kinds: Sequence[str], seconds: float) -> None:
        """A turn is over: it counts a quarter, what was known before the rest."""
        for kind in kinds:
            before = self._seconds.pop(kind[:MOST_NAME], seconds)
            self._seconds[kind[:MOST_NAME]] = before + (seconds - before) / 4
            if len(self._seconds) > REMEMBERED:
                self._seconds.popitem(last=False)


@dataclass
class _Lane:
    """At most `most` of its requests have a turn at the same time; `work`: seconds that all of them will take."""

    most: int
    running: int = 0
    work: float = 0.0
    queue: list["_Request"] = field(default_factory=list)

    def first(self) -> "_Request | None":
        """Who is due first of those who still wait, if one of this lane may run."""
        while self.queue and self.queue[0].turn.done():
            heapq.heappop(self.queue)
        return self.queue[0] if self.queue and self.running < self.most else None


@dataclass(order=True)
class _Request:
    """One that waits or has a turn, which takes as many `seconds` as its kind does."""

    due: float
    order: int
    came: float = field(compare=False)
    seconds: float = field(compare=False)
    lane: _Lane = field(compare=False)
    turn: "asyncio.Future[None]" = field(compare=False)


class Turns:
    """`at_once` have a turn at the same time, at most `waiting` wait for one.

    Nobody is let in who would wait for more than `seconds`; a handicap comes on top.
    """

    def __init__(self, *, at_once: int, waiting: int, seconds: float) -> None:
        self._free = at_once
        self._most = waiting
        self._seconds = seconds
        self._waiting = 0
        self._quick, self._slow = _Lane(at_once), _Lane(max(1, at_once // 2))
        self._visitors: OrderedDict[str, _Visitor] = OrderedDict()
        self._kinds = _Kinds()
        self._order = count()

    def is_crowded(self) -> bool:
        """Does anybody wait?"""
        return self._waiting > 0

    def wait(self) -> float:
        """How many seconds whoever comes now would wait, by what kinds took of late."""
        return (self._quick.work + self._slow.work) / self._quick.most if self._waiting else 0.0

    @asynccontextmanager
    async def turn(self, *names: str, kinds: Sequence[str] = ("",)) -> AsyncIterator[None]:
        """Wait for a turn and have it. Requests of a kind take about as long as each other. Raises BusyError."""
        visitors = [self._visitor(name) for name in names]
        request = self._request(visitors, kinds)
        for visitor in visitors:
            visitor.asking += 1
        request.lane.work += request.seconds
        try:
            await self._wait(request)
            began = time.monotonic()
            try:
                yield
            finally:
                now = time.monotonic()
                for visitor in visitors:
                    visitor.add(now - began, now)
                self._kinds.add(kinds, now - began)
                self._end(request)
        finally:
            request.lane.work -= request.seconds
            for visitor in visitors:
                visitor.asking -= 1

    def _request(self, visitors: Sequence[_Visitor], kinds: Sequence[str]) -> _Request:
        now, expected = time.monotonic(), self._kinds.expected(kinds)
        lane = self._slow if expected is None or expected > SLOW_SECONDS else self._quick
        seconds = expected or 0.0
        handicap = sum(visitor.handicap(now) for visitor in visitors) + SLOWNESS * seconds
        due = now + MOST_HANDICAP * handicap / (1 + handicap)
        return _Request(due, next(self._order), now, seconds, lane, asyncio.get_running_loop().create_future())

    async def _wait(self, request: _Request) -> None:
        lane = request.lane
        if self._free and lane.running < lane.most and lane.first() is None:
            self._begin(request)
            return
        heapq.heappush(lane.queue, request)
        self._waiting += 1
        WAITING.inc()
        try:
            self._refuse_one(request)
            # Should turns take longer than they did, so that nobody waits without end.
            await asyncio.wait_for(request.turn, self._seconds + 2 * MOST_HANDICAP)
        except TimeoutError as error:
            # The turn may come in the moment in which the time is over (Python 3.12); it is taken then.
            if request.turn.cancelled():
                raise BusyError from error
        except asyncio.CancelledError:
            if request.turn.done() and not request.turn.cancelled():
                self._end(request)
            raise
        finally:
            self._waiting -= 1
            WAITING.dec()

    def _refuse_one(self, request: _Request) -> None:
        """Where it would wait too long: whoever is due last, of those who came a moment ago."""
        lane, lanes = request.lane, [self._quick, self._slow]
        work = sum(one.work for one in lanes) - request.seconds
        if self._waiting <= self._most and work / self._quick.most <= self._seconds:
            if (lane.work - request.seconds) / lane.most <= self._seconds:
                return
            lanes = [lane]
        came_since = request.came - PROMISED_SECONDS
        queue = [one for lane in lanes for one in lane.queue if one.came > came_since and not one.turn.done()]
        max(queue).turn.set_exception(BusyError())

    def _begin(self, request: _Request) -> None:
        self._free -= 1
        request.lane.running += 1
        request.turn.set_result(None)

    def _end(self, request: _Request) -> None:
        """A turn is over: those who still wait have it, in the order in which they are due."""
        self._free += 1
        request.lane.running -= 1
        while self._free:
            first = [one for one in (self._quick.first(), self._slow.first()) if one is not None]
            if not first:
                return
            following = min(first)
            heapq.heappop(following.lane.queue)
            self._begin(following)

    def _visitor(self, name: str) -> _Visitor:
        visitor = self._visitors.pop(name, None) or _Visitor()
        self._visitors[name] = visitor
        if len(self._visitors) > REMEMBERED:
            oldest = next((key for key, one in self._visitors.items() if not one.asking), None)
            if oldest is not None:
                del self._visitors[oldest]
        return visitor
