"""Restores a backup: looks first whether it fits, then puts all of it back in one transaction, or nothing."""

import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from packaging.version import InvalidVersion, Version
from psycopg import sql

from kb import __version__
from kb.backup import programs
from kb.backup.dump import count_rows
from kb.backup.manifest import ANOTHER, DUMP, BackupError, Manifest, read, verify
from kb.backup.programs import Programs

# Who waits longer for others to let the tables go says so.
PREPARE = "BEGIN; SET client_min_messages = warning; SET lock_timeout = '60s';\n"
EMPTY = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n"


def check(folder: Path, *, replace: bool) -> Manifest:
    """The manifest of a backup that is whole and fits here. Raises BackupError otherwise; nothing is written."""
    manifest = read(folder)
    verify(folder, manifest)
    _is_not_newer(manifest)
    if programs.server_major() < manifest.postgresql:
        raise BackupError(
            f"The backup is of PostgreSQL {manifest.postgresql}, and this server is {programs.server_major()}: "
            f"restore into {manifest.postgresql} or newer."
        )
    rows = count_rows()
    if rows and not replace:
        raise BackupError(
            f"The database {connection.settings_dict['NAME']} is not empty: it has {len(rows)} tables with "
            f"{sum(rows.values()):,} rows. Restore into an empty one, or delete what is in it with --replace."
        )
    programs.find(restoring=True).run("pg_restore", "--list", str(folder / DUMP))
    return manifest


def restore(folder: Path, *, replace: bool) -> Manifest:
    """Put a backup back, all or nothing, and migrate it. What ships with this version is loaded at the next start."""
    manifest = check(folder, replace=replace)
    found = programs.find(restoring=True)
    # Its locks would be in the way.
    connection.close()
    _pour(found, folder / DUMP, manifest, replace=replace)
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return manifest


def _is_not_newer(manifest: Manifest) -> None:
    get = f"install Faultbook {manifest.program} or newer, and restore with that."
    try:
        is_newer = Version(manifest.program) > Version(__version__)
    except InvalidVersion as error:
        raise BackupError(f"The manifest names no version of Faultbook: {manifest.program}. {ANOTHER}") from error
    if is_newer:
        raise BackupError(f"The backup is of Faultbook {manifest.program}, and this is {__version__}: {get}")
    loader = MigrationLoader(None)
    known = set(loader.disk_migrations)
    known.update(old for migration in loader.disk_migrations.values() for old in migration.replaces)
    for key in manifest.migrations.items():
        if key[0] in loader.migrated_apps and key not in known:
            raise BackupError(f"The backup has the migration {'.'.join(key)}, which is not known here: {get}")


def _pour(found: Programs, dump: Path, manifest: Manifest, *, replace: bool) -> None:
    """Have psql do what pg_restore writes, and commit only when that was all and every row is there."""
    psql = found.command("psql", "-XAtq", "--set=ON_ERROR_STOP=1", f"--dbname={found.address}")
    pg_restore = found.command("pg_restore", "--no-owner", "--no-privileges", "--file=-", str(dump))
    reading, writing = os.pipe()
    is_whole = False
    with tempfile.TemporaryFile("w+") as said, os.fdopen(reading) as end, os.fdopen(writing, "wb") as into:
        process = subprocess.Popen(psql, env=found.environment, stdin=end, stdout=subprocess.DEVNULL, stderr=said)  # noqa: S603
        end.close()
        with suppress(BrokenPipeError), into:
            into.write((PREPARE + (EMPTY if replace else "")).encode())
            into.flush()
            is_whole = subprocess.run(pg_restore, stdout=into, stderr=said, check=False).returncode == 0  # noqa: S603
            into.write((_checks(manifest) + "COMMIT;\n").encode() if is_whole else b"")
        if process.wait() or not is_whole:
            said.seek(0)
            raise BackupError(f"Nothing was restored; the database is as it was:\n{said.read().strip()}")


def _checks(manifest: Manifest) -> str:
    """Statements that fail where a table has not the rows that it had; and `make up` is to look at everything anew."""
    check_one = "IF (SELECT count(*) FROM public.{}) <> {} THEN RAISE EXCEPTION 'rows are missing'; END IF;"
    each = [
        sql.SQL(check_one).format(sql.Identifier(name), sql.Literal(count)).as_string()
        for name, count in manifest.tables.items()
    ]
    anew = (
        sql.SQL("COMMENT ON DATABASE {} IS NULL;").format(sql.Identifier(connection.settings_dict["NAME"])).as_string()
    )
    return "DO $check$ BEGIN " + "\n".join(each) + f" END $check$;\n{anew}\n"
