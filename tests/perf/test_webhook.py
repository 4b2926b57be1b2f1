"""Webhook deliveries at 500 a second for 10 seconds, through the server as `make up` starts it. `make bench`.

Sent on schedule over open connections, whether or not the ones before were answered; a delivery's time counts from
when it was due.
"""

import os
import socket
import statistics
import threading
import time
from dataclasses import dataclass, field
from typing import BinaryIO

import orjson
import pytest
from django.db import connection

from ingest.hosts.webhook import sign
from ingest.models import Delivery
from tests.perf.serving import at_home, computed

A_SECOND, SECONDS, CONNECTIONS = 500, 10, 16
PAYLOAD_BYTES = 12_000
MOST_MILLISECONDS = 100
SECRET = "only-for-the-benchmark"


@dataclass
class Sender:
    """One connection and what came back on it; `requests` maps when each is due to its bytes."""

    port: int
    requests: list[tuple[float, bytes]]
    statuses: list[int] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def run(self, began: float) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as line, line.makefile("rb") as answers:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for due, request in self.requests:
                time.sleep(max(0.0, began + due - time.perf_counter()))
                line.sendall(request)
                self.statuses.append(_status(answers))
                self.milliseconds.append((time.perf_counter() - began - due) * 1_000)


def _status(answers: BinaryIO) -> int:
    status = int(answers.readline().split()[1])
    length = 0
    while (line := answers.readline().strip()) != b"":
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    answers.read(length)
    return status


def _request(number: int) -> bytes:
    payload = {
        "action": "edited",
        "issue": {"number": number + 1, "body": "x" * PAYLOAD_BYTES},
        "repository": {"full_name": "octo/engine"},
    }
    body = orjson.dumps(payload)
    head = (
        "POST /ingest/github/webhook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nX-GitHub-Event: issues\r\nX-GitHub-Delivery: bench-{number}\r\n"
        f"X-Hub-Signature-256: {sign(body, SECRET)}\r\n\r\n"
    )
    return head.encode() + body


@pytest.mark.django_db(transaction=True)
def test_500_deliveries_a_second_are_taken_without_loss(capsys: pytest.CaptureFixture[str]) -> None:
    total = A_SECOND * SECONDS
    requests = [(number / A_SECOND, _request(number)) for number in range(total)]
    with at_home({"GITHUB_WEBHOOK_SECRET": SECRET}) as (port, pid):
        before = computed(pid)
        senders = [Sender(port, requests[one::CONNECTIONS]) for one in range(CONNECTIONS)]
        began = time.perf_counter() + 0.2
        threads = [threading.Thread(target=sender.run, args=(began,)) for sender in senders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - began
        each = (computed(pid) - before) * 1_000 / total
    times = sorted(one for sender in senders for one in sender.milliseconds)
    with capsys.disabled():
        print(  # noqa: T201
            f"\nwebhook: {total} deliveries of {PAYLOAD_BYTES / 1_000:.0f} kB in {took:.1f} s, {os.cpu_count()} cores:"
            f" median {statistics.median(times):.1f} ms, 99 % {times[int(total * 0.99)]:.1f} ms,"
            f" most {times[-1]:.1f} ms; {each:.2f} ms of computing each"
        )
    assert [status for sender in senders for status in sender.statuses] == [202] * total
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT ref) FROM ingest_delivery")
        assert cursor.fetchone() == (total,)
    assert Delivery.objects.count() == total
    assert times[int(total * 0.99)] < MOST_MILLISECONDS
