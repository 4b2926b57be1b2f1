"""No search reads a large table from end to end where an index serves: checked where Postgres has a choice.

At a million: `BENCH_MILLION=1 make bench`.
"""

import pytest
from django.test import Client
from pytest_django import Settings

from tests.support.light import fill
from tests.support.plans import table

SIZE = 40_000


@pytest.mark.django_db(transaction=True)
def test_every_statement_of_a_search_is_served_by_an_index(client: Client, settings: Settings) -> None:
    settings.SEARCH_ENGINE = "postgres"
    # Facets are counted to the end, however busy the machine is.
    settings.SEARCH_FACET_MILLISECONDS = 60_000
    fill(SIZE)
    wrong: list[str] = []
    lines = list(table(client, wrong))
    print(*lines, sep="\n")  # noqa: T201
    assert wrong == []
    assert len(lines) > 70
