"""Backups are made beside the others, as many as are wanted stay, and `doctor` knows the last one.

That one brings a destroyed database back is tests/drills/test_backup.py's business.
"""

import datetime as dt
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from kb.backup import programs
from kb.backup.dump import make, make_nightly
from kb.backup.health import backup
from kb.backup.manifest import MANIFEST, BackupError, Manifest, backups, read

TABLES = 100


@pytest.mark.django_db(transaction=True)
def test_the_newest_stay_and_what_a_killed_one_left_goes(tmp_path: Path, settings: Settings) -> None:
    settings.BACKUP_DIR, settings.BACKUPS_KEPT = str(tmp_path / "new" / "folder"), 2
    root = Path(settings.BACKUP_DIR)
    first = make(root)
    (root / ".making-killed").mkdir()
    make_nightly()
    make_nightly()
    assert len(list(root.iterdir())) == 2
    assert first not in backups(root)
    manifest = read(backups(root)[0])
    assert len(manifest.tables) > TABLES
    assert manifest.migrations["kb"] >= "0043"
    assert "kb_diagnosisjob" not in manifest.tables
    assert backup().ok


@pytest.mark.django_db(transaction=True)
def test_a_password_is_on_no_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "not for all eyes")
    found = programs.find()
    connection.close()
    assert "not for all eyes" not in found.address
    assert found.environment["PGPASSWORD"] == "not for all eyes"


@pytest.mark.django_db
def test_programs_older_than_the_server_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "server_major", lambda: 99)
    with pytest.raises(BackupError, match="postgresql-client-99"):
        programs.find()


@pytest.mark.django_db
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="file cannot be written"):
        call_command("backup", str(tmp_path / "file"))
    with pytest.raises(CommandError, match="--keep must be 1 or more"):
        call_command("backup", str(tmp_path), keep=0)
    with pytest.raises(CommandError, match="BACKUP_DIR"):
        call_command("backup")


class TestDoctor:
    """Tells how old the last backup is."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, settings: Settings) -> None:
        settings.BACKUP_DIR = str(tmp_path)

    def made(self, root: Path, ago: dt.timedelta) -> None:
        manifest = Manifest(
            made_at=timezone.now() - ago, program="1.0", postgresql=18, migrations={}, codebooks={}, tables={}, files={}
        )
        folder = root / "faultbook-1"
        folder.mkdir()
        (folder / MANIFEST).write_text(manifest.model_dump_json())

    def test_a_new_one_is_well_and_an_old_one_is_not(self, tmp_path: Path) -> None:
        self.made(tmp_path, dt.timedelta(hours=30))
        assert backup().ok
        assert "1 day ago" in backup().detail
        shutil.rmtree(tmp_path / "faultbook-1")
        self.made(tmp_path, dt.timedelta(days=3))
        assert (backup().ok, "manage.py backup" in backup().fix) == (False, True)

    def test_one_that_cannot_be_read_is_not_well(self, tmp_path: Path) -> None:
        (tmp_path / "faultbook-1").mkdir()
        (tmp_path / "faultbook-1" / MANIFEST).write_text("")
        assert not backup().ok

    @pytest.mark.django_db
    def test_none_is_well_on_the_first_day_only(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE django_migrations SET applied = now()")
            assert backup().ok
            cursor.execute("UPDATE django_migrations SET applied = now() - interval '3 days'")
        assert not backup().ok

    def test_none_is_well_where_no_folder_is_set(self, settings: Settings) -> None:
        settings.BACKUP_DIR = ""
        assert backup().ok
