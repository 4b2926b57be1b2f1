"""Fixtures for tests of the importers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from ingest.imports.outcomes import FileOutcome
from kb.models import Study
from tests.ingest.small import ImportText, Write, make_small_study, run_small


@pytest.fixture
def small_study(db: None) -> Study:
    return make_small_study()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write bytes or lines to a file of this name in the test's folder."""

    def write(content: bytes | list[str], name: str = "set.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else "".join(f"{x}\n" for x in content).encode())
        return path

    return write


@pytest.fixture
def import_text(small_study: Study, write: Write) -> ImportText:
    """Import content as one file of the small study and return the file's outcome."""

    def run(content: bytes | list[str], name: str = "set.csv", **changes: Any) -> FileOutcome:
        return run_small([write(content, name)], **changes).files[0]

    return run


@pytest.fixture(scope="package", autouse=True)
def _ids_go_on_from_afar(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Bulk writes take ids up where the stored rows end; rows that other tests keep in memory have ids too."""
    yield
    # Where only pure tests ran there is no test database.
    if not str(connection.settings_dict["NAME"]).startswith("test_"):
        return
    columns = [
        (model._meta.db_table, model._meta.pk.column)
        for app in ("kb", "ingest")
        for model in apps.get_app_config(app).get_models()
    ]
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for table, column in columns:
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, %s), 1000000)", [table, column])
