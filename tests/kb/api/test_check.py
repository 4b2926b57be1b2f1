"""The API's checks: texts in any form are one set-up; nothing is stored; what cannot be taken is refused in words."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.check.answer import check
from tests.kb.check.faults import FREEZE, ZERO_3, make_fault

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/check"


def post_json(client: Client, data: object) -> Any:
    return client.post(ADDRESS, json.dumps(data), content_type="application/json")


def test_texts_are_one_set_up_and_the_answer_is_that_of_every_face(client: Client) -> None:
    make_fault()
    answer = post_json(client, {"texts": [{"name": "a.txt", "text": FREEZE}, {"name": "ds.json", "text": ZERO_3}]})
    assert answer.status_code == 200
    assert answer.json() == json.loads(json.dumps(check([("a.txt", FREEZE), ("ds.json", ZERO_3)])))
    assert [finding["verdict"] for finding in answer.json()["findings"]] == ["affects"]
    assert answer["Cache-Control"] == "no-store"


def test_a_form_has_files(client: Client) -> None:
    make_fault()
    files = [SimpleUploadedFile("a.txt", FREEZE.encode()), SimpleUploadedFile("ds.json", ZERO_3.encode())]
    data = client.post(ADDRESS, {"file": files}).json()
    assert ([source["name"] for source in data["looked_at"]], data["counts"]["affects"]) == (["a.txt", "ds.json"], 1)


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}/"])
def test_a_text_comes_as_it_is(client: Client, address: str) -> None:
    make_fault("any")
    answer = client.post(address, FREEZE, content_type="text/plain; charset=utf-8")
    assert answer.json()["counts"]["affects"] == 1


def test_it_takes_few_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    make_fault()
    with django_assert_num_queries(5):
        client.post(ADDRESS, FREEZE, content_type="text/plain")
    with django_assert_num_queries(1):
        client.post(ADDRESS, FREEZE, content_type="text/plain")


@pytest.mark.parametrize(
    ("content", "media_type", "status", "part"),
    [
        (" ", "text/plain", 400, "nothing to check"),
        (b"\0\1", "text/plain", 400, "not text"),
        ("{}", "application/json", 400, "texts"),
        ('{"texts": []}', "application/json", 400, "nothing to check"),
        ('{"texts": [{"text": 1}]}', "application/json", 400, "texts"),
        ('{"texts": [{"text": "a", "b": 1}]}', "application/json", 400, "texts"),
        ("{", "application/json", 400, "texts"),
        ("a", "application/pdf", 415, "not accepted"),
        ("a==1\n" * 250_000, "text/plain", 413, "1 MB"),
        ("a==1\n" * 500_000, "text/plain", 413, "1 MB"),
        (json.dumps({"texts": [{"text": "a"}] * 201}), "application/json", 413, "200 files"),
    ],
)
def test_what_cannot_be_taken_is_refused(
    client: Client, content: str | bytes, media_type: str, status: int, part: str
) -> None:
    answer = client.generic("POST", ADDRESS, content, media_type)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert part in answer.json()["detail"]


@pytest.mark.parametrize("data", [{"text": FREEZE}, {"other": SimpleUploadedFile("a", b"a")}, {}])
def test_a_form_has_nothing_else(client: Client, data: dict[str, object]) -> None:
    assert client.post(ADDRESS, data).status_code == 400


def test_a_parameter_is_refused(client: Client) -> None:
    assert client.post(f"{ADDRESS}?wait=no", FREEZE, content_type="text/plain").status_code == 400


def test_it_counts_as_a_diagnosis(client: Client, settings: Any) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"diagnosis": "1/h"}}
    assert client.post(ADDRESS, FREEZE, content_type="text/plain").status_code == 200
    answer = client.post(ADDRESS, FREEZE, content_type="text/plain")
    assert (answer.status_code, int(answer["Retry-After"]) > 0) == (429, True)
