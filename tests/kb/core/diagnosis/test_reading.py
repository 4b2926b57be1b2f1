"""From files as people have them to text lines: formats, damage, limits. Nothing touches the disk."""

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.reading.blocks import LONGEST, blocks
from kb.core.diagnosis.reading.intake import Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import sources

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LOG = b"step 1 loss 2.5\nRuntimeError: boom\nlast line without an end"


def texts(data: bytes, limits: Limits | None = None, name: str = "job.log") -> tuple[dict[str, str], Intake]:
    intake = Intake(limits or Limits())
    found = {}
    for source in sources(name, io.BytesIO(data), intake):
        found[source.path] = "\n".join(blocks(source.path, source.stream, intake))
    return found, intake


def tarred(members: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return whole.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return whole.getvalue()


COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


class TestFormats:
    @pytest.mark.parametrize("ending", COMPRESSED)
    def test_a_compressed_log_reads_like_a_plain_one(self, ending: str) -> None:
        found, intake = texts(COMPRESSED[ending](LOG), name=f"job.log.{ending}")
        assert found == {"job.log": LOG.decode()}
        assert intake.left_out == []

    def test_several_compressed_parts_behind_each_other_are_one_log(self) -> None:
        found, _ = texts(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
        assert list(found.values()) == ["one\ntwo"]

    @pytest.mark.parametrize("pack", [tarred, zipped, lambda members: gzip.compress(tarred(members))])
    def test_an_archive_gives_all_its_logs(self, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        found, intake = texts(pack({"node1.log": LOG, "deep/node2.log.gz": gzip.compress(LOG)}), name="logs")
        assert found == {"logs/node1.log": LOG.decode(), "logs/deep/node2.log": LOG.decode()}
        assert intake.left_out == []

    def test_a_flight_recorder_dump_is_told_from_a_log(self) -> None:
        kinds = {}
        for name, data in {
            "pickle": b"\x80\x04}q\x00.",
            "json": b'{"nccl_version": "2.20", "entries": []}',
            "log": LOG,
        }.items():
            (found,) = sources(name, io.BytesIO(data), Intake())
            kinds[name] = found.is_dump
        assert kinds == {"pickle": True, "json": True, "log": False}


class TestText:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"\x1b[31mred\x1b[0m plain", "red plain"),
            (b"a\0b", "ab"),
            (b"one\r\ntwo\r\n", "one\ntwo"),
            (b"10%|#   | 1/10\r20%|##  | 2/10\r30%|### | 3/10\n", "30%|### | 3/10"),
            (b"warning: odd\r10%|# | 1/10\r20%|## | 2/10", "warning: odd  20%|## | 2/10"),
            (b"bad \xff\xfe utf", "bad \ufffd\ufffd utf"),
            ("训练失败".encode(), "训练失败"),
            ("\ufeffutf-16".encode("utf-16-le"), "utf-16"),
        ],
    )
    def test_what_a_terminal_does_to_text_is_undone(self, data: bytes, expected: str) -> None:
        found, _ = texts(data)
        assert [text.lstrip("\ufeff") for text in found.values()] == [expected]

    @given(st.lists(st.text("abc 0\t:é", max_size=40), min_size=1, max_size=60))
    def test_physical_lines_keep_their_numbers(self, lines: list[str]) -> None:
        data = "\n".join(lines).encode()
        found, _ = texts(b"x" + data)
        assert "".join(found.values()).split("\n") == f"x{data.decode()}".removesuffix("\n").split("\n")

    def test_a_line_without_end_is_cut_and_the_next_is_still_found(self) -> None:
        found, _ = texts(b"x" * (9 << 20) + b"\nnext")
        lines = found["job.log"].split("\n")
        assert lines[-1] == "next"
        assert LONGEST <= len(lines[0]) <= (4 << 20)


class TestBadInput:
    def test_a_binary_file_is_refused_with_what_to_do(self) -> None:
        with pytest.raises(UnreadableInputError, match="does not look like a text log"):
            texts(bytes(range(256)) * 64)

    @pytest.mark.parametrize("ending", COMPRESSED)
    def test_of_a_cut_off_log_what_there_is_gets_read(self, ending: str) -> None:
        lines = b"".join(os.urandom(12).hex().encode() + b"\n" for _ in range(20_000))
        whole = COMPRESSED[ending](lines)
        found, intake = texts(whole[: len(whole) * 3 // 4])
        assert "".join(found.values()) in lines.decode()
        assert ["cut off" in left.why or "damaged" in left.why for left in intake.left_out] == [True]

    def test_a_bomb_is_stopped(self) -> None:
        bomb = gzip.compress(b"\0" * (8 << 20)) * 40
        limits = Limits(ratio=100, harmless=1 << 20)
        found, intake = texts(bomb, limits)
        assert sum(map(len, found.values())) < 8 << 20
        assert "times its size" in intake.left_out[0].why

    def test_text_beyond_the_limit_is_left_out_and_told(self) -> None:
        _, intake = texts(b"line\n" * (2 << 20), Limits(text=1 << 20))
        assert "Only the first 1 MiB" in intake.left_out[0].why

    @pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b", "..\\b"])
    @pytest.mark.parametrize("pack", [tarred, zipped])
    def test_a_name_that_leads_out_of_an_archive_is_not_followed(
        self, pack: Callable[[dict[str, bytes]], bytes], name: str
    ) -> None:
        found, intake = texts(pack({name: LOG, "fine.log": LOG}), name="logs")
        assert list(found) == ["logs/fine.log"]
        assert "leads out of the archive" in intake.left_out[0].why

    def test_links_in_an_archive_are_left_out(self) -> None:
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w") as archive:
            link = tarfile.TarInfo("link.log")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        found, intake = texts(whole.getvalue())
        assert found == {}
        assert "link" in intake.left_out[0].why

    def test_archives_in_archives_end_somewhere(self) -> None:
        data = LOG
        for _ in range(6):
            data = tarred({"inner.tar": data})
        found, intake = texts(data)
        assert found == {}
        assert "times over" in intake.left_out[0].why

    def test_so_many_files_and_no_more(self) -> None:
        found, intake = texts(tarred({f"{number}.log": LOG for number in range(20)}), Limits(files=5))
        assert len(found) == 5
        assert any("Only the first 5 files" in left.why for left in intake.left_out)

    @given(
        st.binary(max_size=400),
        st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ\0", b"PK\x03\x04"]),
    )
    def test_whatever_comes_is_read_or_refused(self, data: bytes, magic: bytes) -> None:
        with suppress(UnreadableInputError):
            texts(magic + data)
