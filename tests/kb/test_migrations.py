"""A migration that goes back takes away what it made, so that it can go forward again."""

import re
from itertools import chain

import pytest
from django.db.migrations import Migration, RunSQL
from django.db.migrations.loader import MigrationLoader

MADE = re.compile(r"^CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW|STATISTICS|SEQUENCE) (\w+)", re.MULTILINE)
OURS = ("kb", "ingest", "labeling", "accounts")


def migrations() -> list[Migration]:
    found = MigrationLoader(None).disk_migrations
    return [migration for (app, _), migration in sorted(found.items()) if app in OURS]


@pytest.mark.parametrize("migration", migrations(), ids=lambda one: f"{one.app_label}.{one.name}")
def test_what_is_made_is_named_on_the_way_back(migration: Migration) -> None:
    for step in chain.from_iterable(getattr(each, "operations", [each]) for each in migration.operations):
        if isinstance(step, RunSQL):
            made = set(MADE.findall(str(step.sql)))
            assert {name for name in made if name not in str(step.reverse_sql)} == set()
