"""Makes the file by which test_upgrade.py brings a release to the present: once, when a version is released.

`python -m tests.drills.release_dump COMMIT VERSION` takes the code of a commit out of git, installs the packages it was
locked to, and has it make and fill a database.
"""

import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.drills.filled import fill
from tests.drills.served import Served
from tests.support.servers import SETTINGS

DATA = Path(__file__).parent / "data"


def main(commit: str, version: str) -> None:
    """Write the file."""
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory(prefix="faultbook-release-") as folder:
        site = Served(Path(folder), {})
        site.code = Path(folder) / "code"
        site.python = _check_out(commit, site.code)
        try:
            site.postgres.start()
            site.valkey.start()
            for command in ("migrate", "load_codebook"):
                site.manage(command)
            fill(site)
            options = ("--no-owner", "--no-unlogged-table-data", "--rows-per-insert=100")
            dump = [str(site.postgres.programs / "pg_dump"), *options, site.postgres.url()]
            sql = subprocess.run(dump, check=True, capture_output=True).stdout
        finally:
            site.stop()
    # psql's own commands are not for psycopg.
    lines = [line for line in sql.splitlines(keepends=True) if not line.startswith((b"\\restrict", b"\\unrestrict"))]
    path = DATA / f"faultbook-{version}.sql.xz"
    path.write_bytes(lzma.compress(b"".join(lines), preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


def _check_out(commit: str, folder: Path) -> str:
    """Put the code of a commit there, and return its Python."""
    folder.mkdir()
    code = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=code, check=True)
    python = folder / ".venv" / "bin" / "python"
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", folder / ".venv"], check=True)
    locked = folder / "requirements" / "run.txt"
    subprocess.run([uv, "pip", "sync", "--quiet", "--python", python, locked], check=True)
    return str(python)


if __name__ == "__main__":
    main(*sys.argv[1:])
