"""Outgoing webhooks: what is sent, what is signed, what happens when nobody answers, and where nothing is ever sent."""

import base64
import datetime as dt
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from pytest_django import Settings

from kb.http.outgoing import RefusedAddressError, post
from kb.models import Issue, Webhook, WebhookDelivery
from kb.services.fault_changes import follow_faults
from kb.services.webhooks import WAITS, approve, deliver_due, forget_old_deliveries, queue_changes, send_test
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


class Receiver(HTTPServer):
    """Keeps what it is sent, and answers with `status`."""

    status = 204
    received: list[tuple[dict[str, str], str]]

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOKS_LOCAL = True
    server = Receiver(("127.0.0.1", 0), Handler)
    server.received = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def approved(receiver: Receiver) -> Webhook:
    webhook = Webhook(url=receiver.url, note="ours")
    approve(webhook)
    return webhook


def change(**fields: str) -> None:
    Issue.objects.update(**fields)
    follow_faults()
    queue_changes()


def test_an_address_is_told_of_what_changes_after_it_was_approved(receiver: Receiver) -> None:
    make_issue(7, summary="It waits.", public_id="FB-000007")
    follow_faults()
    webhook = approved(receiver)
    assert queue_changes() == 0
    change(summary="It waits for ever.")
    assert deliver_due() == 1
    ((headers, body),) = receiver.received
    (told,) = json.loads(body)["data"]["changes"]
    assert (told["public_id"], told["change"], told["page"]) == ("FB-000007", "changed", "/issues/FB-000007")
    key = base64.b64decode(webhook.secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert (queue_changes(), deliver_due()) == (0, 0)


@pytest.mark.parametrize("status", [500, 302, 404])
def test_what_is_not_taken_is_sent_again_later_with_its_id(receiver: Receiver, status: int) -> None:
    approved(receiver)
    make_issue(7, summary="It waits.", public_id="FB-000007")
    change(summary="It waits for ever.")
    receiver.status = status
    before = timezone.now()
    assert deliver_due() == 1
    delivery = WebhookDelivery.objects.get()
    assert (delivery.outcome, delivery.attempts, delivery.delivered_at) == (str(status), 1, None)
    assert delivery.due_at is not None
    assert delivery.due_at >= before + WAITS[0]
    change(summary="It waits still.")
    assert WebhookDelivery.objects.count() == 1, "the next message waits for this one"
    WebhookDelivery.objects.update(due_at=before)
    receiver.status = 200
    assert deliver_due() == 1
    first, second = (headers["webhook-id"] for headers, _ in receiver.received)
    assert first == second
    assert queue_changes() == 1


def test_an_address_that_takes_nothing_for_a_day_is_switched_off_and_misses_nothing(receiver: Receiver) -> None:
    webhook = approved(receiver)
    make_issue(7, summary="It waits.", public_id="FB-000007")
    change(summary="It waits for ever.")
    receiver.status = 500
    for _ in range(len(WAITS) + 1):
        WebhookDelivery.objects.update(due_at=timezone.now())
        assert deliver_due() == 1
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert (queue_changes(), deliver_due()) == (0, 0)
    receiver.status = 200
    Webhook.objects.update(is_active=True)
    assert (queue_changes(), deliver_due()) == (1, 1)
    assert json.loads(receiver.received[-1][1])["data"]["changes"]


def test_a_test_message_says_at_once_what_became_of_it(receiver: Receiver) -> None:
    webhook = approved(receiver)
    assert send_test(webhook).outcome == "204"
    assert json.loads(receiver.received[0][1])["type"] == "test"
    receiver.shutdown()
    receiver.server_close()
    failed = send_test(webhook)
    assert (failed.delivered_at, failed.due_at) == (None, None)
    assert "ConnectError" in failed.outcome


def test_old_messages_go(receiver: Receiver) -> None:
    send_test(approved(receiver))
    assert forget_old_deliveries() == 0
    WebhookDelivery.objects.update(created_at=timezone.now() - dt.timedelta(days=31))
    assert forget_old_deliveries() == 1


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
        "2130706433", "[::1]", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[2002:a00:1::]",
        "224.0.0.1", "[64:ff9b:1::a00:1]", "[::10.0.0.1]", "[fec0::1]", "[ff02::1]",
    ],
)  # fmt: skip
def test_nothing_is_sent_into_a_private_network(host: str) -> None:
    with pytest.raises(RefusedAddressError, match="private network"):
        post(f"https://{host}/hook", b"{}", {})


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "https://user:word@example.org/",
        "https://example.org:8443/",
        "ftp://example.org/",
        "https:///x",
    ],
)
def test_an_address_that_is_none_of_the_webs_is_refused_when_it_is_added(url: str) -> None:
    with pytest.raises(ValidationError, match=r"Give an address|valid URL"):
        Webhook(url=url, note="ours").full_clean()
