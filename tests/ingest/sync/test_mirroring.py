"""A mirror against a double of GitHub: complete, cheap, and true after whatever happens on the host."""

from collections.abc import Callable

import pytest

from ingest.models import Cursor, Pending, SyncRun
from ingest.services.suggestions import due_issues, suggest_labels
from ingest.sync.schedule import changed_repositories
from kb.models import Comment, FormerAddress, Host, Issue, Label, Repository, RepositoryAlias
from kb.services.erasure import forget_author
from tests.doubles.github import Issue as HostedIssue
from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 240, "pulls": 120, "comments": 900, "seed": 3}


def an_issue(replica: Mirrored) -> HostedIssue:
    return next(item for item in replica.world.repository.items.values() if isinstance(item, HostedIssue))


def test_a_first_run_brings_everything(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    run = replica.synced()
    assert replica.wrong() == []
    assert run.created == 360
    assert not Pending.objects.exists()


def test_a_first_run_asks_for_nothing_issue_by_issue(mirrored: Make) -> None:
    run = mirrored(**SMALL).synced()
    assert run.requests <= 24


def test_when_nothing_changed_a_request_for_issues_and_one_for_labels_are_answered_not_modified(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    run = replica.synced()
    assert (run.requests, run.not_modified) == (2, 2)
    assert (run.created, run.updated) == (0, 0)


def test_a_few_changes_take_a_few_requests(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    replica.world.now += 3_600
    replica.world.change_some(0.02, seed=5)
    run = replica.synced()
    assert replica.wrong() == []
    assert run.requests <= 8


def test_more_changes_than_fit_on_a_page_are_all_read(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    replica.world.now += 3_600
    replica.world.change_some(0.6, seed=6)
    replica.synced()
    assert replica.wrong() == []
    assert replica.synced().requests == 2


@pytest.mark.parametrize("seed", [0])
def test_many_rounds_of_changes_leave_no_difference(mirrored: Make, seed: int) -> None:
    replica = mirrored(**SMALL | {"seed": seed})
    for turn in range(5):
        replica.world.now += 1_800
        replica.world.change_some(0.05, seed=100 * seed + turn)
        replica.synced()
    assert replica.wrong() == []


def test_pull_requests_are_never_issues(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    assert Issue.objects.filter(kind="issue").count() == 240
    assert Issue.objects.filter(kind="pull_request").count() == 120


def test_issues_changed_in_one_second_are_all_read_though_they_fill_several_pages(mirrored: Make) -> None:
    replica = mirrored(**SMALL, same_second=230)
    replica.synced()
    assert replica.wrong() == []


def test_a_deleted_issue_stays_with_its_labels_and_is_marked(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    number = an_issue(replica).number
    replica.world.delete(an_issue(replica))
    replica.sweep()
    issue = Issue.objects.get(repository=replica.mirror.repository, ref=str(number))
    assert issue.deleted_at is not None
    assert issue.title
    assert replica.wrong() == []


def test_a_transferred_issue_keeps_its_row_and_is_found_under_both_addresses(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    other = replica.world.add_repository("octo/elsewhere")
    replica.synced()
    framework = replica.mirror.repository.framework
    there = Repository.objects.create(framework=framework, host="github.com", full_name="octo/elsewhere")
    number = an_issue(replica).number
    before = Issue.objects.get(repository=replica.mirror.repository, ref=str(number))
    moved = replica.world.transfer(an_issue(replica), other)
    replica.sweep()
    after = Issue.objects.get(pk=before.pk)
    assert (after.repository_id, after.ref) == (there.pk, str(moved.number))
    assert FormerAddress.objects.get(issue=after).url == before.url
    assert replica.wrong() == []


def test_an_issue_transferred_to_where_we_do_not_look_says_where_it_went(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    other = replica.world.add_repository("octo/elsewhere")
    replica.synced()
    number = an_issue(replica).number
    moved = replica.world.transfer(an_issue(replica), other)
    replica.sweep()
    issue = Issue.objects.get(repository=replica.mirror.repository, ref=str(number))
    assert issue.moved_to == f"https://github.com/octo/elsewhere/issues/{moved.number}"
    assert replica.wrong() == []


def test_a_renamed_repository_is_followed_and_known_by_both_names(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    old = replica.world.repository.full_name
    replica.world.rename_repository(replica.world.repository, "octo/renamed")
    replica.world.comment(replica.world.item(1))
    replica.synced()
    repository = Repository.objects.get(pk=replica.mirror.repository.pk)
    assert repository.full_name == "octo/renamed"
    assert RepositoryAlias.objects.get(repository=repository).full_name == old
    assert not Issue.objects.filter(repository=repository).exclude(url__contains="/octo/renamed/").exists()
    assert replica.wrong() == []


def test_a_comment_edited_or_deleted_without_a_trace_reaches_us_with_the_sweep(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    threads = [item for item in replica.world.repository.items.values()
               if item.node_id.startswith("I_") and len(item.comments) > 1]  # fmt: skip
    replica.world.edit_comment(threads[0].comments[0], "said otherwise", touch=False)
    replica.world.delete_comment(threads[1].comments[0], touch=False)
    replica.sweep()
    assert replica.wrong() == []


def test_a_sweep_asks_for_two_hundred_issues_at_once(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    assert replica.sweep().requests == 2


def test_a_run_within_a_limit_sends_nothing(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.double.faults.add("secondary_limit", count=1, retry_after=30)
    outcome = replica.sync(patience=0.5)
    assert outcome.resume_at is not None
    assert outcome.run.status == SyncRun.Status.LIMITED
    asked = len(replica.double.requests)
    again = replica.sync(patience=0.5)
    assert again.resume_at is not None
    assert len(replica.double.requests) == asked


def test_nothing_is_written_twice_when_nothing_changed(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    Cursor.objects.update(updated_at=None, is_complete=False, probe_etag="")
    run = replica.synced()
    assert (run.created, run.updated) == (0, 0)


def test_labels_of_people_survive_every_sync(mirrored: Make, codebook: None) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    held = Label.objects.count()
    replica.world.change_some(0.3, seed=9)
    replica.synced()
    assert Label.objects.count() == held


def test_what_a_run_brought_gets_suggestions(mirrored: Make, codebook: None) -> None:
    replica = mirrored(**SMALL)
    replica.world.edit(an_issue(replica), title="Training hangs at the first step with NCCL")
    replica.synced()
    assert changed_repositories() == [replica.mirror.repository_id]
    suggest_labels(issue_ids=due_issues(repository_id=replica.mirror.repository_id))
    found = Label.objects.filter(issue__ref=str(an_issue(replica).number), source__kind="rule")
    assert {label.node.axis.code for label in found} >= {"symptom"}
    assert due_issues(repository_id=replica.mirror.repository_id) == []


def test_a_person_who_asked_to_be_forgotten_stays_so_whatever_the_host_says(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    replica.synced()
    login = Comment.objects.exclude(author="").values_list("author", flat=True)[0]
    done = forget_author(host=Host.GITHUB, login=login.upper())
    emptied = set(Comment.objects.filter(body="", author="").values_list("pk", flat=True))
    assert len(emptied) >= done.comments > 0
    Cursor.objects.update(updated_at=None, is_complete=False, probe_etag="")
    replica.world.change_some(0.3, seed=11)
    replica.synced()
    replica.sweep()
    assert not Comment.objects.filter(author__iexact=login).exists()
    assert not Issue.objects.filter(author__iexact=login).exists()
    left = Comment.objects.filter(pk__in=emptied)
    assert left.count() > 0.9 * len(emptied), "the host deleted a few"
    assert not left.exclude(body="", author="").exists()
