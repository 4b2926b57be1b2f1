"""The API's checks of a report's draft: the page's answer, in any form of text; refusals in words."""

import json

import pytest
from django.test import Client

from kb.core.check.report import check_report
from tests.kb.core.reports.test_completeness import HANG

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/check/report"


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}/"])
def test_a_text_is_answered_as_on_the_page(client: Client, address: str) -> None:
    answer = client.post(address, HANG, content_type="text/plain; charset=utf-8")
    assert answer.json() == json.loads(json.dumps(check_report([("draft", HANG)])))
    assert answer["Cache-Control"] == "no-store"
    assert "RateLimit-Limit" in answer


def test_several_texts_are_one_draft_of_the_named_symptom(client: Client) -> None:
    texts = json.dumps({"texts": [{"text": "It is slow"}, {"text": "3.2 it/s"}]})
    found = client.post(f"{ADDRESS}?symptom=slow", texts, content_type="application/json").json()
    assert (found["symptom"], found["told_by"], found["needed"]) == ("slow", "", 6)
    assert {fact["code"] for fact in found["facts"] if fact["found"]} == {"numbers"}


@pytest.mark.parametrize(
    ("address", "text", "status"),
    [(ADDRESS, " ", 400), (f"{ADDRESS}?symptom=rain", HANG, 400), (f"{ADDRESS}?colour=red", HANG, 400),
     (ADDRESS, "x" * 70_000, 413)],
)  # fmt: skip
def test_what_cannot_be_checked_is_refused_in_words(client: Client, address: str, text: str, status: int) -> None:
    answer = client.post(address, text, content_type="text/plain")
    assert answer.status_code == status
    assert answer.json()["detail"]
