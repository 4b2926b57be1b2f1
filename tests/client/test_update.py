"""`faultbook update`: the data file is renewed whole or not at all, and only by one whose sum is right."""

import hashlib
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from faultbook import data, update
from faultbook.__main__ import main

from kb.core.knowledge import file
from kb.core.knowledge.shape import FORMAT, LICENCE, About
from tests.client.serving import Answer, Served, serving

ABOUT = About(FORMAT, "1.3", "2026-01-01", "", LICENCE, 0, "")
PATH, SUMS = f"/dumps/latest/{data.NAME}", "/dumps/latest/SHA256SUMS"


def made(**about: object) -> bytes:
    """A data file with nothing but what it says of itself."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / data.NAME
        file.write(path, {"about": {**asdict(ABOUT), **about}})
        return path.read_bytes()


OLD, NEW = made(), made(as_of="2026-02-02")
FOREIGN = made(format=FORMAT + 1)


def sums(content: bytes) -> bytes:
    return f"{'0' * 64}  issues.parquet\n{hashlib.sha256(content).hexdigest()}  {data.NAME}\n".encode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder with an old data file in it."""
    monkeypatch.setenv("FAULTBOOK_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / data.NAME).write_bytes(OLD)
    return tmp_path / "data"


def content(folder: Path) -> bytes:
    """What the data file has, beside which nothing may lie."""
    (file,) = folder.iterdir()
    return file.read_bytes()


def updated(answers: dict[str, Answer]) -> tuple[int, Served]:
    with serving(answers) as server:
        return main(["update", "--from", server.url]), server


def test_a_newer_one_takes_the_place_of_the_last(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = {PATH: Answer(NEW), SUMS: Answer(sums(NEW))}
    assert (updated(answers)[0], content(folder)) == (0, NEW)
    assert "is renewed" in capsys.readouterr().out
    assert (updated(answers)[0], content(folder)) == (0, NEW)
    assert "is as new already" in capsys.readouterr().out


def test_the_folder_is_made_where_there_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAULTBOOK_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "home" / "share"))
    assert updated({PATH: Answer(NEW), SUMS: Answer(sums(NEW))})[0] == 0
    assert content(folder / "home" / "share" / "faultbook") == NEW


@pytest.mark.parametrize(
    ("answers", "part"),
    [
        ({PATH: Answer(NEW), SUMS: Answer(sums(OLD))}, "does not have the sum"),
        ({PATH: Answer(NEW), SUMS: Answer(b"0  other\n")}, "has no sum of"),
        ({PATH: Answer(FOREIGN), SUMS: Answer(sums(FOREIGN))}, "this version reads"),
        ({PATH: Answer(NEW, length=999), SUMS: Answer(sums(NEW))}, "broke off"),
        ({PATH: Answer(bytes(update.LARGEST + 1)), SUMS: Answer(b"")}, "more than 10 MB"),
        ({PATH: Answer(NEW), SUMS: Answer(bytes(update.LARGEST_SUMS + 1))}, "more than 1 MB"),
        ({PATH: Answer(NEW)}, "404 Not Found. There is no such page."),
        ({PATH: Answer(b"", 302, headers={"Location": "file:///etc/passwd"}), SUMS: Answer(sums(NEW))}, "file:"),
    ],
    ids=["sum", "no sum", "format", "cut off", "too large", "sums too large", "missing", "led to a file"],
)
def test_else_the_old_one_stays(
    folder: Path, answers: dict[str, Answer], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (updated(answers)[0], content(folder)) == (3, OLD)
    assert part in capsys.readouterr().err


def test_interrupted_it_leaves_the_old_one_and_nothing_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    assert updated({PATH: Answer(NEW), SUMS: Answer(sums(NEW))})[0] == 130
    assert content(folder) == OLD


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///tmp", "127.0.0.1", ""])
def test_what_is_no_address_of_a_server_is_refused(folder: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["update", "--from", url]), content(folder)) == (3, OLD)
    assert "Give one such as https://" in capsys.readouterr().err


def test_a_server_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["update", "--from", "http://127.0.0.1:9"]), content(folder)) == (3, OLD)
    assert "cannot be reached" in capsys.readouterr().err


def test_a_file_is_taken_by_the_sums_beside_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / data.NAME).write_bytes(NEW)
    assert (main(["update", "--file", str(tmp_path / data.NAME)]), content(folder)) == (3, OLD)
    (tmp_path / "SHA256SUMS").write_bytes(sums(NEW))
    assert (main(["update", "--file", str(tmp_path / data.NAME)]), content(folder)) == (0, NEW)
