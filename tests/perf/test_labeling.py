"""Server time and SQL statements of submitting a vote and showing the next issue. Run with `make bench`.

A round of 2,000 issues with logs in their texts, three votes each, by the house codebook with its seven axes. Both
requests count together: what an annotator waits for between two issues.
"""

import statistics
import time
from typing import Any

import psutil
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labeling.models import Member, Round
from labeling.selectors.codebooks import frozen_axes
from labeling.services.assignment import next_slot
from tests.perf.labeled import make_large_round

ISSUES, VOTES, SUBMITS, ANNOTATORS = 2_000, 3, 300, 5
TARGET_MS = 150


@pytest.fixture
def annotators(codebook: None) -> tuple[Round, list[Member]]:
    """An open round of the house codebook, and the people who label it."""
    _, round_, people = make_large_round(issues=ISSUES, votes=VOTES, annotators=ANNOTATORS)
    return round_, people


def _ballot(round_: Round) -> dict[str, Any]:
    """One answer, and where several are possible two, on each axis; with a passage."""
    axes = frozen_axes(codebook_id=round_.codebook_id)
    answers = {
        f"axis-{one.axis.code}": [version.node.code for version in one.versions[: 2 if one.axis.several else 1]]
        for one in axes
    }
    return {**answers, "confidence": "3", "note": "", "evidence": "body:18:26:symptom", "revision": "0", "active": "40"}


def _milliseconds(client: Client, path: str, ballot: dict[str, Any]) -> tuple[float, float, str]:
    """Submit and open what follows: the time of both requests, and the next address."""
    started = time.perf_counter()
    response = client.post(path, ballot)
    between = time.perf_counter()
    assert response.status_code == 302, response.content[:500]
    shown = client.get(response["Location"])
    ended = time.perf_counter()
    assert b"axis-symptom" in shown.content
    return (between - started) * 1_000, (ended - between) * 1_000, response["Location"]


@pytest.mark.django_db
def test_from_a_vote_to_the_next_issue(
    annotators: tuple[Round, list[Member]], capsys: pytest.CaptureFixture[str]
) -> None:
    round_, people = annotators
    before = _computed()
    ballot = _ballot(round_)
    times: list[tuple[float, float]] = []
    statements = [0]
    for member in people:
        client = Client()
        client.force_login(member.user)
        slot = next_slot(member=member, round_=round_)
        assert slot is not None
        path = reverse("labeling:label", args=["bench", round_.number, slot.item.position])
        client.get(path)
        for _ in range(SUBMITS // ANNOTATORS):
            submitted, shown, path = _milliseconds(client, path, ballot)
            times.append((submitted, shown))
        with CaptureQueriesContext(connection) as captured:
            *_, path = _milliseconds(client, path, ballot)
        statements.append(len(captured))
    with capsys.disabled():
        computed = (_computed() - before) * 1_000 / (len(times) + 2 * len(people))
        print("\n" + "\n".join(_table(times, max(statements), computed)))  # noqa: T201


def _computed() -> float:
    """Seconds that this process and its Postgres backend have computed; whoever else is busy does not count."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return time.process_time() + backend.user + backend.system


def _table(times: list[tuple[float, float]], statements: int, computed: float) -> list[str]:
    columns = {
        "submit": [submitted for submitted, _ in times],
        "next issue": [shown for _, shown in times],
        "both together": [submitted + shown for submitted, shown in times],
    }
    lines = [f"{len(times)} votes in a round of {ISSUES:,} issues; {statements} statements for both requests"]
    for name, each in columns.items():
        p95 = statistics.quantiles(each, n=20)[-1]
        verdict = "" if name != "both together" else "  ok" if p95 <= TARGET_MS else "  MISSED"
        lines.append(f"{name:14} median {statistics.median(each):6.1f} ms   p95 {p95:6.1f} ms{verdict}")
    lines.append(f"computed, ours and Postgres': {computed:.1f} ms for both together on average")
    return [*lines, f"target: p95 of both together {TARGET_MS} ms"]
