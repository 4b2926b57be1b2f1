"""What the box asks for while a filter is typed."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.support.factories import make_node

pytestmark = pytest.mark.django_db
ADDRESS = "/issues/suggest"


def offered(client: Client, **params: str) -> list[str]:
    return [one["insert"] for one in client.get(ADDRESS, params).json()["completions"]]


def test_a_key_and_then_its_values(client: Client) -> None:
    make_node("hang", name="Hang", aliases=["stuck"])
    assert offered(client, text="symp", caret="4") == ["symptom:"]
    assert offered(client, text="x symptom:stu", caret="13") == ["hang"]


def test_says_where_the_completion_belongs(client: Client) -> None:
    [one] = client.get(ADDRESS, {"text": "𝄞 symp rest", "caret": "6"}).json()["completions"]
    assert (one["start"], one["end"], one["name"]) == (2, 6, "Symptom")


def test_may_be_kept_for_a_minute(client: Client) -> None:
    assert client.get(ADDRESS, {"text": "a", "caret": "1"}).headers["Cache-Control"] == "public, max-age=60"


@pytest.mark.parametrize(
    "params", [{}, {"text": "symp", "caret": "-3"}, {"caret": "9" * 50}, {"text": "\x00", "caret": "x"}]
)
def test_no_input_breaks_it(client: Client, params: dict[str, str]) -> None:
    assert client.get(ADDRESS, params).status_code == 200


def test_takes_one_query_at_most(client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(1):
        client.get(ADDRESS, {"text": "symptom:h", "caret": "9"})
