"""Brings the database and the static files up to date, in one process, since starting Django costs a second.

Runs as `python -m config.embedded.prepare` with the servers up. What is loaded is decided by the commands
that it calls; when they are needed at all is decided by the fingerprint of everything they read.
"""

import hashlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from config.embedded.layout import ROOT, Layout
from config.embedded.postgres import DATABASE
from config.embedded.progress import say, step

SOURCES = ("config", "kb", "ingest", "labeling", "static", "requirements")
STATIC_STAMP = ".collected"


def fingerprint() -> str:
    """Return what stands for every file that the commands read, and for the place they write to."""
    digest = hashlib.sha256(str(ROOT).encode())
    for path in source_files():
        digest.update(f"\n{path.relative_to(ROOT)} ".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def source_files() -> Iterator[Path]:
    """Yield the files in a fixed order."""
    for name in SOURCES:
        for folder, folders, files in os.walk(ROOT / name):
            folders[:] = sorted(folder for folder in folders if folder != "__pycache__")
            yield from (Path(folder) / file for file in sorted(files) if not file.endswith(".pyc"))


def static_is_current(layout: Layout, current: str) -> bool:
    """Say whether the static files were collected from these sources."""
    stamp = layout.static / STATIC_STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == current


def main() -> int:
    """Migrate, load, collect; print each step, and what a command said only when it failed."""
    output = io.StringIO()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(output):
            os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
            import django

            django.setup()
        run_steps(output)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the one place where all of them end
        say(f"\n{type(error).__name__}: {error}\n{output.getvalue()}".rstrip())
        return 1
    return 0


def run_steps(said: io.StringIO) -> None:
    """Run the commands that bring everything up to date."""
    current = fingerprint()
    with step(4, "Applying migrations"):
        command(said, "migrate", interactive=False)
    with step(5, "Loading the codebook and the starter knowledge base"):
        command(said, "load_codebook")
        command(said, "load_starter")
        # Searches find everything from the first moment; later changes are the indexer's.
        command(said, "run_indexer", once=True)
    with step(6, "Collecting static files"):
        command(said, "collectstatic", interactive=False, clear=False)
    remember(current)


def command(said: io.StringIO, name: str, **options: bool) -> None:
    """Run one command of manage.py and keep what it says."""
    from django.core.management import call_command

    call_command(name, stdout=said, stderr=said, **options)


def remember(current: str) -> None:
    """Write the fingerprint beside what was made from it: into the database, and into the static files."""
    from django.db import connection

    if connection.settings_dict["NAME"] == DATABASE and connection.settings_dict["OPTIONS"].get("host"):
        with connection.cursor() as cursor:
            cursor.execute(f"COMMENT ON DATABASE {DATABASE} IS '{current}'")
    layout = Layout.locate()
    (layout.static / STATIC_STAMP).write_text(current, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
