"""The chain from votes to outcome on an issue's page."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from kb.models import Label, Provenance
from labeling.ballots import Choice
from labeling.models import Decision, Job, Member
from labeling.services.decisions import accept
from labeling.services.people import leave
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_open_round
from tests.labeling.results.builders import annotators, do, issues_of, lead_of, settled_round
from tests.labeling.results.test_releases import make

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
    assert "3 people voted without seeing the others' answers" in html
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


def told_by_api(client: Client, issue: int, **params: str) -> list[dict[str, Any]]:
    response = client.get(f"/api/v1/issues/{issue}/", params)
    assert response.status_code == 200, response.content
    return list(response.json()["became_known"])


def test_the_api_tells_it_in_counts(client: Client) -> None:
    round_ = settled_round(VOTES)
    do(lead_of(round_), Job.Kind.PUBLISH)
    (issue,) = issues_of(round_)
    symptom = next(one for one in told_by_api(client, issue.pk) if one["axis"] == "symptom")
    assert [node["code"] for node in symptom["nodes"]] == ["hang"]
    assert symptom["answers"] == [{"answer": "Hang", "votes": 2}, {"answer": "Crash", "votes": 1}]
    assert (symptom["votes"], symptom["support"], symptom["how"]) == (3, 2, "majority")
    assert symptom["agreement"] == pytest.approx(1 / 3)
    assert (symptom["round"], symptom["rule"], symptom["codebook"]) == ("Main", "Majority", 1)
    assert symptom["source"]["kind"] == "consensus"
    assert symptom["project"] == round_.project.name
    assert symptom["reason"] is None
    assert symptom["release"] is None
    assert (symptom["posts"], symptom["revised"], symptom["report_does_not_tell"]) == (0, 0, False)


def test_the_api_names_the_release_that_holds_it(client: Client) -> None:
    round_ = settled_round(VOTES)
    make(lead_of(round_))
    do(lead_of(round_), Job.Kind.PUBLISH)
    (issue,) = issues_of(round_)
    assert {one["release"] for one in told_by_api(client, issue.pk)} == {"Faults, release 1"}


def test_an_answer_that_the_report_does_not_tell_has_its_chain_without_a_label(client: Client) -> None:
    round_, people = make_open_round(annotators=2)
    untold = {"symptom": Choice(is_undecidable=True), "issue_type": Choice(("bug",))}
    for member in people:
        cast(member, round_, choices=untold)
    close_round(lead=lead_of(round_), round_=round_)
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS)
    do(lead_of(round_), Job.Kind.PUBLISH)
    (issue,) = issues_of(round_)
    symptom = next(one for one in told_by_api(client, issue.pk) if one["axis"] == "symptom")
    assert symptom["report_does_not_tell"] is True
    assert symptom["nodes"] == []


def test_the_api_names_nobody_but_who_allows_it(client: Client) -> None:
    round_ = settled_round(VOTES)
    open_, *_ = annotators(lead_of(round_), 3)
    Member.objects.filter(pk=open_.pk).update(shows_name=True)
    do(lead_of(round_), Job.Kind.PUBLISH)
    (issue,) = issues_of(round_)
    body = client.get(f"/api/v1/issues/{issue.pk}/").content.decode()
    assert open_.user.username in body
    for member in Member.objects.exclude(pk=open_.pk).select_related("user"):
        assert member.user.username not in body
        assert member.pseudonym not in body


def test_the_api_tells_nothing_of_what_is_not_published_or_withdrawn(client: Client) -> None:
    round_ = settled_round(VOTES)
    (issue,) = issues_of(round_)
    assert told_by_api(client, issue.pk) == []
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert told_by_api(client, issue.pk)
    do(lead_of(round_), Job.Kind.WITHDRAW)
    assert told_by_api(client, issue.pk) == []


@pytest.mark.parametrize("axes", [1, 2])
def test_the_chain_costs_one_statement_and_none_where_it_is_not_asked_for(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, axes: int
) -> None:
    round_ = settled_round(VOTES)
    do(lead_of(round_), Job.Kind.PUBLISH)
    (issue,) = issues_of(round_)
    told = Provenance.objects.filter(issue=issue).order_by("pk")
    Provenance.objects.exclude(pk__in=told.values("pk")[:axes]).delete()
    with django_assert_max_num_queries(6):
        assert len(told_by_api(client, issue.pk)) == axes
    with CaptureQueriesContext(connection) as asked:
        client.get(f"/api/v1/issues/{issue.pk}/", {"fields": "url"})
    assert not any("kb_provenance" in one["sql"] for one in asked)
    assert "became_known" not in client.get("/api/v1/issues/", {"url": issue.url}).json()["results"][0]
