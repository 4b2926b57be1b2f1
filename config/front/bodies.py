"""Reading a request's body before anybody works on it: within a time and a size, in memory or in a file."""

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import IO, Any

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

IN_MEMORY = 1_000_000
# A visitor may think for so long between two pieces, and must send at least so many bytes a second on the whole.
SILENCE_SECONDS = 20.0
GRACE_SECONDS = 20.0
SLOWEST_BYTES_A_SECOND = 10_000
# No address is written like this.
ALL = "all"


class GoneError(Exception):
    """The visitor went away."""


class TooSlowError(Exception):
    """The body did not come within its time."""


class TooLongError(Exception):
    """The body is longer than anything that is taken here."""


class FullError(Exception):
    """So much lies here already, of this visitor or of all, that no more is taken at the moment."""


class Bodies:
    """Holds bodies of at most `longest` bytes each and `total` together, of one visitor a quarter of that."""

    def __init__(self, *, longest: int, total: int) -> None:
        self._longest, self._total = longest, total
        self._share = max(longest, total // 4)
        self._held: Counter[str] = Counter()

    @asynccontextmanager
    async def body(self, receive: Receive, visitor: str) -> AsyncIterator[IO[bytes]]:
        """The whole body, at its beginning. Raises GoneError, TooSlowError, TooLongError, FullError."""
        length = 0
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            try:
                async for piece in pieces(receive):
                    if length + len(piece) > self._longest:
                        raise TooLongError
                    length += len(piece)
                    self._hold(visitor, len(piece))
                    if length > IN_MEMORY:
                        await asyncio.to_thread(body.write, piece)
                    else:
                        body.write(piece)
                body.seek(0)
                yield body
            finally:
                self._hold(visitor, -length)

    def _hold(self, visitor: str, more: int) -> None:
        self._held[visitor] += more
        self._held[ALL] += more
        if not self._held[visitor]:
            del self._held[visitor]
        if more > 0 and (self._held[visitor] > self._share or self._held[ALL] > self._total):
            raise FullError


async def pieces(receive: Receive) -> AsyncIterator[bytes]:
    """The pieces of a body as they come. Raises GoneError, TooSlowError."""
    began, length = time.monotonic(), 0
    while True:
        left = GRACE_SECONDS + length / SLOWEST_BYTES_A_SECOND - (time.monotonic() - began)
        try:
            async with asyncio.timeout(min(left, SILENCE_SECONDS)):
                message = await receive()
        except TimeoutError as error:
            raise TooSlowError from error
        if message["type"] == "http.disconnect":
            raise GoneError
        piece: bytes = message.get("body", b"")
        length += len(piece)
        yield piece
        if not message.get("more_body"):
            return
