"""Bytes per second of a diagnosis, by how the same kind of log is packed. Run with `make bench ONLY=packings`.

What is counted instead, on any machine, is in tests/kb/core/diagnosis/test_packings.py.
"""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator

import pytest

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MANY = 20_000
LINE = "[rank{rank}]: step {number} loss 2.{number:05} then {word} came\n"
PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress,
}  # fmt: skip


def test_packings(capsys: pytest.CaptureFixture[str]) -> None:
    packings = dict(packed())
    timed(packings["plain"])
    with capsys.disabled():
        print()  # noqa: T201
        for name, files in packings.items():
            sent, text, seconds = timed(files)
            print(  # noqa: T201
                f"{name:28} {sent:11,} bytes sent {sent / seconds:14,.0f} bytes/s {text:11,} lines {seconds:7.2f} s",
                flush=True,
            )


def lines() -> list[bytes]:
    """Lines of thousands of kinds, since new kinds cost the most."""
    letters = str.maketrans("0123456789", "abcdefghij")
    return [
        LINE.format(rank=number % 8, number=number, word=f"{number % 5_000}".translate(letters)).encode()
        for number in range(MANY)
    ]


def packed() -> Iterator[tuple[str, list[bytes]]]:
    """The same lines, plain and one by one in each way."""
    found = lines()
    whole = b"".join(found)
    yield "plain", [whole]
    yield "lines of one byte", [b"a\n" * (len(whole) // 2)]
    for name, pack in PACKS.items():
        yield f"{name}, one part", [pack(whole)]
        yield f"{name}, {MANY:,} parts", [b"".join(map(pack, found))]
    yield f"tar, {MANY:,} files", [_tar(found)]
    yield f"tar.gz, {MANY:,} files", [gzip.compress(_tar(found))]
    yield f"zip, {MANY:,} files", [_zip(found)]
    yield f"{MANY:,} files", found


def timed(files: list[bytes]) -> tuple[int, int, float]:
    """Bytes that were sent, lines that were read, and the seconds it took."""
    began = time.perf_counter()
    found = read([InputFile(f"{number}.log", io.BytesIO(data)) for number, data in enumerate(files)])
    diagnosed(found)
    return sum(map(len, files)), sum(found.scan.lines), time.perf_counter() - began


def _tar(found: list[bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for number, data in enumerate(found):
            entry = tarfile.TarInfo(f"{number}.log")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return whole.getvalue()


def _zip(found: list[bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for number, data in enumerate(found):
            archive.writestr(f"{number}.log", data)
    return whole.getvalue()
