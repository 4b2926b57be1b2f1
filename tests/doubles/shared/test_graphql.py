"""GraphQL: what is answered to the queries of a mirror, what is refused and what it costs."""

from typing import Any

import httpx
import pytest

from tests.doubles.github import GitHubDouble, Issue, World, comment_truth, truth

ENRICH = """
query($ids: [ID!]!, $comments: Int = 30) {
  rateLimit { cost remaining resetAt }
  nodes(ids: $ids) {
    __typename
    ... on Issue {
      id databaseId number title body url state stateReason createdAt updatedAt closedAt authorAssociation
      author { login }
      repository { id nameWithOwner }
      labels(first: 100) { totalCount nodes { id name } pageInfo { hasNextPage } }
      comments(first: $comments) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          id databaseId url body author { login } authorAssociation createdAt updatedAt lastEditedAt isMinimized
        }
      }
      reactions { totalCount }
      closedByPullRequestsReferences(first: 10, includeClosedPrs: true) {
        totalCount pageInfo { hasNextPage } nodes { ...fix }
      }
      timelineItems(last: 10, itemTypes: [CLOSED_EVENT, CROSS_REFERENCED_EVENT]) {
        nodes {
          __typename
          ... on ClosedEvent {
            createdAt
            closer {
              __typename
              ... on Commit {
                oid url additions deletions changedFilesIfAvailable committedDate repository { nameWithOwner }
              }
              ... on PullRequest { ...fix }
            }
          }
          ... on CrossReferencedEvent { willCloseTarget source { __typename ... on PullRequest { ...fix } } }
        }
      }
    }
    ... on PullRequest { ...fix closingIssuesReferences(first: 10) { nodes { id number } } }
  }
}
fragment fix on PullRequest {
  id databaseId number url title state merged mergedAt additions deletions changedFiles repository { nameWithOwner }
}
"""


def ask(client: httpx.Client, query: str, **variables: Any) -> dict[str, Any]:
    answer = client.post("/graphql", json={"query": query, "variables": variables})
    assert answer.status_code == 200, answer.text
    value: dict[str, Any] = answer.json()
    return value


def data(client: httpx.Client, query: str, **variables: Any) -> dict[str, Any]:
    value = ask(client, query, **variables)
    assert "errors" not in value, value["errors"]
    found: dict[str, Any] = value["data"]
    return found


def error_types(value: dict[str, Any]) -> list[str]:
    return [error.get("type", "") for error in value["errors"]]


def test_a_batch_of_issues_tells_all_that_a_mirror_needs(client: httpx.Client, world: World) -> None:
    issues = world.issues()[:100]
    rows, comments = truth(world, merged_only=True), comment_truth(world)
    nodes = data(client, ENRICH, ids=[issue.node_id for issue in issues], comments=100)["nodes"]
    for issue, node in zip(issues, nodes, strict=True):
        row = rows[issue.number]
        assert (node["id"], node["number"], node["databaseId"]) == (issue.node_id, issue.number, issue.id)
        assert (node["createdAt"], node["updatedAt"], node["closedAt"]) == (
            row["created_at"], row["updated_at"], row["closed_at"],
        )  # fmt: skip
        assert sorted(label["name"] for label in node["labels"]["nodes"]) == row["labels"]
        assert [(one["id"], one["updatedAt"]) for one in node["comments"]["nodes"]] == [
            (one["node_id"], one["updated_at"]) for one in comments.get(issue.number, [])
        ]
        fixes = [
            {
                "repo": one["repository"]["nameWithOwner"],
                "number": one["number"],
                "additions": one["additions"],
                "deletions": one["deletions"],
                "merged_at": one["mergedAt"],
            }
            for one in node["closedByPullRequestsReferences"]["nodes"]
            if one["merged"]
        ]
        assert sorted(map(repr, fixes)) == sorted(map(repr, row["fix_prs"]))


def test_closers_are_pull_requests_commits_or_nobody(client: httpx.Client, world: World) -> None:
    closed = [issue for issue in world.issues() if issue.state == "closed"]
    kinds = set()
    for start in range(0, len(closed), 100):
        for node in data(client, ENRICH, ids=[issue.node_id for issue in closed[start : start + 100]])["nodes"]:
            closings = [one for one in node["timelineItems"]["nodes"] if one["__typename"] == "ClosedEvent"]
            kinds |= {one["closer"] and one["closer"]["__typename"] for one in closings}
    assert kinds == {"Commit", "PullRequest", None}


def test_pull_requests_tell_what_they_close(client: httpx.Client, world: World) -> None:
    pull = next(pull for pull in world.pulls() if pull.closes and pull.merged_at)
    node = data(client, ENRICH, ids=[pull.node_id])["nodes"][0]
    assert (node["__typename"], node["state"], node["databaseId"]) == ("PullRequest", "MERGED", pull.pull_id)
    assert {one["number"] for one in node["closingIssuesReferences"]["nodes"]} == {one.number for one in pull.closes}


def test_given_up_pull_requests_are_told_only_when_asked_for(client: httpx.Client, world: World) -> None:
    issue = world.open_issue(world.repository)
    merged, opened, given_up = (world.open_pull(world.repository, closes=[issue]) for _ in range(3))
    world.merge_closing(merged)
    world.close(given_up)
    query = """query($id: ID!, $all: Boolean!) { node(id: $id) { ... on Issue {
      closedByPullRequestsReferences(first: 5, includeClosedPrs: $all, orderByState: true) { nodes { number } } } } }"""
    told = {
        every: [one["number"] for one in
                data(client, query, id=issue.node_id, all=every)["node"]["closedByPullRequestsReferences"]["nodes"]]
        for every in (True, False)
    }  # fmt: skip
    assert told == {True: [opened.number, merged.number, given_up.number], False: [opened.number, merged.number]}


def test_long_threads_are_read_page_by_page(client: httpx.Client, world: World) -> None:
    issue = world.issues()[0]
    for number in range(25):
        world.comment(issue, f"comment {number}")
    query = """query($id: ID!, $after: String) { node(id: $id) { ... on Issue {
      comments(first: 10, after: $after) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } } } }"""
    found: list[str] = []
    after, more = None, True
    while more:
        page = data(client, query, id=issue.node_id, after=after)["node"]["comments"]
        found += [one["id"] for one in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert found == [comment.node_id for comment in issue.comments]
    assert page["totalCount"] == len(found)


def test_the_last_comments_and_the_ones_before_them(client: httpx.Client, world: World) -> None:
    issue = world.open_issue(world.repository)
    ids = [world.comment(issue).node_id for _ in range(7)]
    query = """query($id: ID!, $before: String) { node(id: $id) { ... on Issue {
      comments(last: 3, before: $before) { edges { cursor node { id } }
      pageInfo { hasPreviousPage startCursor } } } } }"""
    last = data(client, query, id=issue.node_id)["node"]["comments"]
    assert [edge["node"]["id"] for edge in last["edges"]] == ids[4:]
    assert last["edges"][0]["cursor"] == last["pageInfo"]["startCursor"]
    earlier = data(client, query, id=issue.node_id, before=last["pageInfo"]["startCursor"])["node"]["comments"]
    assert [edge["node"]["id"] for edge in earlier["edges"]] == ids[1:4]


def test_comments_in_the_order_of_their_changes(client: httpx.Client, world: World) -> None:
    issue = world.open_issue(world.repository)
    first, second = world.comment(issue), world.comment(issue)
    world.edit_comment(first, "edited")
    query = """query($id: ID!) { node(id: $id) { ... on Issue {
      comments(first: 5, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { id lastEditedAt } } } } }"""
    nodes = data(client, query, id=issue.node_id)["node"]["comments"]["nodes"]
    assert [node["id"] for node in nodes] == [first.node_id, second.node_id]
    assert [node["lastEditedAt"] is None for node in nodes] == [False, True]


def test_unknown_deleted_and_moved_ids_are_null_with_an_error_each(client: httpx.Client, world: World) -> None:
    kept, deleted, moved = world.issues()[:3]
    world.delete(deleted)
    world.transfer(moved, world.add_repository("octo/other"))
    value = ask(client, ENRICH, ids=[deleted.node_id, kept.node_id, "I_nonsense", moved.node_id])
    assert [node and node["id"] for node in value["data"]["nodes"]] == [None, kept.node_id, None, None]
    assert error_types(value) == ["NOT_FOUND"] * 3
    assert [error["path"] for error in value["errors"]] == [["nodes", 0], ["nodes", 2], ["nodes", 3]]
    assert "I_nonsense" in value["errors"][1]["message"]


def test_a_repository_lists_counts_and_finds(client: httpx.Client, world: World) -> None:
    pull = world.pulls()[0]
    query = """query($number: Int!) { repository(owner: "octo", name: "engine") {
      id nameWithOwner
      opened: issues(states: [OPEN]) { totalCount }
      all: issues(first: 3, orderBy: {field: UPDATED_AT, direction: DESC}) { totalCount nodes { number updatedAt } }
      pullRequests { totalCount }
      issueOrPullRequest(number: $number) { __typename ... on PullRequest { number } }
      labels(first: 2) { totalCount nodes { name } pageInfo { endCursor } }
    } }"""
    found = data(client, query, number=pull.number)["repository"]
    newest = sorted(world.issues(), key=lambda issue: issue.updated_at, reverse=True)[:3]
    assert found["opened"]["totalCount"] == sum(issue.state == "open" for issue in world.issues())
    assert (found["all"]["totalCount"], found["pullRequests"]["totalCount"]) == (120, 60)
    assert [one["number"] for one in found["all"]["nodes"]] == [issue.number for issue in newest]
    assert found["issueOrPullRequest"] == {"__typename": "PullRequest", "number": pull.number}
    assert len(found["labels"]["nodes"]) == 2


def test_a_pull_request_is_no_issue(client: httpx.Client, world: World) -> None:
    query = """query($n: Int!) { repository(owner: "octo", name: "engine") { issue(number: $n) { id } } }"""
    value = ask(client, query, n=world.pulls()[0].number)
    assert value["data"] == {"repository": {"issue": None}}
    assert value["errors"][0]["path"] == ["repository", "issue"]


def test_a_repository_is_found_by_its_old_name_and_missed_by_a_wrong_one(client: httpx.Client, world: World) -> None:
    query = """query($name: String!) { repository(owner: "octo", name: $name) { nameWithOwner } }"""
    world.rename_repository(world.repository, "octo/motor")
    assert data(client, query, name="engine")["repository"] == {"nameWithOwner": "octo/motor"}
    value = ask(client, query, name="nothing")
    assert (value["data"], error_types(value)) == ({"repository": None}, ["NOT_FOUND"])


def test_aliases_fragments_and_conditions(client: httpx.Client, world: World) -> None:
    first, second = world.issues()[:2]
    query = """query($a: ID!, $b: ID!, $no: Boolean!) {
      a: node(id: $a) { ...short id again: id @skip(if: true) }
      b: node(id: $b) { ...short ... on Issue @include(if: $no) { title } }
    }
    fragment short on Issue { n: number author @include(if: false) { login } }"""
    assert data(client, query, a=first.node_id, b=second.node_id, no=False) == {
        "a": {"n": first.number, "id": first.node_id},
        "b": {"n": second.number},
    }


def test_texts_and_ghosts_come_through_as_they_are(client: httpx.Client, world: World) -> None:
    issue = world.open_issue(world.repository, body="half \ud83d\0", login=None)
    answer = client.post("/graphql", json={"query": ENRICH, "variables": {"ids": [issue.node_id]}})
    assert rb'"half \ud83d\u0000"' in answer.content
    assert b'"author":null' in answer.content


@pytest.mark.parametrize(
    ("query", "kind", "message"),
    [
        ("{ n(first: 101) { nodes { id } } }", "EXCESSIVE_PAGINATION", "Requesting 101 records on the `issues`"),
        ("{ n { nodes { id } } }", "MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value"),
        ("{ n(first: -1) { nodes { id } } }", "INVALID_PAGINATION", "cannot be less than zero"),
        (
            "{ n(first: 100) { nodes { comments(first: 100) { nodes { issue {"
            " comments(first: 60) { nodes { id } } } } } } } }",
            "MAX_NODE_LIMIT_EXCEEDED",
            "610,100 possible nodes which exceeds the maximum limit of 500,000",
        ),
    ],
)
def test_too_much_is_refused_in_githubs_words(client: httpx.Client, query: str, kind: str, message: str) -> None:
    query = query.replace("{ n", '{ repository(owner: "octo", name: "engine") { issues', 1) + " }"
    value = ask(client, query)
    assert error_types(value) == [kind]
    assert message in value["errors"][0]["message"]
    assert value["data"] is None


def test_a_hundred_ids_are_the_most(client: httpx.Client, world: World) -> None:
    ids = [issue.node_id for issue in world.issues()[:101]]
    value = ask(client, ENRICH, ids=ids)
    assert error_types(value) == ["ARGUMENT_LIMIT"]
    assert value["data"] is None


def test_unknown_fields_and_bad_queries_are_refused(client: httpx.Client) -> None:
    value = ask(client, "{ viewer { nonsense } }")
    assert value["errors"][0]["extensions"] == {
        "code": "undefinedField", "typeName": "User", "fieldName": "nonsense",
    }  # fmt: skip
    assert "Parse error" in ask(client, "{ viewer {")["errors"][0]["message"]
    assert "$ids" in ask(client, ENRICH)["errors"][0]["message"]
    assert client.post("/graphql", content=b"{").status_code == 400
    assert "query attribute" in client.post("/graphql", json={}).json()["errors"][0]["message"]


def test_nobody_asks_without_a_token(double: GitHubDouble) -> None:
    assert httpx.post(double.graphql_url, json={"query": "{ viewer { login } }"}).status_code == 401


def test_points_are_counted_apart_from_requests(client: httpx.Client, world: World) -> None:
    ids = [issue.node_id for issue in world.issues()[:100]]
    told = data(client, ENRICH, ids=ids)["rateLimit"]
    assert (told["cost"], told["remaining"]) == (5, 4_995)
    answer = client.post("/graphql", json={"query": "{ viewer { login } }"})
    assert (answer.headers["X-RateLimit-Used"], answer.headers["X-RateLimit-Resource"]) == ("6", "graphql")
    assert client.get("/repos/octo/engine").headers["X-RateLimit-Used"] == "1"


def test_changes_show_at_once(client: httpx.Client, world: World) -> None:
    issue: Issue = world.issues()[0]
    world.edit(issue, title="Changed")
    assert data(client, ENRICH, ids=[issue.node_id])["nodes"][0]["title"] == "Changed"
