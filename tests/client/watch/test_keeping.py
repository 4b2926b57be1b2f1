"""What is kept of a run's output: the beginning and the end of it, in whole lines that are counted rightly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from faultbook.watch import rank_logs
from faultbook.watch.parts import Part, Pieces
from faultbook.watch.rank_logs import RankLogs
from faultbook.watch.spool import Spool

from tests.client.watch.running import ENVIRONMENT


def lines_of(part: Part) -> dict[int, bytes]:
    """The lines that are kept, by their numbers in the whole."""
    pieces = Pieces(part)
    text = b"".join(iter(lambda: pieces.read(1000), b""))
    return {part.line(number): line for number, line in enumerate(text.splitlines(), 1)}


class TestSpool:
    def test_keeps_everything_that_fits(self) -> None:
        spool = Spool()
        spool.add(1, b"one\ntwo\nthr")
        spool.add(2, b"an error\n")
        spool.add(1, b"ee\nfour")
        assert list(lines_of(spool.part()).values()) == [b"one", b"two", b"an error", b"three", b"four"]

    @pytest.mark.parametrize("count", [1, 99, 1_000, 12_345])
    def test_keeps_the_beginning_and_the_end_of_more_with_the_lines_numbers(self, count: int) -> None:
        spool = Spool(head=500, ring=2_000)
        for number in range(1, count + 1):
            spool.add(1, b"line %d\n" % number)
            spool.write()
        kept = lines_of(spool.part())
        assert all(line == b"line %d" % number for number, line in kept.items())
        assert {1, count} <= kept.keys()
        assert len(kept) in range(min(count, 180), min(count, 400) + 1)

    def test_a_line_without_end_takes_no_more_than_its_share(self) -> None:
        spool = Spool(head=1 << 20, ring=1 << 20)
        for _ in range(100):
            spool.add(1, bytes(60_000))
        assert sum(map(len, spool._begun.values())) <= 1 << 16

    def test_a_full_disk_leaves_the_end_in_memory_and_says_so(self) -> None:
        # In a process of its own: limits hold for all that it writes.
        code = (
            "import resource\n"
            "from faultbook.watch.spool import Spool\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
            "spool = Spool()\n"
            "for number in range(1, 200_001): spool.add(1, b'line %d of many more\\n' % number)\n"
            "part = spool.part(); text = b''.join(part.pieces).splitlines()\n"
            "print(spool.problem, part.line(len(text)), text[0].decode(), text[-1].decode(), sep='|')"
        )
        told = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
        problem, last, *ends = told.stdout.strip().split("|")
        assert problem == "The disk did not take all of the output, so its last part alone was kept: File too large."
        assert (last, ends) == ("200000", ["line 1 of many more", "line 200000 of many more"])


class TestRankLogs:
    def test_follow_what_is_written_from_now_on(self, tmp_path: Path) -> None:
        old, new = tmp_path / "rank0.log", tmp_path / "rank1.log"
        old.write_text("of an earlier run\n")
        logs = RankLogs([f"{tmp_path}/*.log"])
        with old.open("a") as file:
            file.write("of this run\n")
        new.write_text("came later\n")
        assert sorted(logs.look()) == [b"came later\n", b"of this run\n"]
        assert list(logs.look()) == []
        assert {Path(part.name).name: lines_of(part) for part in logs.parts()} == {
            "rank0.log": {2: b"of this run"},
            "rank1.log": {1: b"came later"},
        }

    def test_follow_a_file_that_is_cut_or_rotated(self, tmp_path: Path) -> None:
        log = tmp_path / "rank0.log"
        logs = RankLogs([str(log)])
        log.write_text("one\ntwo\n")
        list(logs.look())
        os.truncate(log, 0)
        with log.open("a") as file:
            file.write("three\n")
        assert list(logs.look()) == [b"three\n"]
        log.rename(tmp_path / "rank0.log.1")
        log.write_text("four\n")
        assert list(logs.look()) == [b"four\n"]
        assert [lines_of(part) for part in logs.parts()] == [{1: b"three"}, {1: b"four"}]

    def test_read_only_the_ends_of_long_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rank_logs, "FOR_ALL", 1_000)
        monkeypatch.setattr(rank_logs, "FOR_ONE", 1_000)
        logs = RankLogs([f"{tmp_path}/*.log"])
        (tmp_path / "rank0.log").write_text("".join(f"line {number}\n" for number in range(1, 10_001)))
        kept = lines_of(logs.parts()[0])
        assert min(kept) > 9_900
        assert all(line == b"line %d" % number for number, line in kept.items())

    def test_leave_other_kinds_of_files_alone(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.log")
        (tmp_path / "folder.log").mkdir()
        assert list(RankLogs([f"{tmp_path}/*.log"]).look()) == []
