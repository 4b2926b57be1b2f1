"""Makes a backup: beside the others, and only when it is whole it takes its name. Reading one is `manifest`."""

import datetime as dt
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from kb import __version__
from kb.backup import programs
from kb.backup.manifest import DUMP, MANIFEST, PREFIX, BackupError, Manifest, backups, describe
from kb.models import Scheme
from kb.services.locks import session_lock

# The transaction waits while pg_dump works.
ONE_MOMENT = """
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0
"""
BEING_MADE = ".making-"
# Extensions that watch a server: another one may lack them, and only a superuser makes them.
OF_THE_SERVER = ["plpgsql", "pg_stat_statements"]
# Diagnoses of people's logs lie in tables that are not logged: they belong in no backup.
LOGGED_TABLES = """
SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpersistence = 'p'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
ORDER BY relname
"""


def make(root: Path, *, keep: int | None = None) -> Path:
    """Make a backup below `root`, delete all but the last `keep` if that is given, and return its folder.

    Raises `LockHeldError` while another process makes one, and BackupError where none can be made.
    """
    with session_lock("backup"):
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = _make(root)
            for old in backups(root)[keep:] if keep else ():
                shutil.rmtree(old)
        except OSError as error:
            raise BackupError(f"{root} cannot be written: {error.strerror or error}.") from error
    return folder


def make_nightly() -> None:
    """Make the backup of this night where a folder is set for that."""
    if settings.BACKUP_DIR:
        make(Path(settings.BACKUP_DIR), keep=settings.BACKUPS_KEPT)


def _make(root: Path) -> Path:
    for left_by_a_killed_one in root.glob(f"{BEING_MADE}*"):
        shutil.rmtree(left_by_a_killed_one)
    # For this user's eyes only, as all that is made in it.
    beside = Path(tempfile.mkdtemp(prefix=BEING_MADE, dir=root))
    try:
        manifest = _write(beside)
        (beside / MANIFEST).touch(mode=0o600)
        (beside / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n")
        folder = root / f"{PREFIX}{manifest.made_at:%Y-%m-%dT%H-%M-%S.%fZ}"
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def _write(folder: Path) -> Manifest:
    """The dump and the numbers in the manifest are of one moment, whatever is written meanwhile."""
    dump = folder / DUMP
    dump.touch(mode=0o600)
    found = programs.find()
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute(ONE_MOMENT)
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        options = ["--format=custom", "--no-unlogged-table-data", f"--snapshot={snapshot}", f"--file={dump}"]
        cursor.execute("SELECT extname FROM pg_extension WHERE extname <> ALL(%s)", [OF_THE_SERVER])
        options += [f"--extension={name}" for (name,) in cursor.fetchall()]
        found.run("pg_dump", *options, f"--dbname={found.address}")
        return Manifest(
            made_at=timezone.now().astimezone(dt.UTC),
            program=__version__,
            postgresql=programs.server_major(),
            migrations=_newest_migrations(),
            codebooks=dict(Scheme.objects.order_by("slug").values_list("slug", "version")),
            tables=count_rows(),
            files={DUMP: describe(dump)},
        )


def _newest_migrations() -> dict[str, str]:
    loader = MigrationLoader(connection)
    applied = sorted(key for key in loader.applied_migrations if key[0] in loader.migrated_apps)
    return dict(applied)


def count_rows() -> dict[str, int]:
    """How many rows each table has that belongs in a backup."""
    with connection.cursor() as cursor:
        cursor.execute(LOGGED_TABLES)
        tables = [name for (name,) in cursor.fetchall()]
        if not tables:
            return {}
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {connection.ops.quote_name(name)}" for name in tables)  # noqa: S608
        )
        return dict(cursor.fetchall())
