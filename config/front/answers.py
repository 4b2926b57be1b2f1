"""An answer between the thread that writes it and the visitor who reads it: writing never waits for reading.

What is not read yet lies in memory, and beyond that in a file.
"""

import asyncio
import tempfile
from threading import Lock
from typing import Any

IN_MEMORY = 1_000_000
PIECE = 64 * 1024
# An answer of which nothing could be sent for so long is given up.
STUCK_SECONDS = 30.0

Headers = list[tuple[bytes, bytes]]


class Answer:
    """Status, headers and body, written by one thread and read by the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._news = asyncio.Event()
        self._lock = Lock()
        self._body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 closed by `close`
        self._written = self._read = 0
        self._is_whole = self._is_closed = False
        self.status, self.headers = 0, Headers()

    def start(self, status: int, headers: Headers) -> None:
        """Say what is to come."""
        self.status, self.headers = status, headers

    def write(self, piece: bytes) -> None:
        """Add to the body. Raises BrokenPipeError when nobody reads any more."""
        with self._lock:
            if self._is_closed:
                raise BrokenPipeError
            self._body.seek(self._written)
            self._body.write(piece)
            self._written += len(piece)
            is_enough = self._written - self._read >= PIECE
        if is_enough:  # The event loop is not woken for every few bytes.
            self._tell()

    def finish(self) -> None:
        """Nothing more comes."""
        self._is_whole = True
        self._tell()

    async def started(self) -> None:
        """Return once there is something to send, or nothing more comes."""
        await self._news.wait()

    async def read(self) -> tuple[bytes, bool]:
        """The next piece, and whether there may be more."""
        while True:
            self._news.clear()
            is_whole = self._is_whole
            with self._lock:
                self._body.seek(self._read)
                piece = self._body.read(PIECE)
                self._read += len(piece)
                is_last = is_whole and self._read == self._written
            if piece or is_last:
                return piece, not is_last
            await self._news.wait()

    def close(self) -> None:
        """Forget what was not read."""
        with self._lock:
            self._is_closed = True
            self._body.close()

    def _tell(self) -> None:
        self._loop.call_soon_threadsafe(self._news.set)


async def send_answer(answer: Answer, send: Any) -> None:
    """Send it as it comes. Raises TimeoutError where the visitor reads nothing for too long."""
    await answer.started()
    async with asyncio.timeout(STUCK_SECONDS) as limit:
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        more = True
        while more:
            limit.reschedule(None)
            piece, more = await answer.read()
            limit.reschedule(asyncio.get_running_loop().time() + STUCK_SECONDS)
            await send({"type": "http.response.body", "body": piece, "more_body": more})
