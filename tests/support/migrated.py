"""A PostgreSQL folder with every migration applied, made once for each state of the models and copied for each run.

Applying them takes longer than most tests. What is in the tables is the tests' business.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from config.embedded.layout import DEFAULT, ROOT
from config.embedded.postgres import Postgres

KEPT = DEFAULT / "tests"
APPS = ("kb", "ingest", "labeling")


def copy_migrated(folder: Path, settings: Mapping[str, str]) -> None:
    """Put the folder of a stopped server there, making it first where there is none; `settings`: what Django reads."""
    KEPT.mkdir(parents=True, exist_ok=True)
    made = KEPT / f"postgres-{state(_sources())}"
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            for other in KEPT.glob("postgres*"):
                shutil.rmtree(other) if other.is_dir() else other.unlink()
            _make(made, settings)
        # Owners, too: as root, PostgreSQL's folder is its own account's.
        subprocess.run(["cp", "-a", str(made), str(folder)], check=True)


def _make(folder: Path, settings: Mapping[str, str]) -> None:
    half_made = Postgres(KEPT / "postgres", KEPT / "postgres.log", throwaway=True)
    half_made.start()
    try:
        environment = {**os.environ, **settings, "DATABASE_URL": half_made.url()}
        command = [sys.executable, "-W", "ignore", "manage.py", "migrate", "--skip-checks", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    finally:
        half_made.stop()
    half_made.folder.rename(folder)


def state(sources: Iterable[Path]) -> str:
    """Stands for the files as they are now."""
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    """Everything that the tables are made from."""
    yield ROOT / "requirements" / "dev.txt"
    yield ROOT / "config" / "accounts" / "models.py"
    yield from (ROOT / "config" / "accounts" / "migrations").rglob("*.py")
    for app in APPS:
        yield from (ROOT / app / "migrations").rglob("*.py")
        yield from (ROOT / app / "models").rglob("*.py")
        yield from (ROOT / app).glob("models.py")
