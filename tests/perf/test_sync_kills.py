"""A mirror whose runs are killed hundreds of times, each at a moment drawn from its seed. Run with `make bench`.

The quick form, and what each chain of runs may cost, is in tests/ingest/sync/test_kills.py. Here every number is
counted and told; a mirror that is not the truth fails.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.forking import Forks
from tests.ingest.killing import Killer, environment_of
from tests.ingest.sync.conftest import Mirrored, mirrored, worlds

__all__ = ["mirrored", "worlds"]

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 200
SMALL = {"issues": 240, "pulls": 120, "comments": 900, "seed": 3}
BATCH = 100
FAULTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("server_error", {"probability": 0.15, "status": 502}),
    ("cut", {"probability": 0.1}),
    ("truncated", {"probability": 0.05}),
    ("partial", {"probability": 0.05, "share": 0.2}),
    ("secondary_limit", {"probability": 0.03, "seconds": 1}),
)


@dataclass
class Tally:
    """What all chains of one kind came to."""

    chains: int = 0
    kills: int = 0
    requests: int = 0
    repeated_pages: int = 0
    while_limited: int = 0
    wrong: int = 0


@pytest.fixture
def killer(mirrored: Callable[..., Mirrored], tmp_path: Path) -> Iterator[Killer]:
    replica = mirrored(**SMALL)
    with Forks(environment=environment_of(replica.double), log=tmp_path / "log") as forks:
        yield Killer(replica, forks, random.Random(7))  # noqa: S311 moments, no secret


def test_kills(killer: Killer, capsys: pytest.CaptureFixture[str]) -> None:
    killer.measure()
    began = time.monotonic()
    told = {
        "from nothing": _tally(killer, killer.empty, KILLS // 2),
        "after half of it changed": _tally(killer, lambda: _change(killer), KILLS // 4),
    }
    for kind, how in FAULTS:
        killer.replica.double.faults.add(kind, **how)
    told["from nothing, the host not well"] = _tally(killer, killer.empty, KILLS // 4)
    with capsys.disabled():
        print("\n" + "\n".join(_table(told, time.monotonic() - began)))  # noqa: T201
    assert not any(tally.wrong for tally in told.values())
    assert told["from nothing"].repeated_pages <= told["from nothing"].kills
    assert not any(tally.while_limited for name, tally in told.items() if "not well" not in name)


def _tally(killer: Killer, prepare: Callable[[], object], least: int) -> Tally:
    tally = Tally()
    while tally.kills < least:
        prepare()
        chain = killer.chain()
        tally.chains += 1
        tally.kills += chain.kills
        tally.requests += len(chain.asked)
        tally.repeated_pages += chain.repeated_pages
        tally.while_limited += chain.sent_while_limited
        tally.wrong += bool(killer.wrong())
    return tally


def _change(killer: Killer) -> None:
    killer.replica.world.now += 3_600
    killer.replica.world.change_some(0.5, seed=killer.replica.world.now)


def _table(told: dict[str, Tally], seconds: float) -> Iterator[str]:
    yield f"{sum(tally.kills for tally in told.values())} kills by SIGKILL in {seconds:.0f} s"
    columns = ("kills", "chains", "requests", "pages twice", "while limited", "mirrors wrong")
    yield " " * 34 + " ".join(f"{name:>14}" for name in columns)
    for name, tally in told.items():
        cells = (tally.kills, tally.chains, tally.requests, tally.repeated_pages, tally.while_limited, tally.wrong)
        yield f"{name:34}" + " ".join(f"{cell:>14}" for cell in cells)
    yield "target: at most one page twice for each kill, none while limited, no mirror wrong"
