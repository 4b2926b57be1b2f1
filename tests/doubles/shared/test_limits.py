"""Limits: when they are met, what is answered, and that the log shows who went on regardless."""

import httpx

from tests.doubles.github import GitHubDouble, Limits, World
from tests.doubles.shared.clients import connect

REPO = "/repos/octo/engine"
GRAPHQL = {"query": "{ viewer { login } }"}


def test_a_used_up_budget_refuses_until_it_is_reset(world: World) -> None:
    with GitHubDouble(world, limits=Limits(core=2)) as double, connect(double, "abc") as client:
        answers = [client.get(REPO) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 403, 403]
        assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["1", "0", "0", "0"]
        assert "API rate limit exceeded" in answers[2].json()["message"]
        assert [line.met_limit for line in double.requests] == [False, False, True, False]
        assert [line.was_limited for line in double.requests] == [False, False, False, True]
        assert [line.told_empty for line in double.requests] == [False, False, True, True]
        assert [line.told_for > 0 for line in double.requests] == [False, False, False, True]
        other = client.get(REPO, headers={"Authorization": "Bearer other"})
        assert (other.status_code, other.headers["X-RateLimit-Remaining"]) == (200, "1")
        world.now = int(answers[2].headers["X-RateLimit-Reset"])
        assert client.get(REPO).status_code == 200


def test_rest_and_graphql_are_limited_apart(world: World) -> None:
    limits = Limits(core=1, graphql=1)
    with GitHubDouble(world, limits=limits) as double, connect(double, "abc") as client:
        client.get(REPO)
        assert client.get(REPO).status_code == 403
        assert "data" in client.post("/graphql", json=GRAPHQL).json()
        refused = client.post("/graphql", json=GRAPHQL)
        assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (200, "0")
        assert refused.json()["errors"][0]["type"] == "RATE_LIMIT"


def test_the_overview_is_free_even_when_nothing_is_left(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("primary_limit", count=1, seconds=30)
    assert client.get(REPO).status_code == 403
    answer = client.get("/rate_limit")
    assert answer.json()["resources"]["core"]["remaining"] == 0
    assert answer.json()["resources"]["graphql"]["remaining"] == 5_000
    assert not double.requests[-1].was_limited


def test_a_primary_limit_tells_when_it_ends(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    for status in (403, 429):
        double.faults.add("primary_limit", count=1, seconds=30, status=status)
        answer = client.get(REPO)
        assert (answer.status_code, answer.headers["X-RateLimit-Remaining"]) == (status, "0")
        assert 28 <= int(answer.headers["X-RateLimit-Reset"]) - world.now <= 31
        assert client.get(REPO).status_code == status
        assert [line.was_limited for line in double.requests[-2:]] == [False, True]
        world.advance(31)
        assert client.get(REPO).status_code == 200


def test_graphql_can_be_limited_inside_a_200(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("primary_limit", count=1, seconds=30, status=200, type="RATE_LIMITED")
    answer = client.post("/graphql", json=GRAPHQL)
    assert (answer.status_code, answer.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    assert client.get(REPO).status_code == 200


def test_a_secondary_limit_stops_everything(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("secondary_limit", count=1, seconds=20)
    answer = client.get(REPO)
    assert (answer.status_code, answer.headers["Retry-After"]) == (403, "20")
    assert "secondary rate limit" in answer.json()["message"]
    assert int(answer.headers["X-RateLimit-Remaining"]) > 0
    assert client.post("/graphql", json=GRAPHQL).status_code == 403
    assert [line.was_limited for line in double.requests] == [False, True]
    world.advance(21)
    assert client.get(REPO).status_code == 200


def test_a_secondary_limit_may_come_without_a_word(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("secondary_limit", count=1, status=429, retry_after=False, bare=True)
    answer = client.get(REPO)
    assert answer.status_code == 429
    assert not [name for name in answer.headers if name.startswith(("x-ratelimit", "retry"))]


def test_without_limits_nothing_is_told_of_them(world: World) -> None:
    with GitHubDouble(world, limits=Limits(enabled=False)) as double, connect(double) as client:
        answer = client.get(REPO)
        assert (answer.status_code, "X-RateLimit-Limit" in answer.headers) == (200, False)
        assert client.get("/rate_limit").status_code == 404
