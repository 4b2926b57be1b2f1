"""Statements to PostgreSQL name the request that they are for, and are else as they were."""

from collections.abc import Iterator

import pytest
from django.db import connection

from config.postgres.base import named
from kb.http.request_ids import work_on


@pytest.fixture(autouse=True)
def _request() -> Iterator[None]:
    work_on("a-request-1")
    yield
    work_on("")


def sent(sql: object) -> object:
    return named(lambda sql, *_: sql, sql, (), False, {})


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "SELECT /* request a-request-1 */ 1"),
        ("\n  (SELECT\n'a b') UNION SELECT 2", "\n  (SELECT /* request a-request-1 */\n'a b') UNION SELECT 2"),
        ("COMMIT", "COMMIT /* request a-request-1 */"),
        ("-- a remark\nSELECT 1", "-- a remark\nSELECT 1"),
        (b"SELECT 1", b"SELECT 1"),
        ("", ""),
    ],
)
def test_the_request_is_named_behind_the_first_word(sql: object, expected: object) -> None:
    assert sent(sql) == expected


def test_without_a_request_a_statement_stays_as_it_is() -> None:
    work_on("")
    assert sent("SELECT 1") == "SELECT 1"


def test_each_connection_names_its_statements() -> None:
    assert connection.copy().execute_wrappers == [named]
