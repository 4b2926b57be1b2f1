"""The page of completeness checks: form, answer, templates, refusals; it stores nothing."""

import pytest
from django.test import Client

from kb.core.reports.format import report_facts
from kb.core.reports.reading import MOST_CHARACTERS
from tests.kb.core.reports.test_completeness import HANG
from tests.kb.web.reading import Page, read, visit

pytestmark = pytest.mark.django_db
ADDRESS = "/check/report/"


def checked(client: Client, text: str, symptom: str = "") -> Page:
    return read(client.post(ADDRESS, {"text": text, "symptom": symptom}))


def test_it_is_linked_from_the_check_and_from_the_search_for_reports(client: Client) -> None:
    for page in ("/check/", "/issues/reported/"):
        assert ADDRESS in visit(client, page).links


def test_it_needs_no_token_and_sets_no_cookie() -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(ADDRESS, {"text": HANG})
    assert (answer.status_code, answer.cookies) == (200, {})
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex, nofollow"


def test_what_is_missing_comes_with_what_gets_it(client: Client) -> None:
    words = checked(client, HANG).words
    for part in (
        "2 of the 7 facts that it needs are missing.",
        "Read as: It hangs, by",
        "py-spy dump",
        "NCCL_DEBUG=INFO",
    ):
        assert part in words, part


def test_a_named_symptom_counts(client: Client) -> None:
    assert "Read as: It is slow." in checked(client, HANG, "slow").words


def test_each_symptom_has_its_templates_at_an_address(client: Client) -> None:
    for symptom in report_facts().symptoms:
        words = visit(client, f"{ADDRESS}?symptom={symptom}").words
        assert "### " in words
        assert "type: textarea" in words


def test_secrets_and_markup_come_back_as_text_without_the_secret(client: Client) -> None:
    html = client.post(ADDRESS, {"text": "<script>alert(1)</script> HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"})
    text = html.content.decode()
    assert "<script>alert(1)" not in text
    assert "hf_abcdefgh" not in text


@pytest.mark.parametrize(("text", "status"), [("  ", 400), ("x" * (MOST_CHARACTERS + 1), 413)])
def test_what_cannot_be_checked_is_refused_in_words(client: Client, text: str, status: int) -> None:
    answer = client.post(ADDRESS, {"text": text})
    assert answer.status_code == status
    assert 'role="alert"' in answer.content.decode()


def test_an_unknown_symptom_is_a_bad_request(client: Client) -> None:
    assert client.get(f"{ADDRESS}?symptom=rain").status_code == 400
