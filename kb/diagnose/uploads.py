"""What somebody hands in, on its way from the request: counted, bounded in memory, in one temporary file that is
deleted when the request ends. Nothing is judged or stored here.

The receiver has to be put on a Django request before anything reads its body; a page that is guarded against forged
requests does so in a view that is exempt and calls a guarded one.
"""

import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Protocol, Self, cast

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.intake import MIB
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.reading.streams import Readable

IN_MEMORY = MIB
BLOCK = 256 * 1024
LONGEST_NAME = 200
# Control characters, half characters and what ends a line: a name is shown, and may be stored.
ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
UNNAMED = "log"


class TooLargeError(Exception):
    """More was sent than is taken."""

    def __init__(self, largest: int) -> None:
        super().__init__(
            f"More than {largest // MIB} MB were sent. Compress the log, or give the last part of it: "
            "compressed and in archives it counts as it is sent."
        )


class Stream(Protocol):
    """Bytes that can be read again from the beginning."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""

    def seek(self, place: int, /) -> int:
        """Go to this byte."""


@dataclass(frozen=True)
class Upload:
    """A file as somebody handed it in, `size` bytes; `healthy`: of a run that went well."""

    name: str
    stream: Stream
    size: int
    healthy: bool = False


def shown_name(name: str) -> str:
    """The name without what would break a line, a page or a table; never empty."""
    return ODD.sub("\N{REPLACEMENT CHARACTER}", name).strip()[:LONGEST_NAME] or UNNAMED


def input_files(files: Sequence[Upload], *, healthy: bool) -> list[InputFile]:
    """The failed run's files, or the healthy ones', from their beginning."""
    chosen = in_order_of_writing((file for file in files if file.healthy is healthy), lambda file: file.name)
    for file in chosen:
        file.stream.seek(0)
    return [InputFile(file.name, file.stream) for file in chosen]


class Part:
    """A stretch of the shared file, read as if it were a file of its own."""

    def __init__(self, whole: IO[bytes], start: int, size: int) -> None:
        self._whole, self._start, self.size = whole, start, size
        self._place = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return up to so many bytes; all that is left when `size` is negative."""
        left = self.size - self._place
        self._whole.seek(self._start + self._place)
        content = self._whole.read(left if size < 0 else min(size, left))
        self._place += len(content)
        return content

    def seek(self, place: int, /) -> int:
        """Go to this byte of the stretch."""
        self._place = place
        return place

    def close(self) -> None:
        """Keep the shared file: others read from it."""


class Receiver(FileUploadHandler):
    """Takes the files of one request into one temporary file, so that thousands need no more than one."""

    chunk_size = BLOCK

    def __init__(self, largest: int) -> None:
        """`largest`: bytes of all files together."""
        super().__init__()
        self._largest = largest
        self._whole = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 closed with the receiver
        self._taken = self._start = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # On a full disk, closing tries in vain to write the rest; the write before has raised already.
        with suppress(OSError):
            self._whole.close()

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin where the last file ended."""
        super().new_file(*args, **kwargs)
        self._start = self._taken

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002
        """Keep a block. Raises `TooLargeError`."""
        self._taken += len(raw_data)
        if self._taken > self._largest:
            raise TooLargeError(self._largest)
        self._whole.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        """The file, as Django hands it to a view."""
        return UploadedFile(cast("IO[bytes]", self._part()), self.file_name, self.content_type, file_size)

    def receive_body(self, blocks: Iterable[bytes], name: str) -> Upload:
        """Take a body that is one file. Raises `TooLargeError`."""
        for block in blocks:
            self.receive_data_chunk(block, 0)
        return Upload(shown_name(name), self._part(), self._taken)

    def _part(self) -> Part:
        # On a full disk this raises here and not later, while the file is read.
        self._whole.flush()
        return Part(cast("IO[bytes]", self._whole), self._start, self._taken - self._start)


def form_uploads(files: "Iterable[UploadedFile[bytes]]", *, healthy: bool = False) -> Iterator[Upload]:
    """The files of a form, as `Receiver` took them."""
    for file in files:
        yield Upload(shown_name(file.name or ""), cast("Stream", file.file), file.size or 0, healthy)


def in_blocks(body: Readable) -> Iterator[bytes]:
    """A request's body, block by block."""
    while block := body.read(BLOCK):
        yield block


def text_upload(text: str, name: str) -> Upload:
    """A text that was pasted or sent; half characters become question marks."""
    content = text.encode("utf-8", "replace")
    return Upload(shown_name(name), io.BytesIO(content), len(content))
