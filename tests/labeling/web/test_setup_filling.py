"""A large sample is given to its round by a job: the pages say so, show how far it is, and refuse a second one."""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from labeling.models import Item, Job, Member, Round
from labeling.services import fill as filling
from labeling.services.rounds import prepare_round
from labeling.tasks import run_job
from tests.labeling.factories import make_project
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
ISSUES = 6


@pytest.fixture
def round_(monkeypatch: pytest.MonkeyPatch) -> Round:
    """A round without issues; more than four are many."""
    monkeypatch.setattr(filling, "MOST_AT_ONCE", 4)
    lead = make_project()
    return prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)


@pytest.fixture
def lead(round_: Round, browser_of: BrowserOf) -> Client:
    return browser_of(Member.objects.get(project=round_.project))


def address(round_: Round, name: str) -> str:
    return reverse(f"labeling:{name}", args=[round_.project.slug, round_.number])


def test_a_drawn_sample_is_followed_on_its_jobs_page_and_then_there(
    lead: Client, round_: Round, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    for _ in range(ISSUES):
        make_issue(title="It hangs")
    sent = {"kind": "random", "size": ISSUES, "seed": "one"}
    with patch.object(run_job, "delay") as delay, django_capture_on_commit_callbacks(execute=True):
        response = lead.post(address(round_, "draw-sample"), sent, follow=True)
    job = Job.objects.get(kind=Job.Kind.FILL)
    delay.assert_called_once_with(job.pk)
    page = response.content.decode()
    assert "Drawing the sample" in page
    assert f'href="{address(round_, "round")}"' in page
    waiting = lead.get(address(round_, "round")).content.decode()
    assert "not all its issues yet" in waiting
    assert reverse("labeling:job", args=[round_.project.slug, job.pk]) in waiting
    run_job(job.pk)
    assert Item.objects.filter(round=round_).count() == ISSUES
    assert "not all its issues yet" not in lead.get(address(round_, "round")).content.decode()


def test_a_second_sample_is_refused_in_words_while_the_first_is_under_way(lead: Client, round_: Round) -> None:
    listed = {"addresses": "\n".join(make_issue(title="It hangs").url for _ in range(ISSUES))}
    lead.post(address(round_, "list-sample"), listed)
    again = lead.post(address(round_, "list-sample"), listed)
    assert "issues are being drawn." in again.content.decode()
    assert Job.objects.count() == 1


def test_the_page_of_a_job_whose_round_was_discarded_leads_back_to_the_rounds(lead: Client, round_: Round) -> None:
    listed = {"addresses": "\n".join(make_issue(title="It hangs").url for _ in range(ISSUES))}
    lead.post(address(round_, "list-sample"), listed)
    lead.post(address(round_, "discard-round"))
    job = Job.objects.get()
    run_job(job.pk)
    page = lead.get(reverse("labeling:job", args=[round_.project.slug, job.pk])).content.decode()
    assert "is no longer being prepared" in page
    assert f'href="{reverse("labeling:rounds", args=[round_.project.slug])}">Back' in page
