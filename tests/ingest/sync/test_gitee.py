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


def until_complete(some: MirroredGitee) -> None:
    """Call until the mirror says it is complete, as whoever gets exit status 75 or 1 does."""
    for _ in range(CALLS):
        if some.sync(patience=2.5).is_complete:
            return
        Pending.objects.update(not_before=None)
    raise AssertionError("the mirror never became complete")


def first_issue(some: Mirrored, *, comments: int = 0) -> MadeIssue:
    return next(issue for issue in some.world.issues() if len(issue.comments) >= comments)


def test_a_first_run_brings_everything(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**SMALL)
    run = some.synced()
    assert some.wrong() == []
    assert run.created == 250
    assert not Pending.objects.exists()


def test_issues_bear_codes_and_pull_requests_numbers(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    kinds = {(issue.kind, issue.ref.isdigit()) for issue in Issue.objects.all()}
    assert kinds == {("issue", False), ("pull_request", True)}
    issue = first_issue(some)
    held = Issue.objects.get(ref=code(issue))
    assert held.url == f"https://gitee.com/octo/engine/issues/{code(issue)}"


def test_merged_pull_requests_are_fixes_with_their_size(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    issue = next(issue for issue in some.world.issues() if issue.state == "open")
    pull = some.world.open_pull(some.world.repository, closes=[issue], how="sidebar", size=(7, 2, 3))
    some.world.merge_closing(pull)
    some.synced()
    fix = Fix.objects.get(url=f"https://gitee.com/octo/engine/pulls/{pull.number}")
    assert (fix.additions, fix.deletions, fix.files_changed) == (7, 2, 3)
    assert fix.issues.get().ref == code(issue)


def test_the_size_of_a_very_large_pull_request_is_not_guessed(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    issue = next(issue for issue in some.world.issues() if issue.state == "open")
    some.world.merge_closing(some.world.open_pull(some.world.repository, closes=[issue], size=(9_000, 2, 301)))
    some.synced()
    assert Issue.objects.get(ref=code(issue)).fixes.get().additions is None


def test_when_nothing_changed_three_requests_suffice(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    run = some.synced()
    assert (run.requests, run.created, run.updated, run.unchanged) == (3, 0, 0, 0)


@pytest.mark.parametrize("seed", range(2))
def test_many_rounds_of_changes_leave_no_difference(mirrored_gitee: Make, seed: int) -> None:
    some = mirrored_gitee(**SMALL | {"seed": seed})
    for turn in range(4):
        some.world.now += 1_800
        some.world.change_some(0.06, seed=100 * seed + turn)
        some.synced()
    assert some.wrong() == []


def test_more_changes_than_fit_on_a_page_are_all_read(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**SMALL)
    some.synced()
    some.world.now += 3_600
    some.world.change_some(1.0, seed=6, kinds=("edit", "relabel"))
    some.synced()
    assert some.wrong() == []


def test_changes_of_one_second_are_all_read_though_they_fill_several_pages(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(issues=230, pulls=10, comments=20, seed=5, same_second=235)
    some.synced()
    assert some.wrong() == []


def test_what_moves_between_pages_of_one_second_is_not_skipped(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(issues=230, pulls=10, comments=20, seed=5, same_second=235)
    some.double.faults.add("churn", count=6, items=20, kinds=("edit",), path=r"/issues\?.*page=[12]&")
    until_complete(some)
    some.double.faults.clear()
    some.synced()
    assert some.wrong() == []


@pytest.mark.parametrize("name", FAULTS)
def test_the_mirror_is_true_after(mirrored_gitee: Make, settings: Settings, name: str) -> None:
    kind, how = FAULTS[name]
    some = mirrored_gitee(**TINY)
    settings.GITEE_TIMEOUT_SECONDS = 0.7
    some.double.faults.add(kind, **how)
    until_complete(some)
    some.world.now += 3_600
    some.world.change_some(0.3, seed=8)
    some.double.faults.add(kind, **how)
    until_complete(some)
    some.double.faults.clear()
    some.synced()
    assert some.wrong() == []
    assert not [asked for asked in some.double.requests if asked.was_limited]


def test_a_list_in_another_order_is_refused_rather_than_believed(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    answer = some.double.rest.answer

    def by_creation(request: Any) -> Any:
        request.query["sort"] = "created"
        return answer(request)

    some.double.rest.answer = by_creation  # type: ignore[method-assign]
    outcome = some.sync()
    assert outcome.run.status == SyncRun.Status.FAILED
    assert "does not list by the last change" in outcome.run.problem


def test_a_deleted_issue_stays_and_is_marked(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    issue = first_issue(some)
    some.world.delete(issue)
    some.sweep()
    held = Issue.objects.get(ref=code(issue))
    assert held.deleted_at is not None
    assert held.title
    assert some.wrong() == []


def test_a_repository_that_is_gone_deletes_no_issue(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    some.double.faults.add("status", status=404)
    assert some.sync().run.status == SyncRun.Status.FAILED
    with pytest.raises(AssertionError, match="Gitee knows no repository octo/engine"):
        some.sweep()
    assert not Issue.objects.filter(deleted_at__isnull=False).exists()


def test_a_moved_issue_says_where_it_went(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    other = some.world.add_repository("octo/elsewhere")
    some.synced()
    issue = first_issue(some)
    moved = some.world.transfer(issue, other)
    some.sweep()
    assert Issue.objects.get(ref=code(issue)).moved_to == f"https://gitee.com/octo/elsewhere/issues/{code(moved)}"
    assert some.wrong() == []


def test_a_renamed_repository_is_followed(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    some.world.rename_repository(some.world.repository, "octo/renamed")
    some.world.comment(first_issue(some))
    some.synced()
    repository = Repository.objects.get(pk=some.mirror.repository.pk)
    assert repository.full_name == "octo/renamed"
    assert RepositoryAlias.objects.get(repository=repository).host == "gitee.com"
    assert some.wrong() == []


def test_what_changes_without_a_trace_reaches_us_with_the_sweep(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**SMALL)
    some.synced()
    threads = [issue for issue in some.world.issues() if len(issue.comments) > 1]
    some.world.edit_comment(threads[0].comments[0], "said otherwise", touch=False)
    some.world.delete_comment(threads[1].comments[0], touch=False)
    some.world.rename_label(some.world.repository, next(iter(some.world.repository.labels)), "renamed by its owners")
    some.sweep()
    assert some.wrong() == []


def test_a_sweep_goes_on_where_the_last_one_stopped(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(issues=70, pulls=5, comments=70, seed=4)
    some.synced()
    some.double.faults.add("secondary_limit", count=1, after=90, seconds=600)
    with pytest.raises(AssertionError, match="asks us to slow down"):
        some.sweep()
    some.mirror.cursor.refresh_from_db()
    assert some.mirror.cursor.swept_up_to > 0


def test_without_a_token_what_came_before_the_limit_is_kept(mirrored_gitee: Make, settings: Settings) -> None:
    some = mirrored_gitee(**TINY)
    settings.GITEE_TOKENS = []
    some.double.faults.add("secondary_limit", count=1, after=20, seconds=600)
    outcome = some.sync(patience=0.5)
    assert outcome.run.status == SyncRun.Status.LIMITED
    assert outcome.run.detailed > 0
    assert {asked.token for asked in some.double.requests} == {""}


def test_a_pull_request_that_says_it_closes_an_issue_has_it_looked_at(mirrored_gitee: Make) -> None:
    some = mirrored_gitee(**TINY)
    some.synced()
    issue = next(issue for issue in some.world.issues() if issue.state == "open")
    some.world.now += 3_600
    before = issue.updated_at
    pull = some.world.open_pull(some.world.repository, closes=[issue], how="sidebar", body=f"Fixes #{code(issue)}")
    issue.updated_at = before
    some.synced()
    held = Issue.objects.get(ref=code(issue))
    assert held.closing_references.get().url == f"https://gitee.com/octo/engine/pulls/{pull.number}"


def test_mirrors_of_gitee_and_github_go_on_side_by_side(
    mirrored_gitee: Make, mirrored: Callable[..., Mirrored]
) -> None:
    here, there = mirrored_gitee(**TINY), mirrored(**TINY)
    for some in (here, there):
        some.synced()
    for some in (there, here):
        some.world.now += 3_600
        some.world.change_some(0.2, seed=2)
        some.synced()
    assert (here.wrong(), there.wrong()) == ([], [])
    assert set(Repository.objects.filter(full_name="octo/engine").values_list("host", flat=True)) == {
        "gitee.com",
        "github.com",
    }
