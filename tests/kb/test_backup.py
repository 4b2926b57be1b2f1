"""A dump can be restored: docs/running.md promises it, and a function that is not found by its bare name breaks it."""

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from config.embedded.postgres import programs
from tests.support.factories import make_issue


def run(program: str, *arguments: str) -> str:
    done = subprocess.run([programs() / program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.django_db(transaction=True)
def test_a_dump_is_restored_with_its_computed_columns(tmp_path: Path) -> None:
    make_issue(5030, title="Hang in ZeRO-3")
    dump = tmp_path / "faultbook.dump"
    server = urlsplit(os.environ["DATABASE_URL"])
    source = urlunsplit(server._replace(path=f"/{connection.settings_dict['NAME']}"))
    run("pg_dump", "--format", "custom", "--file", str(dump), source)
    name = f"{settings.DATABASES['default']['NAME']}_restored"
    target = urlunsplit(server._replace(path=f"/{name}"))
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name}")
        try:
            run("pg_restore", "--exit-on-error", "--dbname", target, str(dump))
            found = "SELECT ref FROM kb_issue WHERE search_vector @@ to_tsquery('english', 'zero3')"
            assert run("psql", "-XAt", target, "-c", found) == "5030"
        finally:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
