"""A crowd at a web server: idle connections, slow senders, visitors; newcomers are timed meanwhile.

All come from one address, as behind one proxy or from one office.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle, islice

IDLE, SENDERS, VISITORS, EACH = 450, 12, 100, 9
PATIENCE, BYTE_SECONDS, NEWCOMER_SECONDS = 30.0, 0.5, 0.25
PAGES = (
    "/", "/issues/?q=hang+in+ZeRO-3", "/issues/?q=NCCL+timeout", "/codebook/", "/playbooks/",
    "/api/v1/issues/?q=OOM", "/about/",
)  # fmt: skip
NEWCOMER_PAGES = ("/", "/healthz")


@dataclass
class Seen:
    """What happened: status codes of the visitors (0: given up), seconds that newcomers waited by page."""

    statuses: list[int] = field(default_factory=list)
    seconds: float = 0.0
    waits: dict[str, list[float]] = field(default_factory=lambda: {path: [] for path in NEWCOMER_PAGES})

    def row(self, server: str) -> str:
        """A line of a table."""
        home, health = (sorted(self.waits[path]) or [float("nan")] for path in NEWCOMER_PAGES)
        answered = sum(status == 200 for status in self.statuses)
        refused, given_up = (sum(status == code for status in self.statuses) for code in (503, 0))
        return (
            f"{server:22} {answered:5} {refused:7} {given_up:8} {answered / self.seconds:7.0f} "
            f"{statistics.median(home):9.2f} {home[-1]:8.2f} {health[-1]:9.2f}"
        )


HEAD = (
    f"{'server':22} {'200':>5} {'refused':>7} {'given up':>8} {'200 / s':>7} {'home, med':>9} {'home max':>8} "
    f"{'/healthz max':>9}   (seconds that newcomers wait, at most {PATIENCE:.0f})"
)


class Crowd:
    """Comes to a port of this machine. `distinct` visitors ask for nothing that another one asked for."""

    def __init__(self, port: int, *, distinct: bool = False) -> None:
        self._port, self._distinct = port, distinct
        self._seen = Seen()

    async def come(self) -> Seen:
        """All of it; returns when the last visitor has gone."""
        connections = [await self._send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") for _ in range(IDLE)]
        senders = [asyncio.create_task(self._send_slowly()) for _ in range(SENDERS)]
        newcomers = asyncio.create_task(self._newcomers())
        began = time.monotonic()
        await asyncio.gather(*(self._visit(number) for number in range(VISITORS)))
        self._seen.seconds = time.monotonic() - began
        for task in (newcomers, *senders):
            task.cancel()
        await asyncio.gather(newcomers, *senders, return_exceptions=True)
        for connection in connections:
            connection.close()
        return self._seen

    async def _visit(self, number: int) -> None:
        for turn, page in enumerate(self._pages(number)):
            # Further words of a search, a parameter elsewhere.
            distinct = f"{'+' if '?' in page else '?distinct='}{number}.{turn}" if self._distinct else ""
            status, _ = await self._ask(page + distinct)
            self._seen.statuses.append(status)
            if not status:
                return  # Whoever gave up does not come again.

    @staticmethod
    def _pages(number: int) -> Iterator[str]:
        return islice(cycle(PAGES), number, number + EACH)

    async def _newcomers(self) -> None:
        while True:
            for path in NEWCOMER_PAGES:
                _, waited = await self._ask(path)
                self._seen.waits[path].append(waited)
            await asyncio.sleep(NEWCOMER_SECONDS)

    async def _send_slowly(self) -> None:
        headers = "Host: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n"
        with suppress(OSError):
            writer = await self._send(f"POST /api/v1/diagnose HTTP/1.1\r\n{headers}".encode())
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(BYTE_SECONDS)

    async def _send(self, sent: bytes) -> asyncio.StreamWriter:
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(sent)
        return writer

    async def _ask(self, path: str) -> tuple[int, float]:
        """Status and seconds; on a connection of its own."""
        began = time.monotonic()
        try:
            status = await asyncio.wait_for(self._status(path), PATIENCE)
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            status = 0
        return status, time.monotonic() - began

    async def _status(self, path: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.read()
            return int(head.split()[1])
        finally:
            writer.close()
