"""A mirror of Gitee against a double of it: complete, true after whatever happens, and at peace with one of GitHub."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from ingest.models import Pending, SyncRun
from kb.models import Fix, Issue, Repository, RepositoryAlias
from tests.doubles.gitee import code
from tests.doubles.github.values import Issue as MadeIssue
from tests.ingest.sync.conftest import Mirrored, MirroredGitee

pytestmark = pytest.mark.usefixtures("_no_waiting")

Make = Callable[..., MirroredGitee]
SMALL = {"issues": 130, "pulls": 120, "comments": 500, "seed": 3}
TINY = {"issues": 24, "pulls": 14, "comments": 80, "seed": 4}
CALLS = 12

FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a burst of 500": ("server_error", {"count": 3, "status": 500}),
    "a burst of 502": ("server_error", {"count": 3, "status": 502}),
    "bursts now and then": ("server_error", {"probability": 0.2, "status": 502}),
    "a limit": ("secondary_limit", {"count": 1, "seconds": 1, "after": 1}),
    "a limit without a word how long": ("secondary_limit", {"count": 1, "seconds": 1, "retry_after": False}),
    "a limit as 429": ("secondary_limit", {"count": 1, "seconds": 1, "status": 429}),
    "a page for people": ("html", {"count": 3}),
    "truncated JSON": ("truncated", {"count": 3}),
    "a connection cut short": ("cut", {"count": 3}),
    "a connection closed at once": ("close", {"count": 3}),
    "silence": ("stall", {"count": 1, "before": True}),
    "not modified, unasked": ("not_modified", {"count": 2}),
    "changes between any two requests": ("churn", {"items": 2, "count": 15}),
    "comments that are not there for once": ("status", {"count": 2, "status": 404, "path": "/comments"}),
}  # fmt: skip


def until_complete(replica: MirroredGitee) -> None:
    """Call until the mirror says it is complete, as whoever gets exit status 75 or 1 does."""
    for _ in range(CALLS):
        if replica.sync(patience=2.5).is_complete:
            return
        Pending.objects.update(not_before=None)
    raise AssertionError("the mirror never became complete")


def first_issue(replica: Mirrored, *, comments: int = 0) -> MadeIssue:
    return next(issue for issue in replica.world.issues() if len(issue.comments) >= comments)


def test_a_first_run_brings_everything(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**SMALL)
    run = replica.synced()
    assert replica.wrong() == []
    assert run.created == 250
    assert not Pending.objects.exists()


def test_issues_bear_codes_and_pull_requests_numbers(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    kinds = {(issue.kind, issue.ref.isdigit()) for issue in Issue.objects.all()}
    assert kinds == {("issue", False), ("pull_request", True)}
    issue = first_issue(replica)
    held = Issue.objects.get(ref=code(issue))
    assert held.url == f"https://gitee.com/octo/engine/issues/{code(issue)}"


def test_merged_pull_requests_are_fixes_with_their_size(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    issue = next(issue for issue in replica.world.issues() if issue.state == "open")
    pull = replica.world.open_pull(replica.world.repository, closes=[issue], how="sidebar", size=(7, 2, 3))
    replica.world.merge_closing(pull)
    replica.synced()
    fix = Fix.objects.get(url=f"https://gitee.com/octo/engine/pulls/{pull.number}")
    assert (fix.additions, fix.deletions, fix.files_changed) == (7, 2, 3)
    assert fix.issues.get().ref == code(issue)


def test_the_size_of_a_very_large_pull_request_is_not_guessed(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    issue = next(issue for issue in replica.world.issues() if issue.state == "open")
    replica.world.merge_closing(replica.world.open_pull(replica.world.repository, closes=[issue], size=(9_000, 2, 301)))
    replica.synced()
    assert Issue.objects.get(ref=code(issue)).fixes.get().additions is None


def test_when_nothing_changed_three_requests_suffice(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    run = replica.synced()
    assert (run.requests, run.created, run.updated, run.unchanged) == (3, 0, 0, 0)


@pytest.mark.parametrize("seed", [0])
def test_many_rounds_of_changes_leave_no_difference(mirrored_gitee: Make, seed: int) -> None:
    replica = mirrored_gitee(**SMALL | {"seed": seed})
    for turn in range(4):
        replica.world.now += 1_800
        replica.world.change_some(0.06, seed=100 * seed + turn)
        replica.synced()
    assert replica.wrong() == []


def test_more_changes_than_fit_on_a_page_are_all_read(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**SMALL)
    replica.synced()
    replica.world.now += 3_600
    replica.world.change_some(1.0, seed=6, kinds=("edit", "relabel"))
    replica.synced()
    assert replica.wrong() == []


def test_changes_of_one_second_are_all_read_though_they_fill_several_pages(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(issues=230, pulls=10, comments=20, seed=5, same_second=235)
    replica.synced()
    assert replica.wrong() == []


def test_what_moves_between_pages_of_one_second_is_not_skipped(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(issues=230, pulls=10, comments=20, seed=5, same_second=235)
    replica.double.faults.add("churn", count=6, items=20, kinds=("edit",), path=r"/issues\?.*page=[12]&")
    until_complete(replica)
    replica.double.faults.clear()
    replica.synced()
    assert replica.wrong() == []


@pytest.mark.parametrize("name", FAULTS)
def test_the_mirror_is_true_after(mirrored_gitee: Make, settings: Settings, name: str) -> None:
    kind, how = FAULTS[name]
    replica = mirrored_gitee(**TINY)
    settings.GITEE_TIMEOUT_SECONDS = 0.7
    replica.double.faults.add(kind, **how)
    until_complete(replica)
    replica.world.now += 3_600
    replica.world.change_some(0.3, seed=8)
    replica.double.faults.add(kind, **how)
    until_complete(replica)
    replica.double.faults.clear()
    replica.synced()
    assert replica.wrong() == []
    assert not [asked for asked in replica.double.requests if asked.was_limited]


def test_a_list_in_another_order_is_refused_rather_than_believed(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    answer = replica.double.rest.answer

    def by_creation(request: Any) -> Any:
        request.query["sort"] = "created"
        return answer(request)

    replica.double.rest.answer = by_creation  # type: ignore[method-assign]
    outcome = replica.sync()
    assert outcome.run.status == SyncRun.Status.FAILED
    assert "does not list by the last change" in outcome.run.problem


def test_a_deleted_issue_stays_and_is_marked(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    issue = first_issue(replica)
    replica.world.delete(issue)
    replica.sweep()
    held = Issue.objects.get(ref=code(issue))
    assert held.deleted_at is not None
    assert held.title
    assert replica.wrong() == []


def test_a_repository_that_is_gone_deletes_no_issue(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    replica.double.faults.add("status", status=404)
    assert replica.sync().run.status == SyncRun.Status.FAILED
    with pytest.raises(AssertionError, match="Gitee has no repository octo/engine"):
        replica.sweep()
    assert not Issue.objects.filter(deleted_at__isnull=False).exists()


def test_a_moved_issue_says_where_it_went(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    other = replica.world.add_repository("octo/elsewhere")
    replica.synced()
    issue = first_issue(replica)
    moved = replica.world.transfer(issue, other)
    replica.sweep()
    assert Issue.objects.get(ref=code(issue)).moved_to == f"https://gitee.com/octo/elsewhere/issues/{code(moved)}"
    assert replica.wrong() == []


def test_a_renamed_repository_is_followed(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    replica.world.rename_repository(replica.world.repository, "octo/renamed")
    replica.world.comment(first_issue(replica))
    replica.synced()
    repository = Repository.objects.get(pk=replica.mirror.repository.pk)
    assert repository.full_name == "octo/renamed"
    assert RepositoryAlias.objects.get(repository=repository).host == "gitee.com"
    assert replica.wrong() == []


def test_what_changes_without_a_trace_reaches_us_with_the_sweep(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**SMALL)
    replica.synced()
    threads = [issue for issue in replica.world.issues() if len(issue.comments) > 1]
    replica.world.edit_comment(threads[0].comments[0], "said otherwise", touch=False)
    replica.world.delete_comment(threads[1].comments[0], touch=False)
    replica.world.rename_label(
        replica.world.repository, next(iter(replica.world.repository.labels)), "renamed by its owners"
    )
    replica.sweep()
    assert replica.wrong() == []


def test_a_sweep_goes_on_where_the_last_one_stopped(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(issues=70, pulls=5, comments=70, seed=4)
    replica.synced()
    replica.double.faults.add("secondary_limit", count=1, after=90, seconds=600)
    with pytest.raises(AssertionError, match="asks us to slow down"):
        replica.sweep()
    replica.mirror.cursor.refresh_from_db()
    assert replica.mirror.cursor.swept_up_to > 0


def test_without_a_token_what_came_before_the_limit_is_kept(mirrored_gitee: Make, settings: Settings) -> None:
    replica = mirrored_gitee(**TINY)
    settings.GITEE_TOKENS = []
    replica.double.faults.add("secondary_limit", count=1, after=20, seconds=600)
    outcome = replica.sync(patience=0.5)
    assert outcome.run.status == SyncRun.Status.LIMITED
    assert outcome.run.detailed > 0
    assert {asked.token for asked in replica.double.requests} == {""}


def test_a_pull_request_that_says_it_closes_an_issue_has_it_looked_at(mirrored_gitee: Make) -> None:
    replica = mirrored_gitee(**TINY)
    replica.synced()
    issue = next(issue for issue in replica.world.issues() if issue.state == "open")
    replica.world.now += 3_600
    before = issue.updated_at
    pull = replica.world.open_pull(
        replica.world.repository, closes=[issue], how="sidebar", body=f"Fixes #{code(issue)}"
    )
    issue.updated_at = before
    replica.synced()
    held = Issue.objects.get(ref=code(issue))
    assert held.closing_references.get().url == f"https://gitee.com/octo/engine/pulls/{pull.number}"


def test_mirrors_of_gitee_and_github_go_on_side_by_side(
    mirrored_gitee: Make, mirrored: Callable[..., Mirrored]
) -> None:
    here, there = mirrored_gitee(**TINY), mirrored(**TINY)
    for replica in (here, there):
        replica.synced()
    for replica in (there, here):
        replica.world.now += 3_600
        replica.world.change_some(0.2, seed=2)
        replica.synced()
    assert (here.wrong(), there.wrong()) == ([], [])
    assert set(Repository.objects.filter(full_name="octo/engine").values_list("host", flat=True)) == {
        "gitee.com",
        "github.com",
    }
