"""Reading a request's body before anybody works on it: within a time and a size, in memory or in a file."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import IO, Any

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

IN_MEMORY = 1_000_000
# A visitor may think for so long between two pieces, and must send at least so many bytes a second on the whole.
SILENCE_SECONDS = 20.0
GRACE_SECONDS = 20.0
SLOWEST_BYTES_A_SECOND = 10_000


class GoneError(Exception):
    """The visitor went away."""


class TooSlowError(Exception):
    """The body did not come within its time."""


class TooLongError(Exception):
    """The body is longer than anything that is taken here."""


async def read_body(receive: Receive, *, longest: int) -> IO[bytes]:
    """The whole body, at its beginning. Raises GoneError, TooSlowError, TooLongError; then nothing is left behind."""
    body: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 the caller closes it
    try:
        await _fill(body, receive, longest)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


async def _fill(body: IO[bytes], receive: Receive, longest: int) -> None:
    began, length = time.monotonic(), 0
    while True:
        left = GRACE_SECONDS + length / SLOWEST_BYTES_A_SECOND - (time.monotonic() - began)
        try:
            message = await asyncio.wait_for(receive(), timeout=min(left, SILENCE_SECONDS))
        except TimeoutError as error:
            raise TooSlowError from error
        if message["type"] == "http.disconnect":
            raise GoneError
        piece = message.get("body", b"")
        length += len(piece)
        if length > longest:
            raise TooLongError
        if length > IN_MEMORY:
            await asyncio.to_thread(body.write, piece)
        else:
            body.write(piece)
        if not message.get("more_body"):
            return
