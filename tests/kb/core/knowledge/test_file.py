"""Data files: written row by row, unpacked member by member, and refused in words where they cannot be used."""

import json
import os
import sys
from pathlib import Path

import pytest

from kb.core.knowledge import file
from kb.core.knowledge.file import BadDataError, read, write
from kb.core.knowledge.known import Knowledge, load
from kb.core.knowledge.shape import FORMAT, About

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ABOUT = About(FORMAT, "1", "2026-11-27", "", "", 0, "")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "data.zst"
    write(path, {"about": ABOUT, "rows": ({"id": number} for number in range(3)), "last": ["a\nb", "ü"]})
    return path


def test_members_are_read_in_any_order(written: Path) -> None:
    members = read(written)
    assert members["last"] == ["a\nb", "ü"]
    assert members["rows"] == [{"id": 0}, {"id": 1}, {"id": 2}]


def test_the_whole_is_one_json_object(written: Path) -> None:
    text = zstd.decompress(written.read_bytes())
    assert list(json.loads(text)) == ["about", "rows", "last"]


def test_the_first_members_are_read_where_later_ones_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "data.zst"
    write(path, {"about": ABOUT, "rows": [os.urandom(200).hex() for _ in range(5_000)], "last": 1})
    path.write_bytes(path.read_bytes()[:-5_000])
    members = read(path)
    assert members["about"]["format"] == FORMAT
    with pytest.raises(BadDataError, match=r"damaged or lacks “last”\. Fetch it again"):
        members["last"]


@pytest.mark.parametrize("content", [b"", b"no zstd file", b"\x28\xb5\x2f\xfd", b'{"about": 1}'])
def test_what_is_no_data_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "data.zst"
    path.write_bytes(content)
    with pytest.raises(BadDataError, match="damaged or lacks “about”"):
        load(path, tmp_path)


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MOST_UNPACKED", 20)
    with pytest.raises(BadDataError, match="damaged"):
        read(written)["about"]


def test_a_file_that_is_too_large_or_not_there_is_refused(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MOST_PACKED", 20)
    with pytest.raises(BadDataError, match="no data file of Faultbook"):
        read(written)
    with pytest.raises(BadDataError, match="No such file"):
        read(written.with_name("other"))


def test_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "data.zst"
    write(path, {"about": {"format": FORMAT + 1}})
    with pytest.raises(BadDataError, match="Update the program, or fetch the data again"):
        Knowledge(read(path), tmp_path)


def test_a_writer_that_fails_leaves_the_former_file(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(ZeroDivisionError):
        write(written, {"about": ABOUT, "rows": (1 // number for number in (1, 0))})
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.iterdir()] == [written.name]
