"""Each fault as a plain client meets it, and which requests it meets."""

import json
import time
from typing import Any

import httpx
import pytest

from tests.doubles.github import GitHubDouble, World, differences, truth
from tests.doubles.shared.clients import connect
from tests.doubles.shared.test_graphql import ENRICH, ask, error_types
from tests.doubles.shared.test_rest import ALL, REPO, links, pages

ISSUES = f"{REPO}/issues"


def test_a_burst_of_errors_ends_by_itself(client: httpx.Client, double: GitHubDouble) -> None:
    fault = double.faults.add("server_error", count=2, status=502)
    answers = [client.get(ISSUES) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [502, 502, 200]
    assert answers[0].headers["Content-Type"] == "text/html"
    assert fault.hits == 2
    assert [line.fault for line in double.requests] == ["server_error", "server_error", ""]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_servers_fail_in_four_ways(client: httpx.Client, double: GitHubDouble, status: int) -> None:
    double.faults.add("server_error", status=status)
    assert client.get(ISSUES).status_code == status


def test_faults_keep_to_their_path_and_let_some_pass(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("server_error", path=r"/issues\?", after=1, count=1)
    double.faults.add("status", predicate=lambda request: request.query.get("page") == "7", status=451)
    assert [client.get(path).status_code for path in (REPO, f"{ISSUES}?a=1", REPO, f"{ISSUES}?a=1")] == [
        200, 200, 200, 502,
    ]  # fmt: skip
    assert client.get(f"{ISSUES}?page=7").status_code == 451


def test_chance_is_drawn_from_the_seed(world: World) -> None:
    met = []
    for _ in range(2):
        with GitHubDouble(world, seed=8) as double, connect(double) as client:
            double.faults.add("server_error", probability=0.5)
            met.append([client.get(REPO).status_code for _ in range(12)])
    assert met[0] == met[1]
    assert {200, 502} == set(met[0])


def test_a_fault_is_taken_away_or_cleared(client: httpx.Client, double: GitHubDouble) -> None:
    fault = double.faults.add("unauthorized")
    assert client.get(REPO).status_code == 401
    double.faults.remove(fault)
    double.faults.add("empty_repository")
    assert client.get(REPO).status_code == 409
    double.faults.clear()
    assert client.get(REPO).status_code == 200
    with pytest.raises(ValueError, match="no fault is called"):
        double.faults.add("nonsense")


def test_a_body_is_cut_and_the_client_notices(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("cut", count=1)
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(ISSUES)
    assert client.get(ISSUES).status_code == 200


def test_a_connection_is_closed_before_any_byte(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("close", count=1)
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(ISSUES)
    assert client.get(ISSUES).status_code == 200


def test_json_ends_early_with_the_right_length(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("truncated", count=1)
    answer = client.get(ISSUES)
    assert answer.status_code == 200
    assert len(answer.content) == int(answer.headers["Content-Length"])
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def test_a_page_for_people_comes_with_200(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("html", count=1)
    answer = client.get(ISSUES)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_bytes_drip_and_all_arrive(client: httpx.Client, double: GitHubDouble) -> None:
    true = client.get(f"{ISSUES}/1").content
    double.faults.add("drip", count=1, seconds=0.0001)
    assert client.get(f"{ISSUES}/1").content == true


@pytest.mark.parametrize("before", [False, True])
def test_silence_lasts_until_the_client_gives_up(client: httpx.Client, double: GitHubDouble, before: bool) -> None:
    double.faults.add("stall", count=1, before=before)
    with pytest.raises(httpx.ReadTimeout):
        client.get(ISSUES, timeout=0.2)
    assert client.get(ISSUES).status_code == 200


def test_a_stalled_double_stops_at_once(world: World) -> None:
    with GitHubDouble(world) as double, connect(double) as client:
        double.faults.add("stall")
        with pytest.raises(httpx.ReadTimeout):
            client.get(ISSUES, timeout=0.1)
        started = time.monotonic()
    assert time.monotonic() - started < 2


def test_304_comes_unasked_in_a_storm(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("not_modified", count=1)
    answer = client.get(ISSUES)
    assert (answer.status_code, answer.content) == (304, b"")
    double.faults.add("not_modified", only_conditional=True)
    assert client.get(ISSUES).status_code == 200
    assert client.get(ISSUES, headers={"If-None-Match": '"other"'}).status_code == 304


def test_etags_can_change_without_reason(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("wrong_etag")
    first, second = client.get(ISSUES), client.get(ISSUES)
    assert first.content == second.content
    assert first.headers["ETag"] != second.headers["ETag"]


def test_page_numbers_beyond_the_limit_are_refused_and_links_lead_on(
    client: httpx.Client, double: GitHubDouble
) -> None:
    double.faults.add("page_limit", pages=2)
    query = ALL | {"per_page": "30"}
    refused = client.get(ISSUES, params=query | {"page": "3"})
    assert refused.status_code == 422
    assert "cursor based pagination" in refused.json()["message"]
    assert "after=" in links(client.get(ISSUES, params=query | {"page": "2"}))["next"]
    assert len({row["number"] for page in pages(client, ISSUES, **query) for row in page}) == 180
    assert len(pages(client, f"{REPO}/issues/comments", per_page="100")) == 7


def test_the_feature_is_off_for_the_list_only(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("feature_disabled")
    assert client.get(ISSUES).status_code == 410
    assert client.get(f"{ISSUES}/1").status_code == 200


def test_a_repository_that_turned_issues_off_answers_410(client: httpx.Client, world: World) -> None:
    world.set_features(world.repository, has_issues=False)
    assert client.get(ISSUES).json()["message"] == "Issues are disabled for this repo"
    assert client.get(REPO).json()["has_issues"] is False


def test_the_world_moves_between_requests(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    before = truth(world)
    double.faults.add("churn", count=2, items=4)
    assert [client.get(ISSUES).status_code for _ in range(3)] == [200] * 3
    changed = [number for number, row in truth(world).items() if before.get(number) != row]
    assert 4 <= len(changed) <= 16
    assert differences(before, list(truth(world).values())) != []


def test_churn_stands_beside_other_faults(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    version = world.repository.version
    double.faults.add("churn")
    double.faults.add("server_error", count=1)
    assert client.get(ISSUES).status_code == 502
    assert world.repository.version > version


@pytest.mark.parametrize("options", [{"ids": 40}, {"nodes": 40 * 100}])
def test_large_queries_fail_and_smaller_ones_do_not(
    client: httpx.Client, double: GitHubDouble, world: World, options: dict[str, Any]
) -> None:
    double.faults.add("too_large", **options)
    ids = [issue.node_id for issue in world.issues()]
    for count, status in ((80, 502), (20, 200)):
        answer = client.post("/graphql", json={"query": ENRICH, "variables": {"ids": ids[:count], "comments": 5}})
        assert answer.status_code == status


def test_large_queries_may_fail_inside_a_200(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("resource_limits", ids=10)
    ids = [issue.node_id for issue in world.issues()]
    value = ask(client, ENRICH, ids=ids[:11])
    assert value["data"]["nodes"] == [None] * 11
    assert set(error_types(value)) == {"RESOURCE_LIMITS_EXCEEDED"}
    assert "errors" not in ask(client, ENRICH, ids=ids[:10])


def test_some_nodes_fail_for_no_fault_of_theirs(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("partial", count=1, share=0.5)
    ids = [issue.node_id for issue in world.issues()[:20]]
    value = ask(client, ENRICH, ids=ids)
    empty = [index for index, node in enumerate(value["data"]["nodes"]) if node is None]
    assert len(empty) == 10
    assert [error["path"] for error in value["errors"]] == [["nodes", index] for index in empty]
    assert set(error_types(value)) == {"SERVICE_UNAVAILABLE"}
    assert "errors" not in ask(client, ENRICH, ids=ids)


def test_a_field_of_some_nodes_fails(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("partial", field="comments", share=1.0, type="INTERNAL")
    value = ask(client, ENRICH, ids=[issue.node_id for issue in world.issues()[:3]])
    assert [node["comments"] for node in value["data"]["nodes"]] == [None] * 3
    assert [error["path"] for error in value["errors"]] == [["nodes", index, "comments"] for index in range(3)]


def test_all_of_a_query_fails_inside_a_200(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("partial", all=True)
    value = ask(client, ENRICH, ids=[world.issues()[0].node_id])
    assert value["data"] is None
    assert "path" not in value["errors"][0]


def test_an_older_server_does_not_know_a_field(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    double.faults.add("undefined_field", names=["closedByPullRequestsReferences"])
    ids = [world.issues()[0].node_id]
    value = ask(client, ENRICH, ids=ids)
    assert value["errors"][0]["message"] == "Field 'closedByPullRequestsReferences' doesn't exist on type 'Issue'"
    assert "data" not in value
    assert "errors" not in ask(client, "query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=ids)


def test_faults_of_graphql_leave_rest_alone(client: httpx.Client, double: GitHubDouble) -> None:
    double.faults.add("too_large", ids=0)
    double.faults.add("partial")
    double.faults.add("undefined_field", names=["id"])
    assert client.get(ISSUES).status_code == 200
