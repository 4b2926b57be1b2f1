"""Every reader gives the same whatever its stream gives at a time: pipes, sockets, growing and half-written files."""

import gzip
import io
import os
import socket
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, UnreadableInputError
from kb.core.diagnosis.reading.sources import sources
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.dumps import Call, Made, pickled
from tests.kb.core.diagnosis.lines import best
from tests.kb.core.diagnosis.test_reading import COMPRESSED, tarred, zipped

LOG = "step 1 loss 2.5\r\n\x1b[31mwarnung: 训练 é\x1b[0m\nRuntimeError: boom\nlast line without an end"
BARS = "".join(f"\r{number % 100:3}%|##  | {number % 100}/100 [00:01<00:02, 1.00s/it]" for number in range(60_000))


def dump(rank: int, calls: int = 3) -> bytes:
    """A rank's dump."""
    made = Made([(0, 1)], {number: [Call(0)] * calls for number in (0, 1)}).run()
    return pickled(made.content(rank))


TEXTS = {
    "plain": LOG.encode(),
    "utf-8 with a mark": LOG.encode("utf-8-sig"),
    "utf-16 with a mark": LOG.encode("utf-16"),
    "utf-16-le": LOG.encode("utf-16-le"),
    "utf-16-be": LOG.encode("utf-16-be"),
}
FILES = {
    **TEXTS,
    **{ending: pack(TEXTS["plain"]) for ending, pack in COMPRESSED.items()},
    "parts": gzip.compress(TEXTS["plain"]) + gzip.compress(TEXTS["utf-16-le"]),
    "tar": tarred({"a.log": TEXTS["plain"], "b.log.gz": gzip.compress(TEXTS["utf-16-be"])}),
    "zip": zipped({"a.log": TEXTS["plain"], "b.log": TEXTS["utf-8 with a mark"]}),
    "nested": gzip.compress(tarred({"inner.zip": zipped({"a.log": TEXTS["utf-16 with a mark"]})})),
    "dump": dump(0),
    "dump of many calls": dump(0, 100),
    "packed dump": gzip.compress(dump(0, 100)),
}


class Short:
    """A stream that gives no more than so many bytes at a time."""

    def __init__(self, data: bytes, sizes: Iterator[int]) -> None:
        self._inner, self._sizes = io.BytesIO(data), sizes

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes."""
        return self._inner.read(min(size, next(self._sizes, 1)))


def contents(stream: Readable) -> list[tuple[str, bytes | str]]:
    """All that is read of it: texts and dumps, and what was left out."""
    intake = Intake()
    found: list[tuple[str, bytes | str]] = []
    for source in sources("job.log", stream, intake):
        whole = source.stream.fill(1 << 26) if source.is_dump else "\n".join(blocks(source.path, source.stream, intake))
        found.append((source.path, whole))
    return [*found, *((left.name, left.why) for left in intake.left_out)]


@pytest.mark.parametrize("name", FILES)
@given(sizes=st.lists(st.integers(1, 50), max_size=40))
def test_a_stream_of_short_reads_gives_the_same(name: str, sizes: list[int]) -> None:
    data = FILES[name]
    assert contents(Short(data, iter(sizes))) == contents(io.BytesIO(data))


@pytest.mark.parametrize("name", TEXTS)
def test_every_encoding_of_a_text_is_the_same_text(name: str) -> None:
    expected = LOG.replace("\r\n", "\n").replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert contents(io.BytesIO(TEXTS[name])) == [("job.log", expected)]


def test_a_dump_is_read_whole_however_little_comes_at_a_time() -> None:
    made = Made([(0, 1, 2, 3)], {rank: [Call(0)] * 60 for rank in range(4)}, stops={2: 40}).run()
    files = [InputFile(f"nccl_trace_rank_{rank}", Short(pickled(made.content(rank)), iter(()))) for rank in range(4)]
    found = read(files)
    assert (len(found.dumps), found.left_out) == (4, ())
    assert diagnosed(found).ranks[0].name == "2"


def test_a_dump_that_could_not_be_read_is_not_taken_for_none() -> None:
    made = Made([(0, 1, 2, 3)], {rank: [Call(0)] * 9 for rank in range(4)}, stops={2: 4}).run()
    whole = {rank: pickled(made.content(rank)) for rank in range(4)}
    whole[1] = whole[1][: len(whole[1]) // 2]
    found = diagnosed(read([InputFile(f"dump_{rank}", io.BytesIO(data)) for rank, data in whole.items()]))
    assert [rank.name for rank in found.ranks] == ["2"]
    assert "The dumps of rank 1 could not be read" in found.recorded[0]


def by_pipe(data: bytes, _folder: Path) -> Readable:
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb", buffering=0) as end:
            end.write(data)

    threading.Thread(target=write).start()
    return cast("Readable", os.fdopen(reading, "rb", buffering=0))


def by_socket(data: bytes, _folder: Path) -> Readable:
    reading, writing = socket.socketpair()

    def write() -> None:
        with writing:
            writing.sendall(data)

    threading.Thread(target=write).start()
    return cast("Readable", socket.SocketIO(reading, "r"))


def by_growing_file(data: bytes, folder: Path) -> Readable:
    """A file that its writer goes on with while it is read."""
    file = folder / "job.log"
    file.write_bytes(data[: len(data) // 2])

    class Growing(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            with file.open("ab") as log:
                log.write(data[file.stat().st_size :][:7])
            return super().read(size) or b""

    return cast("Readable", Growing(file, "r"))


@pytest.mark.parametrize("way", [by_pipe, by_socket, by_growing_file])
@pytest.mark.parametrize("name", ["plain", "gz", "tar", "dump of many calls"])
def test_pipes_sockets_and_growing_files_give_all_that_was_written(
    way: Callable[[bytes, Path], Readable], name: str, tmp_path: Path
) -> None:
    assert contents(way(FILES[name], tmp_path)) == contents(io.BytesIO(FILES[name]))


class TestOverwrittenLines:
    def test_megabytes_of_bars_leave_the_last_one_and_what_is_behind_it(self) -> None:
        assert len(BARS) > 2 << 20
        found = dict(contents(io.BytesIO(f"{BARS}\nRuntimeError: boom".encode())))
        first, second = cast("str", found["job.log"]).split("\n")
        assert first.strip() == "99%|##  | 99/100 [00:01<00:02, 1.00s/it]"
        assert second == "RuntimeError: boom"

    def test_so_does_what_is_written_between_them(self) -> None:
        found = dict(contents(io.BytesIO(f"{BARS}\rRuntimeError: in between\r{BARS}".encode())))
        (line,) = cast("str", found["job.log"]).split("\n")
        assert line.split() == ["RuntimeError:", "in", "between", *BARS.rpartition("\r")[2].split()]

    def test_the_step_of_a_run_that_shows_bars_alone_is_known(self) -> None:
        log = f"{BARS}\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'ids'\n"
        found = diagnosed(read([InputFile("job.log", io.BytesIO(log.encode()))]))
        assert (found.verdict, best(found).line, found.iteration) == (FAILURE, 4, 99)


class TestDamage:
    @pytest.mark.parametrize("name", ["utf-16-le", "gz", "zst", "xz", "bz2", "tar", "nested"])
    @given(share=st.floats(0.3, 0.99))
    def test_of_a_half_written_file_what_is_there_is_read_and_nothing_raised(self, name: str, share: float) -> None:
        data = FILES[name]
        try:
            contents(io.BytesIO(data[: int(len(data) * share)]))
        except UnreadableInputError:
            assert name != "utf-16-le"

    @pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    @pytest.mark.parametrize("is_streamed", [False, True])
    def test_of_a_zip_file_that_is_cut_off_the_first_files_are_read(self, compression: int, is_streamed: bool) -> None:
        data = cut_zip(compression, is_streamed=is_streamed)
        found = contents(io.BytesIO(data))
        assert found[0] == ("job.log/node1.log", "first log\nValueError: a")
        assert found[1][0] == "job.log/node2.log"
        assert str(found[1][1]).startswith("line 0\nline 1\n")
        assert "cut off" in str(found[-1][1])

    def test_of_a_tar_that_is_cut_off_too(self) -> None:
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w") as archive:
            for name in ("node1.log", "node2.log"):
                info = tarfile.TarInfo(name)
                info.size = 50_000
                archive.addfile(info, io.BytesIO(b"a line\n" * 10_000))
        found = contents(io.BytesIO(whole.getvalue()[:70_000]))
        assert [name for name, _ in found[:2]] == ["job.log/node1.log", "job.log/node2.log"]
        assert len(found[1][1]) > 10_000
        assert found[-1] == ("job.log", "The archive is cut off; what there is of it was read.")


def cut_zip(compression: int, *, is_streamed: bool) -> bytes:
    """A zip file whose second file is not whole. `is_streamed`: it does not say before a file how long that is."""

    class Unseekable(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, _offset: int, _whence: int = 0, /) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    whole = Unseekable() if is_streamed else io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as archive:
        archive.writestr("node1.log", b"first log\nValueError: a")
        archive.writestr("node2.log", b"".join(b"line %d\n" % number for number in range(9_000)))
    return whole.getvalue()[: 12_000 if compression else 60_000]
