"""Many issues are given to a round by a job: killed it goes on, twice it does nothing, and the round waits for it."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from kb.models import Issue
from labeling.models import Item, Job, Member, Round
from labeling.refusals import RefusedError
from labeling.selectors.draws import Sampling
from labeling.selectors.rounds import filling, obstacles
from labeling.services import fill as services
from labeling.services import jobs, rounds
from labeling.services.preparation import discard_round
from labeling.services.rounds import open_round, prepare_round
from labeling.services.sampling import draw_sample, empty_round, fill_from_list
from labeling.tasks import run_job
from tests.labeling.factories import make_member, make_project, make_round
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ISSUES = 12


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four issues are many, and a batch is five."""
    monkeypatch.setattr(services, "MOST_AT_ONCE", 4)
    monkeypatch.setattr(services, "BATCH", 5)


@pytest.fixture
def urls() -> list[str]:
    return [make_issue(title="It hangs").url for _ in range(ISSUES)]


def draft(lead: Member) -> Round:
    return prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)


def listed(lead: Member, round_: Round, urls: list[str]) -> Job:
    """The job that gives a round these issues."""
    job = fill_from_list(lead=lead, round_=round_, text="\n".join(urls)).job
    assert job is not None
    round_.refresh_from_db()
    return job


def in_order(round_: Round) -> list[str]:
    return list(Item.objects.filter(round=round_).order_by("position").values_list("issue__url", flat=True))


def test_few_issues_are_there_at_once(urls: list[str]) -> None:
    lead = make_project()
    given = fill_from_list(lead=lead, round_=(round_ := draft(lead)), text="\n".join(urls[:4]))
    assert (given.issues, given.job) == (4, None)
    assert in_order(round_) == urls[:4]


def test_many_are_given_by_a_job_in_their_order_and_with_how_they_were_drawn(urls: list[str]) -> None:
    lead = make_project()
    round_ = draft(lead)
    job = listed(lead, round_, urls)
    assert in_order(round_) == []
    run_job(job.pk)
    job.refresh_from_db()
    round_.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == (Job.State.DONE, ISSUES, ISSUES, {"issues": ISSUES})
    assert in_order(round_) == urls
    assert round_.sample == {"kind": "urls", "drawn": ISSUES, "left_out": 0}
    assert filling(round_=round_) is None


def test_the_job_takes_what_was_drawn_when_it_was_asked_for(urls: list[str]) -> None:
    lead = make_project()
    round_ = draft(lead)
    drawn = draw_sample(lead=lead, round_=round_, sampling=Sampling("random", 6, seed="one"))
    make_issue(title="It hangs")
    assert drawn.job is not None
    run_job(drawn.job.pk)
    again = draft(lead)
    repeated = draw_sample(lead=lead, round_=again, sampling=Sampling("random", 6, seed="one", fresh=False))
    assert (drawn.population, repeated.population) == (ISSUES, ISSUES + 1)
    assert set(in_order(round_)) <= set(urls)


def dies_at(batch: int) -> Callable[..., None]:
    """Adding issues, whose process is killed in this batch: after it has written, before it has said so."""
    add, turns = rounds.add_items, iter(range(1, 100))

    def added(*arguments: object) -> None:
        add(*arguments)  # type: ignore[arg-type]
        if next(turns) == batch:
            raise KeyboardInterrupt

    return added


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_job_that_was_killed_goes_on_where_it_was(urls: list[str], batch: int) -> None:
    lead = make_project()
    round_ = draft(lead)
    job = listed(lead, round_, urls)
    with patch.object(services, "add_items", dies_at(batch)), pytest.raises(KeyboardInterrupt):
        run_job(job.pk)
    kept = list(Item.objects.filter(round=round_).order_by("position").values_list("pk", flat=True))
    assert len(kept) == 5 * (batch - 1)
    run_job(job.pk)
    run_job(job.pk)
    assert in_order(round_) == urls
    assert (
        list(Item.objects.filter(round=round_, pk__in=kept).order_by("position").values_list("pk", flat=True)) == kept
    )


def test_what_the_round_had_before_goes_with_the_first_batch(urls: list[str]) -> None:
    lead = make_project()
    round_ = make_round(lead, issues=3, is_open=False)
    before = in_order(round_)
    job = listed(lead, round_, urls)
    assert in_order(round_) == before
    run_job(job.pk)
    assert in_order(round_) == urls


def test_the_round_waits_for_its_issues(urls: list[str]) -> None:
    lead = make_project()
    make_member(lead.project)
    round_ = draft(lead)
    job = listed(lead, round_, urls)
    waiting = "not all its issues yet"
    assert waiting in obstacles(round_=round_)[0]
    with pytest.raises(RefusedError, match=waiting):
        open_round(lead=lead, round_=round_)
    with pytest.raises(RefusedError, match="issues are being drawn"):
        empty_round(lead=lead, round_=round_)
    with pytest.raises(RefusedError, match="issues are being drawn"):
        fill_from_list(lead=lead, round_=round_, text=urls[0])
    run_job(job.pk)
    assert open_round(lead=lead, round_=Round.objects.get(pk=round_.pk)).state == Round.State.OPEN


def test_one_round_of_a_project_is_filled_at_a_time(urls: list[str]) -> None:
    lead = make_project()
    listed(lead, draft(lead), urls)
    second = draft(lead)
    with pytest.raises(RefusedError, match="Drawing the sample is already running"):
        fill_from_list(lead=lead, round_=second, text="\n".join(urls))
    assert fill_from_list(lead=lead, round_=second, text=urls[0]).issues == 1


def test_a_job_whose_round_has_other_issues_by_now_changes_nothing(urls: list[str]) -> None:
    lead = make_project()
    round_ = draft(lead)
    job = listed(lead, round_, urls)
    with patch.object(services, "add_items", side_effect=ValueError), pytest.raises(ValueError):  # noqa: PT011
        run_job(job.pk)
    fill_from_list(lead=lead, round_=round_, text=urls[0])
    run_job(jobs.try_again(lead=lead, job=job).pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "other issues in the meantime" in job.message
    assert in_order(round_) == urls[:1]


def test_a_round_may_be_discarded_and_the_job_says_so(urls: list[str]) -> None:
    lead = make_project()
    round_ = draft(lead)
    job = listed(lead, round_, urls)
    discard_round(lead=lead, round_=round_)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert Issue.objects.count() == ISSUES
