"""REST: paging, since, ETags, redirects and refusals, as a plain client sees them."""

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from tests.doubles.github import GitHubDouble, World, truth
from tests.doubles.github.values import iso
from tests.doubles.shared.clients import connect

REPO = "/repos/octo/engine"
ALL = {"state": "all", "sort": "updated", "direction": "asc", "per_page": "100"}


def pages(client: httpx.Client, path: str, **query: Any) -> list[list[Any]]:
    """All pages, following the links verbatim."""
    answer, found = client.get(path, params=query), []
    while True:
        assert answer.status_code == 200, answer.text
        found.append(json.loads(answer.content))
        if "next" not in answer.links:
            return found
        answer = client.get(answer.links["next"]["url"])


def links(answer: httpx.Response) -> dict[str, str]:
    return {rel: link["url"] for rel, link in answer.links.items() if rel}


def test_all_pages_together_are_the_repository(client: httpx.Client, world: World) -> None:
    found = pages(client, f"{REPO}/issues", **ALL)
    assert [len(page) for page in found] == [100, 80]
    told = {row["number"]: row for page in found for row in page}
    assert len(told) == 180
    for number, expected in truth(world).items():
        row = told[number]
        assert (row["node_id"], row["state"], row["updated_at"]) == (
            expected["node_id"], expected["state"], expected["updated_at"],
        )  # fmt: skip
        assert ("pull_request" in row) == (expected["kind"] == "pull_request")
        assert row["comments"] == expected["comments"]
        assert sorted(label["name"] for label in row["labels"]) == expected["labels"]


def test_by_default_the_newest_open_ones_come_first(client: httpx.Client) -> None:
    rows = client.get(f"{REPO}/issues").json()
    moments = [row["created_at"] for row in rows]
    assert len(rows) == 30
    assert moments == sorted(moments, reverse=True)
    assert {row["state"] for row in rows} == {"open"}


def test_since_includes_its_own_second(client: httpx.Client, world: World) -> None:
    moments = sorted(item.updated_at for item in world.repository.items.values())
    rows = client.get(f"{REPO}/issues", params=ALL | {"since": iso(moments[170])}).json()
    assert [row["updated_at"] for row in rows] == [iso(moment) for moment in moments[170:]]


def test_nothing_is_found_since_1970(client: httpx.Client) -> None:
    assert client.get(f"{REPO}/issues", params=ALL | {"since": "1970-01-01T00:00:00Z"}).json() == []


def test_links_name_the_repository_by_its_id(client: httpx.Client, double: GitHubDouble, world: World) -> None:
    answer = client.get(f"{REPO}/issues", params={"state": "all", "per_page": "50", "page": "2"})
    found = links(answer)
    assert set(found) == {"prev", "next", "last", "first"}
    start = f"{double.api_url}/repositories/{world.repository.id}/issues?state=all&per_page=50&page="
    assert found == {"prev": f"{start}1", "next": f"{start}3", "last": f"{start}4", "first": f"{start}1"}
    assert "next" not in links(client.get(found["last"]))


def test_one_page_has_no_links(client: httpx.Client) -> None:
    assert "Link" not in client.get(f"{REPO}/issues", params={"state": "all", "since": "2100-01-01T00:00:00Z"}).headers


def test_cursors_lead_through_the_list_without_numbers(world: World) -> None:
    with GitHubDouble(world, cursors=True) as double, connect(double) as client:
        for direction in ("asc", "desc"):
            found = pages(client, f"{REPO}/issues", **ALL | {"per_page": "40", "direction": direction})
            assert len({row["number"] for page in found for row in page}) == 180
        answer = client.get(f"{REPO}/issues", params=ALL)
        assert set(links(answer)) == {"next"}
        assert re.search(r"page=2&after=Y3Vyc29yOnYyO", links(answer)["next"])
        second = client.get(links(answer)["next"])
        assert client.get(links(second)["prev"]).json() == answer.json()


def test_what_moves_while_paging_is_missed_by_numbers_and_not_by_cursors(client: httpx.Client, world: World) -> None:
    first = client.get(f"{REPO}/issues", params=ALL | {"per_page": "50"})
    world.edit(world.item(first.json()[3]["number"]), title="Moves to the end")
    numbered = first.json() + client.get(links(first)["next"]).json()
    cut = sorted(world.repository.items.values(), key=lambda item: (item.updated_at, item.id))
    assert cut[49].number not in {row["number"] for row in numbered}


def test_an_unchanged_page_is_304_and_free(client: httpx.Client, world: World) -> None:
    answer = client.get(f"{REPO}/issues", params=ALL)
    known = {"If-None-Match": answer.headers["ETag"]}
    again = client.get(f"{REPO}/issues", params=ALL, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["X-RateLimit-Used"] == answer.headers["X-RateLimit-Used"] == "1"
    world.comment(world.item(int(answer.json()[0]["number"])))
    assert client.get(f"{REPO}/issues", params=ALL, headers=known).status_code == 200


def test_a_304_costs_who_sends_no_token(double: GitHubDouble) -> None:
    with connect(double) as client:
        answer = client.get(REPO)
        again = client.get(REPO, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.headers["X-RateLimit-Used"]) == (304, "2")
        assert again.headers["X-RateLimit-Limit"] == "60"


def test_one_issue_has_the_form_of_the_list(client: httpx.Client) -> None:
    row = client.get(f"{REPO}/issues", params=ALL).json()[0]
    assert client.get(f"{REPO}/issues/{row['number']}").json() == row


def test_deleted_moved_and_unknown_issues(client: httpx.Client, world: World) -> None:
    deleted, moved = world.issues()[:2]
    target = world.add_repository("octo/other")
    world.delete(deleted)
    world.transfer(moved, target)
    answer = client.get(f"{REPO}/issues/{deleted.number}")
    assert (answer.status_code, answer.json()["message"]) == (410, "This issue was deleted")
    answer = client.get(f"{REPO}/issues/{moved.number}")
    assert answer.status_code == 301
    assert client.get(answer.headers["Location"]).json()["repository_url"].endswith("/repos/octo/other")
    assert client.get(f"{REPO}/issues/{moved.number}/comments").status_code == 404
    assert client.get(f"{REPO}/issues/99999").status_code == 404
    listed = {row["number"] for page in pages(client, f"{REPO}/issues", **ALL) for row in page}
    assert listed.isdisjoint({deleted.number, moved.number})


def test_a_renamed_repository_leads_on_by_its_id(client: httpx.Client, world: World) -> None:
    world.rename_repository(world.repository, "Octo/Motor")
    answer = client.get(f"{REPO}/issues", params=ALL)
    assert answer.status_code == 301
    assert f"/repositories/{world.repository.id}/issues?state=all" in answer.headers["Location"]
    assert client.get(answer.headers["Location"]).json()[0]["repository_url"].endswith("/repos/Octo/Motor")
    assert client.get("/repos/octo/motor").json()["full_name"] == "Octo/Motor"


def test_the_repository_counts_issues_and_pull_requests_as_open_issues(client: httpx.Client, world: World) -> None:
    opened = sum(item.state == "open" for item in world.repository.items.values())
    assert client.get(REPO).json()["open_issues_count"] == opened


def test_comments_of_one_and_of_all(client: httpx.Client, world: World) -> None:
    every = [row for page in pages(client, f"{REPO}/issues/comments", per_page="100") for row in page]
    assert len(every) == 700
    item = max(world.repository.items.values(), key=lambda item: len(item.comments))
    own = client.get(f"{REPO}/issues/{item.number}/comments", params={"per_page": "100"}).json()
    assert own == [row for row in every if row["issue_url"].endswith(f"/issues/{item.number}")]
    comment = world.comment(item, "the last")
    late = client.get(f"{REPO}/issues/comments", params={"sort": "updated", "since": iso(comment.updated_at)}).json()
    assert [row["body"] for row in late] == ["the last"]


def test_labels_pull_requests_and_timelines(client: httpx.Client, world: World) -> None:
    names = [row["name"] for page in pages(client, f"{REPO}/labels", per_page="10") for row in page]
    assert sorted(names) == sorted(world.repository.labels)
    issue = world.open_issue(world.repository)
    pull = world.open_pull(world.repository, closes=[issue], size=(5, 4, 3))
    world.merge_closing(pull)
    row = client.get(f"{REPO}/pulls/{pull.number}").json()
    assert (row["additions"], row["deletions"], row["changed_files"], row["merged"]) == (5, 4, 3, True)
    assert (row["id"], row["node_id"]) == (pull.pull_id, pull.node_id)
    events = client.get(f"{REPO}/issues/{issue.number}/timeline").json()
    assert [event["event"] for event in events] == ["cross-referenced", "closed"]
    assert events[0]["source"]["issue"]["number"] == pull.number
    assert client.get(f"{REPO}/pulls/{issue.number}").status_code == 404


def test_texts_come_through_as_they_are(client: httpx.Client, world: World) -> None:
    text = "a\0b \ud83d half \ud83d\ude80 whole é"
    number = world.open_issue(world.repository, title="\udc00", body=text).number
    raw = client.get(f"{REPO}/issues/{number}").content
    assert rb"a\u0000b \ud83d half" in raw
    assert truth(world)[number]["body"] == "ab � half 🚀 whole é"


def test_ghosts_and_null_bodies_are_null(client: httpx.Client, world: World) -> None:
    issue = world.open_issue(world.repository, body=None, login=None)
    row = client.get(f"{REPO}/issues/{issue.number}").json()
    assert (row["user"], row["body"]) == (None, None)


def test_every_answer_says_when_and_how_much_is_left(client: httpx.Client, double: GitHubDouble) -> None:
    answer = client.get(REPO)
    told = {name: answer.headers[f"X-RateLimit-{name}"] for name in ("Limit", "Remaining", "Used", "Resource")}
    assert told == {"Limit": "5000", "Remaining": "4999", "Used": "1", "Resource": "core"}
    date = parsedate_to_datetime(answer.headers["Date"])
    assert abs((date - datetime.now(UTC)).total_seconds()) < 5
    assert 3_590 < int(answer.headers["X-RateLimit-Reset"]) - date.timestamp() <= 3_601
    assert answer.headers["X-GitHub-Request-Id"]
    double.skew = 7_200
    skewed = client.get(REPO)
    assert (parsedate_to_datetime(skewed.headers["Date"]) - date).total_seconds() >= 7_200
    assert int(skewed.headers["X-RateLimit-Reset"]) - int(answer.headers["X-RateLimit-Reset"]) >= 7_199


def test_an_enterprise_server_lives_below_api_v3(world: World) -> None:
    with GitHubDouble(world, enterprise=True) as double, connect(double) as client:
        assert double.graphql_url.endswith("/api/graphql")
        answer = client.get(f"{double.api_url}{REPO}/issues?state=all")
        assert links(answer)["next"].startswith(f"{double.root}/api/v3/repositories/")
        assert answer.json()[0]["url"].startswith(f"{double.root}/api/v3/repos/octo/engine/issues/")


@pytest.mark.parametrize("path", ["/repos/no/body", "/nothing", f"{REPO}/issues/1/nothing", "/repositories/1"])
def test_what_is_not_there_is_404(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")


def test_only_valid_tokens_are_taken_when_they_are_listed(world: World) -> None:
    with GitHubDouble(world, tokens={"good"}) as double, connect(double) as client:
        assert client.get(REPO, headers={"Authorization": "token good"}).status_code == 200
        answer = client.get(REPO, headers={"Authorization": "Bearer bad"})
        assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_the_log_tells_what_was_asked_and_hides_the_token(client: httpx.Client, double: GitHubDouble) -> None:
    client.get(f"{REPO}/issues", params={"per_page": "1"})
    line = double.requests[-1]
    assert (line.method, line.path, line.status, line.cost) == ("GET", f"{REPO}/issues?per_page=1", 200, 1)
    assert line.token
    assert "abc" not in line.token
