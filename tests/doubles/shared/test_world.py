"""The made world: how it is composed, how it changes, what is told as its truth."""

from collections import Counter

import pytest

from ingest.hosts.values import clean_text
from tests.doubles.github import Issue, PullRequest, World, comment_truth, commit_truth, differences, truth
from tests.doubles.github.values import ClosedEvent


@pytest.fixture(scope="module")
def large() -> World:
    return World.generate(issues=1_500, pulls=800, comments=7_000, seed=2, same_second=260)


def test_the_same_seed_makes_the_same_world() -> None:
    first, second, other = (World.generate(issues=40, pulls=20, seed=seed) for seed in (3, 3, 4))
    assert (truth(first), comment_truth(first)) == (truth(second), comment_truth(second))
    assert truth(first) != truth(other)


def test_numbers_are_shared_and_mixed(large: World) -> None:
    kinds = [isinstance(item, PullRequest) for _, item in sorted(large.repository.items.items())]
    assert sorted(large.repository.items) == list(range(1, 2_301))
    assert (kinds.count(False), kinds.count(True)) == (1_500, 800)
    assert any(kinds[:50])
    assert not all(kinds[:50])


def test_comments_are_as_many_as_asked_for_and_unevenly_spread(large: World) -> None:
    counts = [len(item.comments) for item in large.repository.items.values()]
    assert sum(counts) == 7_000
    assert sum(count > 100 for count in counts) == 5
    assert max(counts) >= 300
    assert counts.count(0) > 100


def test_two_in_five_closed_issues_were_closed_by_a_fix(large: World) -> None:
    closed = [issue for issue in large.issues() if issue.state == "closed"]
    rows, commits = truth(large, merged_only=True), commit_truth(large)
    fixed = [issue for issue in closed if rows[issue.number]["fix_prs"] or issue.number in commits]
    assert 0.33 < len(fixed) / len(closed) < 0.47


def test_fixes_come_by_text_by_the_side_bar_from_elsewhere_and_by_commit(large: World) -> None:
    ways: Counter[str] = Counter()
    for issue in large.issues():
        for pull in issue.links:
            if pull.merged_at:
                named = f"#{issue.number}" in (pull.body or "")
                ways["elsewhere" if pull.repository is not large.repository else "text" if named else "sidebar"] += 1
    ways["commit"] = len(commit_truth(large))
    assert all(ways[way] > 20 for way in ("text", "sidebar", "elsewhere", "commit")), ways


def test_some_links_lead_to_pull_requests_that_were_given_up_or_are_open(large: World) -> None:
    states = Counter(pull.state for issue in large.issues() for pull in issue.links if not pull.merged_at)
    assert min(states["open"], states["closed"]) > 5


def test_no_linked_issue_is_open_although_its_pull_request_is_merged(large: World) -> None:
    merged = [issue for issue in large.issues() if any(pull.merged_at for pull in issue.links)]
    assert {issue.state for issue in merged} == {"closed"}


def test_moments_are_in_order(large: World) -> None:
    for item in large.repository.items.values():
        assert item.created_at <= (item.closed_at or item.created_at) <= item.updated_at
        moments = [comment.created_at for comment in item.comments]
        assert moments == sorted(moments)
        assert all(item.created_at <= moment <= item.updated_at for moment in moments)


def test_most_were_last_changed_in_a_second_of_their_own_and_one_block_was_not(large: World) -> None:
    seconds = Counter(item.updated_at for item in large.repository.items.values())
    (_, largest), (_, second) = seconds.most_common(2)
    assert largest >= 260
    assert second <= 3


def test_there_are_ghosts_and_bodies_that_databases_refuse(large: World) -> None:
    items = list(large.repository.items.values())
    assert any(item.user is None for item in items)
    assert any(item.body is None for item in items)
    bodies = [item.body or "" for item in items] + [comment.body for item in items for comment in item.comments]
    assert any("\0" in body for body in bodies)
    assert any(body.isascii() is False and clean_text(body) != body and "\0" not in body for body in bodies)


def test_changes_are_stamped_one_second_apart(world: World) -> None:
    issue, other = world.issues()[:2]
    world.edit(issue, title="New")
    world.comment(other)
    assert other.updated_at > issue.updated_at >= world.newest - 1
    assert world.now >= other.updated_at


def test_changes_in_the_same_second_share_their_stamp(world: World) -> None:
    issue, other = world.issues()[:2]
    with world.same_second() as moment:
        world.edit(issue, title="New")
        world.comment(other)
    assert issue.updated_at == other.updated_at == moment


def test_what_github_does_not_stamp_is_not_stamped(world: World) -> None:
    issue = next(issue for issue in world.issues() if issue.labels and issue.comments)
    before, name = issue.updated_at, issue.labels[0].name
    world.rename_label(world.repository, name, "renamed")
    world.react(issue)
    world.link(world.open_pull(world.repository), issue, how="sidebar")
    world.delete_comment(issue.comments[0], touch=False)
    world.delete_label(world.repository, "renamed")
    assert issue.updated_at == before
    assert name not in truth(world)[issue.number]["labels"]


def test_merging_closes_the_linked_issues_with_the_pull_request_as_closer(world: World) -> None:
    issue = world.open_issue(world.repository)
    pull = world.open_pull(world.repository, closes=[issue], how="sidebar", size=(7, 3, 2))
    assert (issue.state, pull.body) == ("open", "")
    world.merge_closing(pull)
    row = truth(world)[issue.number]
    assert (row["state"], row["state_reason"]) == ("closed", "completed")
    assert row["fix_prs"] == [{"repo": "octo/engine", "number": pull.number, "additions": 7, "deletions": 3,
                               "merged_at": truth(world)[pull.number]["closed_at"]}]  # fmt: skip
    closing = issue.events[-1]
    assert isinstance(closing, ClosedEvent)
    assert closing.closer is pull


def test_a_moved_issue_has_new_ids_and_leaves_a_trace(world: World) -> None:
    target = world.add_repository("octo/other")
    issue = next(issue for issue in world.issues() if issue.comments)
    moved = world.transfer(issue, target)
    assert (moved.number, moved.node_id == issue.node_id, len(moved.comments)) == (1, False, len(issue.comments))
    assert truth(world)[issue.number]["transferred_to"] == "octo/other#1"
    assert truth(world, target)[1]["title"] == truth(world)[issue.number]["title"]
    assert issue.node_id not in world.nodes


def test_a_usual_day_changes_as_much_as_asked_for_and_the_same_for_the_same_seed() -> None:
    worlds = [World.generate(issues=200, pulls=100, seed=1) for _ in range(2)]
    before = truth(worlds[0])
    done = [world.change_some(0.1, seed=9) for world in worlds]
    assert done[0] == done[1]
    changed = {number for number, row in truth(worlds[0]).items() if before.get(number) != row}
    assert len(done[0]) == 30
    assert changed >= {number for kind, number in done[0] if kind not in ("open_issue", "open_pull")}


def test_differences_tell_what_a_mirror_has_wrong(world: World) -> None:
    deleted = world.issues()[0]
    world.delete(deleted)
    rows = truth(world)
    mirror = [dict(row) for row in rows.values()]
    assert differences(rows, mirror) == []
    mirror[5]["title"] = "stale"
    mirror[6]["labels"] = [*reversed(mirror[6]["labels"]), "one too many"]
    mirror += [mirror[7], mirror[8] | {"number": 9_999}]
    found = differences(rows, [row for row in mirror if row["number"] not in (deleted.number, mirror[9]["number"])])
    assert [line.split(":")[1].split()[0] for line in found] == ["title", "labels", "doubled", "unknown", "missing"]


def test_the_clock_can_be_moved_but_not_before_the_last_change(world: World) -> None:
    before = world.now
    world.advance(3_600)
    assert world.now >= before + 3_600
    issue: Issue = world.issues()[0]
    world.edit(issue, title="Later")
    with pytest.raises(ValueError, match="was changed at"):
        world.now = issue.updated_at - 1
