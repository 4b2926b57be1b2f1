"""Logs that mean harm or come out odd: time grows with their size and no faster, and memory stays bounded."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from collections.abc import Iterator

import pytest

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.reading.intake import MIB, Intake, Limits
from kb.core.diagnosis.reading.sources import Source, sources
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import best, diagnosis_of
from tests.support.growth import MOST, growth

# Each repeats until a line is as long as is asked for: what makes patterns try again from every letter.
REPEATED = (
    "a1", " ", "1", "[", "word ", "a.", "1.", "1:", "/a", "rank 1 ", "saving ", "step ", "rank=1 host=a ", "aError",
    "(pid=1", "-", "deadbeef1", "loss: ", "loading building train ", "| ", "node1 is ", "2026-01-01 ", "ff:",
    "failed to ", "\\", "\ud7ff", "Traceback (most recent call last): ", "ip=1.1.1.1 ", "1%|", "NCCL WARN ",
    "error: ", "exit code 1 ", "CANCELLED AT ",
    '{"a":', '{"a":[', '{"msg":"\\"', '{"log":"{\\"a\\":\\"\\\\\\"', "level=info a=", '{a="', "[rank1]: a",
    "<1>1 2026-03-04T02:11:27Z a b 1 - [a ",
    " 3%|# | 3/9 [", "(pid=", "2026-03-04T02:11:27Z stdout P a\n", "a b@c | ", "5m", "Warning  A 5m ",
)  # fmt: skip


class Endless:
    """A stream of so many bytes of one line, made while it is read."""

    def __init__(self, size: int, end: bytes) -> None:
        self._left, self._end = size, end
        self.most = 0

    def read(self, size: int, /) -> bytes:
        self.most = max(self.most, size)
        if self._left > 0:
            given = min(size, self._left)
            self._left -= given
            return b"x" * given
        end, self._end = self._end[:size], self._end[size:]
        return end


@pytest.mark.parametrize("text", REPEATED)
def test_a_hostile_line_takes_time_in_proportion_to_its_length(text: str) -> None:
    def diagnose(size: int) -> None:
        # Both ends are what patterns look for, so that none gives up at once.
        diagnosis_of("\n".join(f"{text * (size // len(text))}{end}" for end in (" is down", " failed", " rank 1", "")))

    assert growth(diagnose, 500) <= MOST


def test_lines_that_are_all_new_take_time_in_proportion_to_their_number() -> None:
    def diagnose(size: int) -> None:
        diagnosis_of(
            "\n".join(f"{'abcdefghij'[place % 10]}{place:b} error".translate(LETTERS) for place in range(size))
        )

    assert growth(diagnose, 500) <= MOST


LETTERS = str.maketrans("01", "yz")


def test_a_single_endless_line_is_read_in_small_parts() -> None:
    stream = Endless(300 << 20, b"\nRuntimeError: after it\n")
    found = read([InputFile("job.log", stream)])
    assert stream.most <= 4 << 20
    assert best(diagnosed(found)).line == 2


def test_many_files_with_many_writers_are_bounded() -> None:
    def logs() -> Iterator[InputFile]:
        for number in range(300):
            text = "".join(f"[rank{number * 300 + rank}]: hello\n" for rank in range(300))
            yield InputFile(f"{number}.log", io.BytesIO(text.encode()))

    found = read(logs())
    assert len(found.scan.emitters) <= 50_000 + 300
    assert sum(found.scan.lines) == 300 * 300


@pytest.mark.parametrize(
    "line",
    [
        "[rank99999999999999999999]: KeyError: 'a'",
        "failed (exitcode: -9) local_rank: 99999999999999 (pid: 1) of binary: python\nKeyError: 'a'",
        "SLURM_NODELIST=gpu[0-99999999999]\nKeyError: 'a'",
        "step 99999999999999999999999 | loss: 1e999\nKeyError: 'a'",
        "9999-99-99 99:99:99 KeyError: 'a'",
        "world_size=99999999999999999999\nrank 4294967296 nranks 9999999999 cudaDev 3\nKeyError: 'a'",
    ],
)
def test_numbers_beyond_all_bounds_are_survived(line: str) -> None:
    assert diagnosis_of(line).verdict == FAILURE


def test_long_lines_that_are_all_new_are_not_remembered_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.core.diagnosis.scanning.keys.MOST_KEY_BYTES", 1 << 20)

    def log() -> Iterator[bytes]:
        for number in range(3_000):
            word = f"{number:b}".translate(LETTERS)
            yield f"exit code {number % 7} {' '.join(f'{word}{place}' for place in range(300))}\n".encode()

    tracemalloc.start()
    found = read([InputFile("job.log", Spooled(log()))])
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(found.scan.lines) == 3_000
    assert kept < 16 << 20


class Spooled:
    """A stream of lines that are made while it is read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def read(self, size: int, /) -> bytes:
        found = bytearray()
        while len(found) < size and (line := next(self._lines, b"")):
            found += line
        return bytes(found)


def headers(kind: bytes, size: int, times: int) -> bytes:
    """A tar that begins with headers of an entry, each of so many bytes, and no entry behind them."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, size
    return times * (header.tobuf(tarfile.GNU_FORMAT) + b"a" * size + bytes(-size % tarfile.BLOCKSIZE))


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE])
@pytest.mark.parametrize(("size", "times"), [(32 * MIB, 1), (1, 800)], ids=["long", "many"])
def test_a_tars_headers_are_not_kept_however_long_they_are(kind: bytes, size: int, times: int) -> None:
    data = gzip.compress(headers(kind, size, times))
    intake = Intake()
    tracemalloc.start()
    found = list(sources("logs.tar.gz", io.BytesIO(data), intake))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == []
    assert "damaged" in intake.left_out[0].why
    assert peak < 8 * MIB


def test_long_entries_with_long_names_are_read_all_the_same() -> None:
    whole, text = io.BytesIO(), b"a line\n" * 500_000
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for number in range(3):
            entry = tarfile.TarInfo(f"{'long' * 100}/{number}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    intake = Intake()
    looked_at = [one.stream.fill(len(text) // 2 * (place % 2)) for place, one in enumerate(read_all(whole, intake))]
    assert [len(found) for found in looked_at] == [0, len(text) // 2, 0]
    assert intake.left_out == []


def test_a_zip_file_that_is_unpacked_first_does_not_fill_the_disk() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("a.log", bytes(2 * MIB))
    intake = Intake(Limits(zipped=MIB))
    assert list(read_all(io.BytesIO(gzip.compress(whole.getvalue())), intake)) == []
    assert "more than 1 MiB" in intake.left_out[0].why
    assert intake.is_cut


def read_all(whole: io.BytesIO, intake: Intake) -> Iterator[Source]:
    whole.seek(0)
    return sources("logs", whole, intake)
