"""The pages of releases: who may make one, who may read it, and the download."""

import hashlib
from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from labeling.models import Job, Member, Release, Role
from labeling.tasks import run_job
from tests.labeling.factories import make_member, make_project
from tests.labeling.results.builders import annotators, lead_of, settled_round, voted_round
from tests.labeling.results.test_releases import VOTES, make

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
FORM = {"title": "Faults", "authors": "Doe, Jo", "licence": "CC-BY-4.0", "note": "The first."}


def address(member: Member, name: str, *more: object) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *more])


def test_a_lead_makes_one_and_every_member_reads_it(
    browser_of: BrowserOf, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lead = lead_of(settled_round(VOTES))
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)),
        django_capture_on_commit_callbacks(execute=True),
    ):
        browser_of(lead).post(address(lead, "releases"), FORM)
    release = Release.objects.get()
    browser = browser_of(annotators(lead, 1)[0])
    assert "The first." in browser.get(address(lead, "releases")).content.decode()
    html = browser.get(address(lead, "release", 1)).content.decode()
    assert release.sha256 in html
    assert "<strong>Question.</strong>" in html
    got = browser.get(address(lead, "release-file", 1))
    assert hashlib.sha256(got.content).hexdigest() == release.sha256
    assert got["ETag"] == f'"{release.sha256}"'


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADJUDICATOR, Role.OBSERVER])
def test_only_leads_make_releases(browser_of: BrowserOf, role: Role) -> None:
    lead = lead_of(settled_round(VOTES))
    browser = browser_of(make_member(lead.project, role))
    assert "Make a release" not in browser.get(address(lead, "releases")).content.decode()
    assert browser.post(address(lead, "releases"), FORM).status_code == 403
    assert not Job.objects.exists()


def test_what_was_filled_in_stays_when_something_is_missing(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round(VOTES))
    response = browser_of(lead).post(address(lead, "releases"), FORM | {"title": ""})
    assert response.status_code == 422
    assert "The first." in response.content.decode()


def test_an_adjudicator_reads_it_after_their_first_opinions(browser_of: BrowserOf) -> None:
    lead = lead_of(voted_round(VOTES))
    make(lead)
    judge = make_member(lead.project, Role.ADJUDICATOR)
    browser = browser_of(judge)
    html = browser.get(address(lead, "release", 1)).content.decode()
    assert "still wait for your first opinion" in html
    assert "<strong>Question.</strong>" not in html
    assert browser.get(address(lead, "release-file", 1)).status_code == 302


def test_an_adjudicator_reads_what_is_all_decided(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round(VOTES))
    make(lead)
    judge = make_member(lead.project, Role.ADJUDICATOR)
    assert browser_of(judge).get(address(lead, "release-file", 1)).status_code == 200


def test_others_find_nothing(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round(VOTES))
    make(lead)
    stranger = browser_of(make_project())
    for name, more in (("releases", ()), ("release", (1,)), ("release-file", (1,))):
        assert stranger.get(address(lead, name, *more)).status_code == 404


def test_two_are_compared(browser_of: BrowserOf) -> None:
    round_ = settled_round(VOTES)
    lead = lead_of(round_)
    make(lead)
    settled_round(VOTES, lead=lead)
    make(lead)
    html = browser_of(lead).get(address(lead, "release", 2) + "?with=1").content.decode()
    assert "Against release 1" in html
    assert "The codebook is the same." in html
    response = browser_of(lead).get(address(lead, "release", 2) + "?with=9")
    assert response.status_code == 400
    assert "“9” is not a release to compare with here. Known are: 1." in response.content.decode()


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_takes_as_many_statements_for_many(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    lead = make_project()
    for _ in range(number):
        settled_round(((("hang",), ("hang",)),), lead=lead)
        make(lead)
    browser = browser_of(lead)
    with django_assert_max_num_queries(9):
        browser.get(address(lead, "releases"))


def test_who_made_it_is_called_as_the_team_calls_them_and_you_to_oneself(browser_of: BrowserOf) -> None:
    lead = lead_of(settled_round(VOTES))
    make(lead)
    page, job = address(lead, "release", 1), address(lead, "job", Job.objects.get().pk)
    other = make_member(lead.project, Role.LEAD)
    for one in (page, job):
        assert " by you" in shown(browser_of(lead), one)
        assert f" by {lead.user.username}" in shown(browser_of(other), one)
        assert lead.pseudonym not in shown(browser_of(other), one).split(" by ", 1)[1].split(".", 1)[0]
    judge = make_member(lead.project, Role.ADJUDICATOR)
    assert f" by {lead.pseudonym}" in shown(browser_of(judge), page)
    Member.objects.filter(pk=lead.pk).update(is_pseudonymous=True)
    for one in (page, job):
        assert f" by {lead.pseudonym}" in shown(browser_of(other), one)
        assert lead.user.username not in shown(browser_of(other), one)


def shown(browser: Client, page: str) -> str:
    return " ".join(browser.get(page).content.decode().split())
