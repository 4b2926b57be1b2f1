"""Whatever goes wrong on the way, the mirror ends up as the truth, and nothing is asked while limited."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 90, "pulls": 50, "comments": 300, "seed": 3}
# So often a person, or the clock, calls again.
CALLS = 12

FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a burst of 500": ("server_error", {"count": 3, "status": 500}),
    "a burst of 502": ("server_error", {"count": 3, "status": 502}),
    "a burst of 503": ("server_error", {"count": 3, "status": 503}),
    "a burst of 504": ("server_error", {"count": 3, "status": 504}),
    "bursts now and then": ("server_error", {"probability": 0.2, "status": 502}),
    "the primary limit": ("primary_limit", {"count": 1, "seconds": 1, "after": 1}),
    "the primary limit as 429": ("primary_limit", {"count": 1, "seconds": 1, "status": 429}),
    "the primary limit in a good answer": (
        "primary_limit",
        {"count": 1, "seconds": 1, "status": 200, "path": "graphql"},
    ),
    "the secondary limit": ("secondary_limit", {"count": 1, "seconds": 1, "after": 1}),
    "the secondary limit as 429": ("secondary_limit", {"count": 1, "seconds": 1, "status": 429}),
    "a limit without a word how long": ("secondary_limit", {"count": 1, "seconds": 1, "bare": True}),
    "429 without a word": ("secondary_limit", {"count": 1, "seconds": 1, "bare": True, "status": 429}),
    "questions that are too large": ("too_large", {"ids": 7}),
    "questions that time out": ("too_large", {"ids": 7, "status": 504}),
    "questions that use up resources": ("resource_limits", {"ids": 7}),
    "answers in part": ("partial", {"count": 2, "share": 0.3}),
    "no data at all": ("partial", {"count": 2, "all": True}),
    "a page for people": ("html", {"count": 3}),
    "truncated JSON": ("truncated", {"count": 3}),
    "a connection cut short": ("cut", {"count": 3}),
    "a connection closed at once": ("close", {"count": 3}),
    "a slow drip": ("drip", {"count": 1, "seconds": 0.05}),
    "a stalled answer": ("stall", {"count": 1}),
    "silence": ("stall", {"count": 1, "before": True}),
    "not modified, unasked": ("not_modified", {"count": 2}),
    "marks that mean nothing": ("wrong_etag", {}),
    "page numbers refused": ("page_limit", {"pages": 1}),
    "changes between any two requests": ("churn", {"items": 3, "count": 15}),
}


def until_complete(replica: Mirrored) -> None:
    """Call until the mirror says it is complete, as whoever gets exit status 75 or 1 does."""
    for _ in range(CALLS):
        if replica.sync(patience=5.0).is_complete:
            return
    raise AssertionError("the mirror never became complete")


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("name", FAULTS)
def test_the_mirror_is_true_after(mirrored: Make, settings: Settings, name: str) -> None:
    kind, how = FAULTS[name]
    replica = mirrored(**SMALL)
    settings.GITHUB_TIMEOUT_SECONDS = 0.7 if kind in ("stall", "drip") else 5.0
    met = [replica.double.faults.add(kind, **how)]
    until_complete(replica)
    replica.world.now += 3_600
    replica.world.change_some(0.8, seed=8)
    met.append(replica.double.faults.add(kind, **how))
    until_complete(replica)
    assert met[0].hits or kind == "page_limit"
    replica.double.faults.clear()
    replica.synced()
    assert replica.wrong() == []
    assert not [asked for asked in replica.double.requests if asked.was_limited]
