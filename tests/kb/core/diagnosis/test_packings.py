"""However a log is packed, reading it costs what its bytes cost: told by counting, not by the clock."""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from kb.core.diagnosis.pipeline import InputFile, read
from kb.core.diagnosis.reading.blocks import BLOCK, blocks
from kb.core.diagnosis.reading.intake import MOST_LEFT_OUT, Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import sources
from kb.core.diagnosis.reading.streams import ENGINES, FIRST_FEED, Parts, Peekable
from kb.core.diagnosis.scanning.lines import Lines, Times
from kb.core.diagnosis.scanning.scanner import Scanner
from kb.diagnose.immediate import FEW, Waiting, answer_at_once
from tests.kb.diagnose.runs import handed_in

pytestmark = pytest.mark.drill("A packed log costs in proportion to its bytes, one address has its share")

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress,
}  # fmt: skip
MANY = 5_000
MIB = 1 << 20


class Counted(io.BytesIO):
    """A stream that counts how often it is read."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        return super().read(size)


def in_parts(pack: Callable[[bytes], bytes]) -> bytes:
    return b"".join(pack(b"line %d\n" % number) for number in range(MANY))


def read_through(data: bytes, limits: Limits | None = None) -> tuple[list[str], Intake]:
    """The blocks of all texts."""
    intake = Intake(limits or Limits())
    return [
        block for one in sources("logs", io.BytesIO(data), intake) for block in blocks("", one.stream, intake)
    ], intake


def tarred(names: list[str], kind: bytes = tarfile.REGTYPE) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, "elsewhere", 2 if kind == tarfile.REGTYPE else 0
            archive.addfile(entry, io.BytesIO(b"a\n"))
    return whole.getvalue()


def zipped(names: list[str]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in names:
            archive.writestr(name, b"" if name.endswith("/") else b"a\n")
    return whole.getvalue()


def names(count: int, form: str = "{}.log") -> list[str]:
    return [form.format(number) for number in range(count)]


class TestManyParts:
    @pytest.mark.parametrize("kind", PACKS)
    def test_thousands_of_small_parts_are_handed_on_in_one_block(self, kind: str) -> None:
        stream, intake = Counted(in_parts(PACKS[kind])), Intake()
        (source,) = sources("log", stream, intake)
        (block,) = blocks("log", source.stream, intake)
        assert block.split("\n") == [f"line {number}" for number in range(MANY)]
        assert stream.reads <= 12
        assert (intake.parts, intake.left_out) == (MANY, [])

    @pytest.mark.parametrize("kind", PACKS)
    def test_blocks_are_full_whatever_the_parts_are(self, kind: str) -> None:
        part = PACKS[kind](b"x" * 999 + b"\n")
        found, _ = read_through(part * 5_000)
        assert len(found) == -(-5_000_000 // BLOCK)

    @pytest.mark.parametrize(("magic", "kind"), list(zip(ENGINES, ("gzip", "zstd", "bzip2", "xz"), strict=True)))
    def test_engines_are_not_given_all_that_follows_for_each_part(self, magic: bytes, kind: str) -> None:
        given = 0

        class Engine:
            def __init__(self) -> None:
                self._engine = ENGINES[magic]()

            def decompress(self, data: bytes, size: int) -> Any:
                nonlocal given
                given += len(data)
                return self._engine.decompress(data, size)

            def __getattr__(self, name: str) -> Any:
                return getattr(self._engine, name)

        data = in_parts(PACKS[kind])
        parts, read_bytes = Parts(Peekable(io.BytesIO(data)), Engine), 0
        while not parts.engine.eof or parts.follows():
            read_bytes += len(parts.step(MIB) or b"")
        assert read_bytes == sum(len(b"line %d\n" % number) for number in range(MANY))
        assert given <= len(data) + MANY * FIRST_FEED

    def test_a_small_reader_gets_the_same_as_a_large_one(self) -> None:
        for pack in PACKS.values():
            (source,) = sources("log", io.BytesIO(pack(b"one\n") + pack(b"two\n") * 3), Intake())
            assert b"".join(iter(lambda: source.stream.read(1), b"")) == b"one\ntwo\ntwo\ntwo\n"  # noqa: B023

    def test_lines_without_a_time_are_not_asked_after_in_each_block(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked, after = 0, Times.after

        def counted(times: Times, line: int) -> str:
            nonlocal asked
            asked += 1
            return after(times, line)

        monkeypatch.setattr(Times, "after", counted)
        scanner = Scanner()
        scanner.open("log")
        for number in range(100):
            scanner.block(Lines(f"{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]} error here".encode()))
        scanner.block(Lines(b"2026-03-01 10:00:00 the first time\n2026-03-01 10:01:00 the second"))
        assert 100 <= asked <= 102


class TestLimits:
    def test_compressed_parts(self) -> None:
        found, intake = read_through(in_parts(gzip.compress), Limits(parts=100))
        assert len("\n".join(found).split("\n")) == 100
        assert [left.why for left in intake.left_out] == ["Only the first 100 compressed parts of a log are read."]
        assert intake.is_cut

    @pytest.mark.parametrize(
        "data",
        [
            tarred(names(50)), zipped(names(50)), tarred(names(50, "{}/"), tarfile.DIRTYPE), zipped(names(50, "{}/")),
            tarred(names(50), tarfile.SYMTYPE),
        ],
        ids=["files in a tar", "files in a zip", "folders in a tar", "folders in a zip", "links"],
    )  # fmt: skip
    def test_entries_of_archives_whatever_they_are(self, data: bytes) -> None:
        found, intake = read_through(data, Limits(entries=20))
        assert len(found) <= 20
        assert intake.entries == 21
        assert intake.left_out[-1].why == "Only the first 20 entries of archives are read."
        assert intake.is_cut

    def test_entries_of_all_archives_together(self) -> None:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            for name in names(5, "{}.tar"):
                archive.writestr(name, tarred(names(10)))
        _, intake = read_through(inner.getvalue(), Limits(entries=30))
        assert intake.entries <= 32
        assert intake.is_cut

    def test_a_zip_files_list_is_not_taken_apart_when_it_is_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data, made, init = (
            zipped(names(20_000, "a-name-of-some-length-in-a-folder-{}.log")),
            0,
            zipfile.ZipInfo.__init__,
        )

        def counted(info: zipfile.ZipInfo, *arguments: Any) -> None:
            nonlocal made
            made += 1
            init(info, *arguments)

        monkeypatch.setattr(zipfile.ZipInfo, "__init__", counted)
        found, intake = read_through(data, Limits(entries=1_000))
        assert (found, made) == ([], 0)
        assert "list of entries is longer than that of 1,000" in intake.left_out[0].why

    def test_files(self) -> None:
        _, intake = read_through(zipped(names(50)), Limits(files=10))
        assert (intake.files, intake.left_out[-1].why) == (11, "Only the first 10 files are read.")

    def test_what_is_left_out_is_listed_up_to_a_point(self) -> None:
        _, intake = read_through(tarred(names(2_000), tarfile.SYMTYPE))
        assert len(intake.left_out) == MOST_LEFT_OUT + 1
        assert "Only the first" in intake.left_out[-1].why

    @pytest.mark.parametrize(
        "data",
        [tarred(names(50, "{}/"), tarfile.DIRTYPE), zipped(names(50, "{}/")), gzip.compress(b"") * 50],
        ids=["folders in a tar", "folders in a zip", "empty parts"],
    )
    def test_the_clock_is_looked_at_where_nothing_is_read(self, data: bytes) -> None:
        looks = 0

        def progress(_read: int) -> None:
            nonlocal looks
            looks += 1

        with pytest.raises(UnreadableInputError):
            read([InputFile("logs", io.BytesIO(data))], progress=progress)
        assert looks >= 50


class TestAtOnce:
    @pytest.mark.parametrize(
        "data",
        [
            zipped(names(FEW.files + 1)), tarred(names(FEW.files + 1)), gzip.compress(b"") * (FEW.parts + 1),
            tarred(names(FEW.entries + 1), tarfile.SYMTYPE),
        ],
        ids=["a zip", "a tar", "parts", "links"],
    )  # fmt: skip
    def test_what_is_small_and_costs_much_is_a_job(self, data: bytes) -> None:
        assert answer_at_once(files=[handed_in(data)], waiting=Waiting(sent=32 * MIB, text=4 * MIB)) is None

    def test_so_are_thousands_of_small_files(self) -> None:
        files = [handed_in(b"a\n", name) for name in names(FEW.files + 1)]
        assert answer_at_once(files=files, waiting=Waiting(sent=5 * MIB, text=32 * MIB)) is None

    def test_the_clock_ends_what_nothing_is_read_of(self) -> None:
        data = tarred(names(100, "{}/"), tarfile.DIRTYPE)
        assert answer_at_once(files=[handed_in(data)], waiting=Waiting(sent=MIB, text=MIB, seconds=-1.0)) is None
