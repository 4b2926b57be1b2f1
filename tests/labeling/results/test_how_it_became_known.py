"""The chain from votes to outcome on an issue's page."""

import pytest
from django.test import Client

from kb.models import Label
from labeling.models import Job, Member
from labeling.services.people import leave
from tests.labeling.results.builders import annotators, do, issues_of, lead_of, settled_round

pytestmark = pytest.mark.django_db
VOTES = ((("hang",), ("hang",), ("crash",)),)


def page_of(client: Client, index: int = 0) -> str:
    issue = Label.objects.select_related("issue__repository").filter(source__kind="consensus")[index].issue
    return client.get(issue.get_absolute_url()).content.decode()


def test_the_issue_page_tells_it_in_counts(client: Client) -> None:
    round_ = settled_round(VOTES)
    do(lead_of(round_), Job.Kind.PUBLISH)
    html = " ".join(page_of(client).split())
    assert "How it became known" in html
    assert "3 people voted, none of whom saw the others' answers" in html
    assert "Hang 2, Crash 1" in html
    assert "2 of 3 gave exactly the outcome; 33 % of the pairs of votes are equal" in html
    assert "codebook 1, round “Main”, rule “majority”" in html


def test_an_issue_without_a_project_says_nothing_of_it(client: Client) -> None:
    round_ = settled_round(VOTES)
    assert "How it became known" not in client.get(issues_of(round_)[0].get_absolute_url()).content.decode()


def test_only_who_allows_it_is_named(client: Client) -> None:
    round_ = settled_round(VOTES)
    lead = lead_of(round_)
    shy, open_, *_ = annotators(lead, 3)
    Member.objects.filter(pk=open_.pk).update(shows_name=True)
    do(lead, Job.Kind.PUBLISH)
    html = page_of(client)
    assert open_.user.username in html
    assert shy.user.username not in html
    assert shy.pseudonym not in html


def test_a_name_goes_when_it_may_not_be_shown_any_more(client: Client) -> None:
    round_ = settled_round(VOTES)
    lead = lead_of(round_)
    member = annotators(lead, 3)[0]
    Member.objects.filter(pk=member.pk).update(shows_name=True)
    do(lead, Job.Kind.PUBLISH)
    leave(member=member)
    Member.objects.filter(pk=member.pk).update(shows_name=False)
    do(lead, Job.Kind.PUBLISH)
    assert member.user.username not in page_of(client)
