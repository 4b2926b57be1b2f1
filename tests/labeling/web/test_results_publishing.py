"""The publishing page: who may open it, what it says, and that doing it goes through a job."""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from kb.models import Label, Source
from labeling.models import Job, Member, PublicationRequest, Role
from labeling.services.publication_requests import ask_for_publication, refuse_publication
from labeling.tasks import run_job
from tests.labeling.factories import make_member, make_project
from tests.labeling.results.builders import annotators, begin_to_publish, do, lead_of, make_curator, settled_round

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
HANG = (("hang",), ("hang",))


def address(member: Member, name: str, *more: object) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *more])


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADJUDICATOR, Role.OBSERVER])
@pytest.mark.parametrize("name", ["publish", "publish-now", "publish-take-back", "publish-withdraw"])
def test_only_leads_publish(browser_of: BrowserOf, role: Role, name: str) -> None:
    lead = make_project()
    browser = browser_of(make_member(lead.project, role))
    method = browser.get if name == "publish" else browser.post
    assert method(address(lead, name)).status_code == 403
    assert not PublicationRequest.objects.exists()


def test_others_leads_find_nothing(browser_of: BrowserOf) -> None:
    lead, other = make_project(), make_project()
    assert browser_of(other).get(address(lead, "publish")).status_code == 404


def test_a_job_of_another_project_is_not_there(browser_of: BrowserOf) -> None:
    round_, other = settled_round(), make_project()
    job = begin_to_publish(lead_of(round_))
    assert browser_of(other).get(address(other, "job", job.pk)).status_code == 404
    assert browser_of(other).post(address(other, "job-again", job.pk)).status_code == 404


def test_a_demo_is_published_at_once_by_a_job_that_a_worker_does(
    browser_of: BrowserOf, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lead = make_project(is_demo=True)
    settled_round((HANG,), lead=lead)
    browser = browser_of(lead)
    assert "answers to add" in browser.get(address(lead, "publish")).content.decode()
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)) as sent,
        django_capture_on_commit_callbacks(execute=True),
    ):
        response = browser.post(address(lead, "publish-now"))
    job = Job.objects.get()
    sent.assert_called_once_with(job.pk)
    assert response["Location"] == address(lead, "job", job.pk)
    assert "Done" in browser.get(response["Location"]).content.decode()
    assert Label.objects.filter(source__kind=Source.Kind.CONSENSUS).count() == 2
    assert "No answer changes" in browser.get(address(lead, "publish")).content.decode()


def test_a_second_click_leads_to_a_refusal_not_to_a_second_request(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round((HANG,)))
    browser = browser_of(lead)
    browser.post(address(lead, "publish-now"))
    response = browser.post(address(lead, "publish-now"), follow=True)
    assert "A request already waits for a curator" in response.content.decode()
    assert PublicationRequest.objects.count() == 1


def test_a_lead_asks_for_a_part_and_takes_it_back(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round((HANG,)))
    browser = browser_of(lead)
    assert 'value="symptom/hang"' in browser.get(address(lead, "publish")).content.decode()
    browser.post(address(lead, "publish-now"), {"scope": ["symptom/hang"]})
    assert PublicationRequest.objects.get().scope == ["symptom/hang"]
    assert "waits for a curator" in browser.get(address(lead, "publish")).content.decode()
    browser.post(address(lead, "publish-take-back"))
    assert PublicationRequest.objects.get().state == PublicationRequest.State.WITHDRAWN


def test_a_lead_reads_why_a_curator_refused(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round((HANG,)))
    asked = ask_for_publication(lead=lead)
    refuse_publication(by=make_curator(), request=asked, reason="Two votes are few.")
    assert "Reason: Two votes are few." in browser_of(lead).get(address(lead, "publish")).content.decode()


def test_a_waiting_job_says_that_no_worker_lives_and_looks_again(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round((HANG,)))
    job = begin_to_publish(lead)
    response = browser_of(lead).get(address(lead, "job", job.pk))
    assert response["Refresh"]
    assert "No worker has given a sign of life" in response.content.decode()


def test_a_job_whose_worker_was_lost_is_tried_again(
    browser_of: BrowserOf, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lead = lead_of(settled_round((HANG,)))
    job = begin_to_publish(lead)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING)
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)),
        django_capture_on_commit_callbacks(execute=True),
    ):
        browser_of(lead).post(address(lead, "job-again", job.pk))
    job.refresh_from_db()
    assert job.state == Job.State.DONE


def test_a_done_job_is_not_done_again(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round((HANG,)))
    job = do(lead, Job.Kind.PUBLISH)
    response = browser_of(lead).post(address(lead, "job-again", job.pk), follow=True)
    assert "This is already done" in response.content.decode()


@pytest.mark.parametrize("issues", [1, 6])
def test_the_preview_takes_as_many_statements_for_many_issues(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, issues: int
) -> None:
    lead = lead_of(settled_round((HANG,) * issues))
    annotators(lead, 2)
    browser = browser_of(lead)
    with django_assert_max_num_queries(55):
        assert browser.get(address(lead, "publish")).status_code == 200
