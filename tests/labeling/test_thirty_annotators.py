"""Thirty annotators at once over real HTTP, while workers are killed: exactly k votes on each issue, nothing lost.

On the way one annotator is replaced by another, and one is taken out of the round.

`make bench` runs it with 2,000 issues and holds it to its time (tests/perf/test_thirty_annotators.py).
"""

import os
import signal
import statistics
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from django.db import connection

from labeling.models import Draft, Item, Round, Slot, Vote
from labeling.services.round_people import remove_annotator, replace_annotator
from tests.labeling.crowd import Crowd, label_all
from tests.labeling.factories import make_member, make_project, make_round
from tests.perf.serving import product, workers

ANNOTATORS, VOTES = 30, 3
RESPAWN = ("--respawn-failed-workers", "--respawn-interval", "0.2")


def run(issues: int, folder: Path, *, kills: int, think: float = 0) -> tuple[Crowd, Round, int]:
    """Label a round of so many issues, killing a worker so often on the way: the crowd, the round, and the kills.

    `think`: seconds that everybody takes over an issue, on average.
    """
    lead = make_project()
    people = [make_member(lead.project) for _ in range(ANNOTATORS + 1)]
    *_, replaced, taken_out, substitute = people
    round_ = make_round(lead, issues=issues, votes_wanted=VOTES, order_seed="thirty")
    round_.annotators.set(people[:-1])
    wanted, killed = issues * VOTES, []

    # They do not come back when they are refused, and the machine may be busy with other tests.
    with product(folder, *RESPAWN, WEB_WAIT_SECONDS="20") as (port, pid):

        def change_people() -> None:
            replace_annotator(lead=lead, round_=round_, person=replaced, by=substitute)
            remove_annotator(lead=lead, round_=round_, person=taken_out)
            connection.close()

        def kill_some(crowd: Crowd, over: threading.Event) -> None:
            for turn in range(1, kills + 1):
                while crowd.votes < wanted * turn // (kills + 1) and not over.is_set():
                    over.wait(0.02)
                if over.is_set():
                    return
                if turn == 1:
                    change_people()
                victim = workers(pid)[0]
                os.kill(victim.pid, signal.SIGKILL)
                killed.append(victim.pid)
                is_back = time.monotonic() + 30
                while len({one.pid for one in workers(pid)} - set(killed)) < 2 and time.monotonic() < is_back:
                    over.wait(0.1)

        crowd = label_all(people, round_, port, wanted, kill_some, think, (replaced, taken_out, substitute))
    return crowd, round_, len(killed)


def check(crowd: Crowd, round_: Round) -> None:
    """Every issue has exactly its votes, of different people, and every receipt that was given stands for one."""
    assert crowd.failures == []
    votes = list(Vote.objects.filter(item__round=round_).values_list("item", "member", "receipt"))
    per_item = Counter(item for item, _, _ in votes)
    assert set(per_item.values()) == {VOTES}
    assert len(per_item) == Item.objects.filter(round=round_).count()
    assert len({(item, member) for item, member, _ in votes}) == len(votes)
    given = {receipt: member for member, some in crowd.receipts.items() for receipt in some}
    assert given == {receipt: member for _, member, receipt in votes}
    assert not Slot.objects.filter(item__round=round_, vote=None).exists()
    # Whoever left the round keeps what they had not submitted.
    assert not Draft.objects.filter(item__round=round_, member__rounds=round_).exists()


def told(crowd: Crowd, issues: int, kills: int) -> str:
    """A line about how it went."""
    p95 = statistics.quantiles(crowd.milliseconds, n=20)[-1]
    return (
        f"{ANNOTATORS} annotators, {issues:,} issues x {VOTES} votes, {len(crowd.milliseconds):,} requests, "
        f"{kills} workers killed, {crowd.broken} requests tried again; "
        f"median {statistics.median(crowd.milliseconds):.0f} ms, p95 {p95:.0f} ms"
    )


@pytest.mark.django_db(transaction=True)
def test_thirty_annotators_at_once_lose_nothing_while_workers_are_killed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    issues = 60
    crowd, round_, kills = run(issues, tmp_path, kills=2)
    with capsys.disabled():
        print(f"\n{told(crowd, issues, kills)}")  # noqa: T201
    check(crowd, round_)
    assert kills == 2
    assert crowd.broken > 0, "no worker was at work when it was killed"
    assert round_.annotators.count() == ANNOTATORS - 1
    assert sum(bool(some) for some in crowd.receipts.values()) > ANNOTATORS // 2
