"""The webhook's address takes what GitHub sends, once each, and nothing else."""

from typing import Any
from unittest.mock import Mock

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from ingest.hosts.webhook import MOST_BYTES, sign
from ingest.models import Delivery
from ingest.sync.wakeups import waker
from ingest.web.webhook import github

pytestmark = pytest.mark.django_db
SECRET = "only-for-the-tests"
PAYLOAD = {"action": "opened", "issue": {"number": 7}, "repository": {"full_name": "octo/engine"}}


@pytest.fixture(autouse=True)
def told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Mock:
    """A secret, and workers that only note that they were told."""
    settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
    told = Mock()
    monkeypatch.setattr(waker, "wake", told)
    return told


def deliver(
    payload: dict[str, Any] | bytes = PAYLOAD, *, event: str = "issues", headers: dict[str, str] | None = None
) -> HttpResponse:
    body = payload if isinstance(payload, bytes) else orjson.dumps(payload)
    sent = {"X-GitHub-Delivery": "guid-1", "X-GitHub-Event": event, "X-Hub-Signature-256": sign(body, SECRET)}
    client = Client(enforce_csrf_checks=True)
    return client.post(  # type: ignore[return-value]
        reverse("github-webhook"), body, content_type="application/json", headers=sent | (headers or {})
    )


def test_the_address_is_the_one_that_hosts_were_told() -> None:
    assert reverse("github-webhook") == "/ingest/github/webhook"


def test_keeps_a_delivery_and_tells_the_workers(told: Mock) -> None:
    assert deliver().status_code == 202
    kept = Delivery.objects.get()
    assert (kept.guid, kept.event, kept.action) == ("guid-1", "issues", "opened")
    assert (kept.repository, kept.ref, kept.handled_at) == ("octo/engine", "7", None)
    told.assert_called_once_with()


def test_a_delivery_sent_anew_is_kept_once() -> None:
    assert [deliver().status_code for _ in range(3)] == [202, 202, 202]
    assert Delivery.objects.count() == 1


def test_takes_one_statement_and_no_session(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        response = deliver()
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("event", ["issues", "issue_comment"])
def test_an_old_secret_still_holds_while_a_new_one_takes_its_place(settings: Settings, event: str) -> None:
    settings.GITHUB_WEBHOOK_SECRETS = ["the-new-one", SECRET]
    assert deliver(event=event).status_code == 202


def test_refuses_a_wrong_signature() -> None:
    for signature in ("", "sha256=" + "0" * 64, sign(b"another body", SECRET)):
        response = deliver(headers={"X-Hub-Signature-256": signature})
        assert response.status_code == 403
        assert b"signature" in response.content
    assert not Delivery.objects.exists()


def test_without_a_secret_says_that_it_is_off(settings: Settings) -> None:
    settings.GITHUB_WEBHOOK_SECRETS = []
    response = deliver()
    assert response.status_code == 404
    assert b"GITHUB_WEBHOOK_SECRET" in response.content


@pytest.mark.parametrize("headers", [{"X-GitHub-Delivery": ""}, {"X-GitHub-Delivery": "a b"}])
def test_refuses_a_delivery_without_a_proper_id(headers: dict[str, str]) -> None:
    assert deliver(headers=headers).status_code == 400


def test_refuses_what_it_cannot_read() -> None:
    assert deliver(b"{").status_code == 400
    assert deliver({"action": "opened"}).status_code == 400
    assert not Delivery.objects.exists()


def test_an_event_that_nobody_needs_is_thanked_for_and_dropped() -> None:
    assert deliver(event="star").status_code == 202
    assert not Delivery.objects.exists()


def test_a_body_larger_than_forms_may_be_is_taken(settings: Settings) -> None:
    large = PAYLOAD | {"comment": {"body": "x" * 4_000_000}}
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE < 4_000_000
    assert deliver(large).status_code == 202


@pytest.mark.parametrize(
    ("told_length", "status"), [(str(MOST_BYTES + 1), 413), ("9" * 30, 413), ("", 411), ("-1", 411), ("many", 411)]
)
def test_the_length_is_looked_at_before_the_body(told_length: str, status: int) -> None:
    request = RequestFactory().post(reverse("github-webhook"), b"", content_type="application/json")
    request.META["CONTENT_LENGTH"] = told_length
    request.META["wsgi.input"] = None  # whoever read it would fail
    assert github(request).status_code == status


def test_a_body_that_ends_too_early_is_refused() -> None:
    request = RequestFactory().post(reverse("github-webhook"), b"{}", content_type="application/json")
    request.META["CONTENT_LENGTH"] = "20"
    assert github(request).status_code == 400


def test_is_asked_by_post_only(client: Client) -> None:
    assert client.get(reverse("github-webhook")).status_code == 405
