"""`doctor --queries` lists the statements that took longest in all, without the values in them."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from kb.health.slow_queries import slow_queries

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _counting() -> None:
    """In the tests' own database, whose name is another."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        cursor.execute("SELECT pg_stat_statements_reset()")


def ask(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_the_slowest_come_first_with_their_calls_and_no_values() -> None:
    ask("SELECT /* request of-somebody-1 */ pg_sleep(0.02), 'sesame'")
    ask("SELECT /* request of-somebody-2 */ pg_sleep(0.02), 'sesame'")
    ask("SELECT count(*) FROM kb_issue WHERE body = 'sesame'")
    found = slow_queries()
    assert found == sorted(found, key=lambda query: -query.total_ms)
    sleeping = next(query for query in found if "pg_sleep" in query.statement)
    assert (sleeping.statement, sleeping.calls) == ("SELECT pg_sleep($1), $2", 2)
    assert sleeping.total_ms >= 40
    assert sleeping.mean_ms == pytest.approx(sleeping.total_ms / 2, abs=0.1)
    assert "SELECT count(*) FROM kb_issue WHERE body = $1" in {query.statement for query in found}


def test_commands_whose_values_postgresql_keeps_are_left_out() -> None:
    ask("SELECT set_config('statement_timeout', '0', true)")
    ask("SET LOCAL application_name = 'sesame'")
    ask("COMMENT ON TABLE kb_issue IS 'sesame'")
    assert "sesame" not in str(slow_queries())


def test_at_most_ten_as_text_and_as_json() -> None:
    for columns in range(1, 15):
        ask(f"SELECT {', '.join(map(str, range(columns)))}")
    out = StringIO()
    call_command("doctor", "--queries", "--json", stdout=out)
    assert len(json.loads(out.getvalue())) == 10
    call_command("doctor", "--queries", stdout=out)
    assert "SELECT $1" in out.getvalue()


def test_where_postgresql_does_not_count_it_says_what_to_do() -> None:
    ask("DROP EXTENSION pg_stat_statements")
    with pytest.raises(CommandError, match="CREATE EXTENSION pg_stat_statements"):
        call_command("doctor", "--queries")
