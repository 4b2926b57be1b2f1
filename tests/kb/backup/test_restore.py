"""A backup that does not fit is refused before anything is written, with words that say what to do."""

import datetime as dt
import tomllib
from pathlib import Path

import pytest

from config.embedded.layout import ROOT
from kb import __version__
from kb.backup.manifest import DUMP, MANIFEST, BackupError, Manifest, describe
from kb.backup.restore import check

MADE = dt.datetime(2026, 11, 27, 3, 15, tzinfo=dt.UTC)

pytestmark = pytest.mark.django_db


def write(root: Path, **said: object) -> Path:
    """A backup whose dump is no dump, so that it is refused by PostgreSQL if not before."""
    folder = root / "faultbook-2026-11-27T03-15-00.000000Z"
    folder.mkdir()
    (folder / DUMP).write_bytes(b"no dump")
    whole = {
        "made_at": MADE, "program": __version__, "postgresql": 18, "migrations": {"kb": "0042_fault_changes"},
        "codebooks": {"house": "1.3"}, "tables": {"kb_issue": 0}, "files": {DUMP: describe(folder / DUMP)},
    }  # fmt: skip
    (folder / MANIFEST).write_text(Manifest.model_validate(whole | said).model_dump_json())
    return folder


def refusal(folder: Path, *, replace: bool = True) -> str:
    with pytest.raises(BackupError) as refused:
        check(folder, replace=replace)
    return str(refused.value)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"program": "99.0.0"}, "install Faultbook 99.0.0 or newer, and restore with that"),
        ({"program": "ours"}, "names no version of Faultbook: ours"),
        ({"migrations": {"kb": "9999_later"}}, "has the migration kb.9999_later, which is not known here"),
        ({"postgresql": 99}, "restore into 99 or newer"),
        ({"files": {}}, "names no database.dump"),
        ({"files": {"/etc/passwd": {"bytes": 1, "sha256": ""}}}, "names no database.dump"),
        ({"files": {DUMP: {"bytes": 1, "sha256": "0" * 64}}}, "its checksum is not the one in manifest.json"),
        ({}, "pg_restore failed"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, said: dict[str, object], answer: str) -> None:
    assert answer in refusal(write(tmp_path, **said))


def test_migrations_that_were_replaced_since_are_known(tmp_path: Path) -> None:
    assert "pg_restore failed" in refusal(write(tmp_path, migrations={"kb": "0026_two_readings"}))


def test_a_database_with_tables_is_not_overwritten_unasked(tmp_path: Path) -> None:
    assert "is not empty" in refusal(write(tmp_path), replace=False)


def test_a_folder_of_backups_is_answered_with_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert f"name one of them: {folder.name}" in refusal(tmp_path)
    (folder / MANIFEST).unlink()
    assert "Name the folder of a backup" in refusal(folder)


@pytest.mark.parametrize("text", ["", '{"format": 2}', "[" * 100_000])
def test_a_damaged_manifest(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path)
    (folder / MANIFEST).write_text(text)
    assert "is damaged, or was written by a newer version" in refusal(folder)


def test_a_dump_that_is_missing(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / DUMP).unlink()
    assert "is missing" in refusal(folder)


def test_the_version_is_that_of_the_project() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__
