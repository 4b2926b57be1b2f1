"""Asking Gitee: pages by number and by what the headers say, refusals, and what is shown to be let in."""

from collections.abc import Iterator
from typing import Any

import pytest

from ingest.hosts import connections
from ingest.hosts.asking import budget
from ingest.hosts.asking import retries as patience
from ingest.hosts.asking.http import Http
from ingest.hosts.asking.meters import Meters
from ingest.hosts.asking.tokens import GivenTokens
from ingest.hosts.errors import LimitedError, MissingError, RefusedError, UnwellError
from ingest.hosts.gitee.client import Client
from ingest.hosts.gitee.host import Gitee
from tests.doubles.gitee import GiteeDouble
from tests.doubles.github import World


@pytest.fixture
def double() -> Iterator[GiteeDouble]:
    with GiteeDouble(World.generate(issues=230, pulls=5, comments=10, seed=2)) as double:
        yield double


def client(double: GiteeDouble, *tokens: str, **otherwise: Any) -> Client:
    asker = patience.Asker(
        name="Gitee", http=Http(seconds=2.0, agent="test"), tokens=GivenTokens(tokens, host="gitee"),
        meters=Meters(), **{"patience": 0.5, **otherwise},
    )  # fmt: skip
    return Client(asker, api_url=double.api_url)


class Clock:
    """A clock that goes on only while somebody waits."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.waits: list[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def test_a_list_is_read_page_by_page_to_the_last(double: GiteeDouble) -> None:
    pages = list(client(double, "one").pages("/repos/octo/engine/issues", state="all"))
    assert [(len(page.items), page.is_last, page.total) for page in pages] == [
        (100, False, 230),
        (100, False, 230),
        (30, True, 230),
    ]


def test_without_the_header_a_page_that_is_not_full_is_the_last(double: GiteeDouble) -> None:
    answer = double.rest.answer

    def silent(request):  # type: ignore[no-untyped-def]
        found = answer(request)
        found.headers.clear()
        return found

    double.rest.answer = silent  # type: ignore[method-assign]
    pages = list(client(double, "one").pages("/repos/octo/engine/issues", state="all"))
    assert [len(page.items) for page in pages] == [100, 100, 30]
    assert {page.total for page in pages} == {None}
    assert Gitee(client(double, "one")).census(repository="octo/engine") is None


def test_the_token_is_shown_in_a_header_and_never_in_an_address(double: GiteeDouble) -> None:
    client(double, "secret").find("/repos/octo/engine")
    asked = double.requests[-1]
    assert asked.token
    assert "secret" not in asked.path


def test_a_token_that_gitee_does_not_know_is_passed_over(double: GiteeDouble) -> None:
    double.tokens = {"good"}
    assert client(double, "bad", "good").find("/repos/octo/engine")
    with pytest.raises(RefusedError, match="Gitee refused"):
        client(double, "bad").find("/repos/octo/engine")


def test_what_is_not_there_is_told_from_what_went_wrong(double: GiteeDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    asker = client(double, "one")
    assert asker.find("/repos/octo/nowhere") is None
    with pytest.raises(MissingError, match="Gitee has no repository octo/nowhere"):
        asker.page("/repos/octo/nowhere/issues", {}, number=1)
    double.faults.add("server_error", status=502)
    with pytest.raises(UnwellError, match="Gitee is having trouble: it answered with status 502, 5 times in a row"):
        asker.find("/repos/octo/engine")


def test_a_refusal_that_only_says_rate_limit_is_a_limit_and_nothing_is_sent_meanwhile(double: GiteeDouble) -> None:
    double.faults.add("secondary_limit", count=1, bare=True, retry_after=False)
    asker = client(double)
    with pytest.raises(LimitedError, match="Gitee asks us to slow down"):
        asker.find("/repos/octo/engine")
    asked = len(double.requests)
    with pytest.raises(LimitedError):
        asker.find("/repos/octo/engine")
    assert len(double.requests) == asked


def test_our_own_pace_is_kept_by_short_waits_and_ends_no_run(
    double: GiteeDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(patience, "time", clock)
    monkeypatch.setattr(budget, "POINTS_A_MINUTE", 100)
    asker = client(double, "one", patience=connections.PATIENCE_SECONDS, sleep=clock.sleep)
    for _ in range(250):
        asker.find("/repos/octo/engine")
    assert asker.asker.counts.requests == len(double.requests) == 250
    assert max(clock.waits) < connections.PATIENCE_SECONDS / 2
    assert 120 <= sum(clock.waits) < 125


def test_how_much_there_is_is_counted_without_reading_it(double: GiteeDouble) -> None:
    asker = client(double, "one")
    census = Gitee(asker).census(repository="octo/engine")
    assert census is not None
    assert (census.issues, census.pull_requests) == (230, 5)
    assert census.open_issues == sum(issue.state == "open" for issue in double.world.issues())
    assert asker.asker.counts.requests == 4
