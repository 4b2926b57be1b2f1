"""Whose turn it is: never more at once than there are, nobody passed over for ever, newcomers ahead of crowds."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.front.turns import BusyError, Turns
from tests.config.front.running import run


class Room:
    """What happens in turns: who is in, who was in, and how many there were at once at the most."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.order, self.now, self.most = turns, [], 0, 0  # type: tuple[Turns, list[str], int, int]

    async def visit(self, name: str, steps: int = 1) -> None:
        async with self.turns.turn(name):
            self.now += 1
            self.most = max(self.most, self.now)
            for _ in range(steps):
                await asyncio.sleep(0)
            self.order.append(name)
            self.now -= 1

    async def hold(self, seconds: float, *kinds: str) -> None:
        async with self.turns.turn("a", kinds=kinds or ("",)):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(1, 4))
def test_everybody_is_served_and_never_more_at_once_than_allowed(visitors: list[str], at_once: int) -> None:
    async def work() -> None:
        room = Room(Turns(at_once=at_once, waiting=100, seconds=5))
        await asyncio.gather(*(room.visit(name) for name in visitors))
        assert sorted(room.order) == sorted(visitors)
        assert room.most <= at_once

    run(work())


def test_a_quick_kind_of_request_is_ahead_of_a_slow_one_that_came_before() -> None:
    async def work() -> None:
        turns, order = Turns(at_once=1, waiting=100, seconds=5), []

        async def ask(kind: str, seconds: float) -> None:
            async with turns.turn(kind, kinds=[kind]):
                await asyncio.sleep(seconds)
                order.append(kind)

        for kind, seconds in (("slow", 0.05), ("quick", 0)):
            await ask(kind, seconds)
        order.clear()
        await asyncio.gather(*(ask(kind, 0) for kind in ("slow", "slow", "quick")))
        assert order == ["slow", "quick", "slow"]

    run(work())


def test_of_a_long_kind_only_its_beginning_counts() -> None:
    async def work() -> None:
        turns, order = Turns(at_once=1, waiting=100, seconds=5), []

        async def ask(kind: str, seconds: float) -> None:
            async with turns.turn(kind, kinds=[kind]):
                await asyncio.sleep(seconds)
                order.append(kind[-1])

        for kind, seconds in (("x" * 100_000 + "a", 0.05), ("q", 0)):
            await ask(kind, seconds)
        order.clear()
        await asyncio.gather(*(ask(kind, 0) for kind in ("first", "x" * 100_000 + "b", "q")))
        assert order == ["t", "q", "b"]

    run(work())


def test_one_visitors_requests_keep_their_order() -> None:
    async def work() -> None:
        turns, order = Turns(at_once=1, waiting=100, seconds=5), []

        async def ask(number: int) -> None:
            async with turns.turn("a"):
                await asyncio.sleep(0)
                order.append(number)

        await asyncio.gather(*(ask(number) for number in range(20)))
        assert order == list(range(20))

    run(work())


def test_a_newcomer_is_ahead_of_whoever_asks_much_at_once() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=1, waiting=100, seconds=5))
        crowd = [asyncio.create_task(room.visit("crowd", 3)) for _ in range(50)]
        await asyncio.sleep(0)
        await room.visit("newcomer")
        assert room.order.index("newcomer") < 5
        await asyncio.gather(*crowd)

    run(work())


def test_a_new_connection_is_ahead_of_those_that_asked_much_from_the_same_address() -> None:
    async def work() -> None:
        turns, order = Turns(at_once=1, waiting=100, seconds=5), []

        async def ask(connection: str) -> None:
            async with turns.turn("address", connection):
                order.append(connection)
                await asyncio.sleep(0.02)

        crowd = [f"crowd {number}" for number in range(5)]
        await asyncio.gather(*(ask(connection) for connection in crowd))
        await asyncio.gather(*(ask(connection) for connection in (*crowd, "newcomer")))
        assert order[len(crowd) :].index("newcomer") == 1  # One of the crowd had found the turn free.

    run(work())


def test_of_too_many_whoever_is_due_last_is_refused_at_once() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=1, waiting=2, seconds=5))
        crowd = [asyncio.create_task(room.visit("a", 50)) for _ in range(3)]
        await asyncio.sleep(0)
        newcomer, one_more = asyncio.create_task(room.visit("b")), asyncio.create_task(room.visit("a"))
        with pytest.raises(BusyError):
            await one_more
        assert not newcomer.done()
        refused = await asyncio.gather(*crowd, newcomer, return_exceptions=True)
        assert [isinstance(one, BusyError) for one in refused] == [False, False, True, False]
        await room.visit("a")

    run(work())


def test_nobody_is_let_in_who_would_wait_too_long() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=2, waiting=100, seconds=0.5))
        await room.hold(0.2)
        came = [asyncio.create_task(room.hold(0.2)) for _ in range(20)]
        refused = await asyncio.gather(*came, return_exceptions=True)
        assert 3 <= sum(one is None for one in refused) <= 7

    run(work())


def test_slow_kinds_leave_turns_to_quick_ones() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=4, waiting=100, seconds=9))
        await asyncio.gather(room.hold(0.6, "slow"), room.hold(0, "quick"))
        slow = [asyncio.create_task(room.hold(0.6, "slow")) for _ in range(6)]
        await asyncio.sleep(0)
        assert room.now == 2
        await asyncio.wait_for(asyncio.gather(*(room.hold(0.01, "quick") for _ in range(9))), 0.5)
        assert room.now == 2
        await asyncio.gather(*slow)
        assert room.most == 4

    run(work())


def test_what_is_not_known_to_be_quick_counts_as_slow() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=4, waiting=100, seconds=9))
        await asyncio.gather(*(room.hold(0, f"page {number}", "pages") for number in range(9)))
        assert room.most == 2
        await asyncio.gather(*(room.hold(0, f"page {number}", "pages") for number in range(9, 18)))
        assert room.most == 4

    run(work())


def test_whoever_waited_too_long_is_refused_and_takes_no_turn_away() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=1, waiting=9, seconds=0.01))
        release = asyncio.Event()

        async def hold() -> None:
            async with room.turns.turn("a"):
                await release.wait()

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await room.visit("b")
        release.set()
        await holder
        await room.visit("c")
        assert room.order == ["c"]

    run(work())


def test_a_turn_that_comes_as_the_time_is_over_is_not_lost() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=1, waiting=9, seconds=0.05))

        async def hold() -> None:
            async with room.turns.turn("a"):
                await asyncio.sleep(0.01)
                time.sleep(0.1)  # The loop hears of neither before both have happened.

        await asyncio.gather(hold(), room.visit("b"), return_exceptions=True)
        await asyncio.wait_for(room.visit("c"), 1)
        assert room.order[-1] == "c"

    run(work())


def test_whoever_goes_away_while_waiting_takes_no_turn_away() -> None:
    async def work() -> None:
        room = Room(Turns(at_once=1, waiting=9, seconds=5))
        first = asyncio.create_task(room.visit("a", 20))
        await asyncio.sleep(0)
        gone = asyncio.create_task(room.visit("b"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(first, gone, return_exceptions=True)
        await asyncio.wait_for(room.visit("c"), 1)
        assert room.order == ["a", "c"]

    run(work())
