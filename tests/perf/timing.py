"""Times requests: one client after another answer, several at once, and several at a given rate."""

import http.client
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

Ask = Callable[[str], int]


@dataclass(frozen=True)
class Times:
    """Milliseconds of each request, and how long all of them took together."""

    each: tuple[float, ...]
    seconds: float

    @property
    def median(self) -> float:
        """Half of the requests took longer."""
        return statistics.median(self.each)

    @property
    def p95(self) -> float:
        """One request in twenty took longer."""
        return statistics.quantiles(self.each, n=20)[-1]

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.each) / self.seconds


def one_after_another(ask: Ask, asked: Sequence[str], rounds: int) -> Times:
    """One client, warm: a first round is not counted."""
    for one in asked:
        ask(one)
    started = time.perf_counter()
    each = [_milliseconds(partial(ask, one)) for _ in range(rounds) for one in asked]
    return Times(tuple(each), time.perf_counter() - started)


def at_once(make_ask: Callable[[], Ask], asked: Sequence[str], *, clients: int, seconds: float, rate: float) -> Times:
    """Several clients, each with a connection of its own; `rate`: requests per second of all, 0: as fast as can be.

    At a rate, the time of a request counts from when it was due, so that a queue shows.
    """
    each: list[float] = []
    started = time.perf_counter()

    def work(number: int) -> None:
        ask = make_ask()
        turn, due = number, started
        while (now := time.perf_counter()) - started < seconds:
            due = started + turn / rate if rate else now
            time.sleep(max(0.0, due - now))
            ask(asked[(turn * 7) % len(asked)])
            each.append((time.perf_counter() - due) * 1_000)
            turn += clients

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Times(tuple(each), time.perf_counter() - started)


def http_client(port: int, path: str) -> Ask:
    """Asks for `path` with a query string over one kept connection; says how long the answer is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(query: str) -> int:
        connection.request("GET", f"{path}?{query}")
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, (query, response.status, body[:500])
        return len(body)

    return ask


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1_000
