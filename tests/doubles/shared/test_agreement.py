"""What the two interfaces say is what is told as the truth, after every kind of change and while others read."""

import threading
from collections import Counter
from typing import Any

import httpx
import pytest

from ingest.hosts.values import clean_text
from tests.doubles.github import GitHubDouble, World, comment_truth, differences, truth
from tests.doubles.github.churn import EVERY
from tests.doubles.shared.clients import connect
from tests.doubles.shared.test_graphql import ENRICH, data
from tests.doubles.shared.test_rest import ALL, REPO, pages


def read_all(client: httpx.Client) -> tuple[list[dict[str, Any]], dict[int, list[str]]]:
    """Rows in the form of the truth, read as a mirror would read them, and the comments' node ids."""
    listed = [row for page in pages(client, f"{REPO}/issues", **ALL) for row in page]
    nodes: list[dict[str, Any]] = []
    for start in range(0, len(listed), 50):
        ids = [row["node_id"] for row in listed[start : start + 50]]
        nodes += data(client, ENRICH, ids=ids, comments=100)["nodes"]
    rows = [told(row, node) for row, node in zip(listed, nodes, strict=True)]
    comments = [
        (row["number"], [one["id"] for one in node["comments"]["nodes"]])
        for row, node in zip(listed, nodes, strict=True)
        if node["__typename"] == "Issue" and row["comments"]
    ]
    return rows, dict(comments)


def told(row: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    linked = node.get("closedByPullRequestsReferences", {"nodes": []})["nodes"]
    closers = [one["closer"] for one in node.get("timelineItems", {"nodes": []})["nodes"] if one.get("closer")]
    fixes = {one["id"]: one for one in [*linked, *closers] if one.get("id")}
    return row | {
        "repo": row["repository_url"].partition("/repos/")[2],
        "kind": "pull_request" if "pull_request" in row else "issue",
        "title": clean_text(row["title"]),
        "body": clean_text(row["body"] or ""),
        "labels": [clean_text(label["name"]) for label in row["labels"]],
        "user": row["user"] and row["user"]["login"],
        "fix_prs": [
            {
                "repo": one["repository"]["nameWithOwner"],
                "number": one["number"],
                "additions": one["additions"],
                "deletions": one["deletions"],
                "merged_at": one["mergedAt"],
            }
            for one in fixes.values()
        ],
        "deleted": False,
        "transferred_to": None,
    }


@pytest.mark.parametrize("seed", range(4))
def test_both_interfaces_tell_the_truth_after_changes_of_every_kind(seed: int) -> None:
    world = World.generate(issues=90, pulls=40, comments=400, seed=seed)
    with GitHubDouble(world) as double, connect(double, "abc") as client:
        for day in range(3):
            rows, comments = read_all(client)
            expected = comment_truth(world)
            assert differences(truth(world), rows) == []
            assert comments == {
                number: [one["node_id"] for one in expected[number]] for number in comments
            }  # fmt: skip
            done = world.change_some(0.3, seed * 10 + day, kinds=EVERY)
            assert len({kind for kind, _ in done}) > 5


def test_many_clients_read_while_the_world_moves(double: GitHubDouble, world: World) -> None:
    answers: list[int] = []

    def read(token: str) -> None:
        with connect(double, token) as client:
            for _ in range(10):
                answers.append(client.get(f"{REPO}/issues", params=ALL).status_code)
                ids = [issue.node_id for issue in world.issues()[:20]]
                answers.append(len(client.post("/graphql", json={"query": ENRICH, "variables": {"ids": ids}}).json()))

    readers = [threading.Thread(target=read, args=(f"token-{number}",)) for number in range(4)]
    for reader in readers:
        reader.start()
    for seed in range(15):
        world.change_some(0.02, seed)
    for reader in readers:
        reader.join()
    assert answers.count(200) == 40
    assert sorted(Counter(line.token for line in double.requests).values()) == [20] * 4
