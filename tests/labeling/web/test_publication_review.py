"""A curator's page of a request: what it shows of public answers, and that its buttons do what they say."""

from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from kb.models import Node
from labeling.models import CategoryRequest, Decision, Job, Member, PublicationRequest, Role
from labeling.rights import Right
from labeling.services.decisions import reopen
from labeling.services.oversight import give_rights, withdraw_publication
from labeling.services.publication_requests import ask_for_publication
from labeling.tasks import run_job
from labeling.web.results.answer_table import PAGE
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_project
from tests.labeling.results.builders import annotators, do, issues_of, lead_of, make_curator, published, settled_round
from tests.labeling.results.test_categories import accepted_node
from tests.support.factories import make_label, make_source

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)


@pytest.fixture
def curator(client: Client) -> Client:
    client.force_login(make_curator())
    return client


def address(asked: PublicationRequest, name: str = "request") -> str:
    return reverse(f"labeling:oversight-{name}", args=[asked.pk])


def digest_on(page: str) -> str:
    return page.split('name="digest" value="')[1].split('"')[0]


def request_for(*votes: tuple[tuple[str, ...], ...]) -> PublicationRequest:
    return ask_for_publication(lead=lead_of(settled_round(votes)))


def test_it_says_what_is_public_now_by_whom_and_what_would_be_by_which_votes(curator: Client) -> None:
    round_ = settled_round(((HANG, HANG), (CRASH, CRASH), (HANG, CRASH)))
    make_label(issues_of(round_)[0], Node.objects.get(code="crash"), make_source(name="Careful readers"))
    words = read(curator.get(address(ask_for_publication(lead=lead_of(round_))))).words
    assert "Crash (Careful readers) Hang 2 of 2; all votes were the same α 0.44 in “Main”" in words
    assert "5 answers to add" in words or "answers to add 5" in words


def test_a_request_that_waits_stands_in_oversight_with_its_project(curator: Client) -> None:
    asked = request_for((HANG, HANG))
    for page in ("oversight", "oversight-project"):
        args = [asked.project.slug] if page == "oversight-project" else []
        assert address(asked) in read(curator.get(reverse(f"labeling:{page}", args=args))).links


def test_a_part_is_accepted_and_handed_to_a_worker(
    curator: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    round_ = settled_round(((HANG, HANG),))
    asked = ask_for_publication(lead=lead_of(round_))
    digest = digest_on(curator.get(address(asked)).content.decode())
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)),
        django_capture_on_commit_callbacks(execute=True),
    ):
        curator.post(address(asked, "accept"), {"digest": digest, "scope": ["symptom"]})
    assert published(issues_of(round_)[0]) == {"hang"}


def test_what_changed_since_it_was_asked_for_is_told(curator: Client) -> None:
    round_ = settled_round(((HANG, HANG),))
    lead = lead_of(round_)
    asked = ask_for_publication(lead=lead)
    reopen(member=lead, decision=Decision.objects.get(axis__code="symptom"), reason="New facts.")
    words = read(curator.get(address(asked))).words
    assert "0 decided since then, 1 reopened or left out" in words
    response = curator.post(address(asked, "accept"), {"digest": asked.digest}, follow=True)
    assert "nothing was accepted" in read(response).words
    assert not Job.objects.exists()


def test_refusing_needs_a_reason(curator: Client) -> None:
    asked = request_for((HANG, HANG))
    assert "Say why" in read(curator.post(address(asked, "refuse"), {"reason": " "}, follow=True)).words
    words = read(curator.post(address(asked, "refuse"), {"reason": "Too few."}, follow=True)).words
    assert "Reason: Too few." in words
    assert "Accept and publish" not in words


def test_a_curator_of_the_project_reads_that_another_has_to_accept(client: Client) -> None:
    asked = request_for((HANG, HANG))
    member = make_member(asked.project, Role.OBSERVER)
    give_rights(user=member.user, rights=[Right.OVERSEE])
    client.force_login(member.user)
    words = read(client.get(address(asked))).words
    assert "publishing takes two people" in words
    assert "Accept and publish" not in words


def test_new_categories_are_decided_on_the_same_page(curator: Client) -> None:
    lead = make_project()
    annotators(lead, 2)
    accepted_node(lead, "straggler")
    settled_round(((("straggler",), ("straggler",)),), lead=lead)
    asked = ask_for_publication(lead=lead)
    assert "Straggler" in read(curator.get(address(asked))).words
    category = reverse("labeling:oversight-category", args=[CategoryRequest.objects.get().pk])
    response = curator.post(category, {"do": "accept", "from": "request"})
    assert response["Location"] == address(asked)
    assert "1 decided since then" in read(curator.get(address(asked))).words


def test_it_is_filtered_by_category_and_so_is_its_file(curator: Client) -> None:
    asked = request_for((HANG, HANG), (CRASH, CRASH))
    words = read(curator.get(address(asked), {"part": "symptom/hang"})).words
    assert "1 to 1 of 1 answers" in words
    file = b"".join(curator.get(address(asked, "answers"), {"part": "symptom/hang"})).decode()
    header, *lines = file.splitlines()
    assert header.startswith("issue,axis,change,says_now,would_say")
    assert [line.split(",")[1:5] for line in lines] == [["Symptom", "added", "", "Hang"]]


def test_a_pilot_is_called_one(curator: Client) -> None:
    round_ = settled_round(((HANG, HANG),), kind="pilot")
    asked = ask_for_publication(lead=lead_of(round_), pilots=True)
    words = read(curator.get(address(asked))).words
    assert "with pilot rounds" in words
    assert "Hang pilot" in words


def test_a_part_is_withdrawn_and_allowed_again_with_reasons(curator: Client) -> None:
    round_ = settled_round(((HANG, HANG),))
    lead = lead_of(round_)
    do(lead, Job.Kind.PUBLISH)
    page = reverse("labeling:oversight-project", args=[lead.project.slug])
    assert 'value="symptom/hang"' in curator.get(page).content.decode()
    values = {"reason": "Too broad.", "scope": ["symptom/hang"]}
    curator.post(reverse("labeling:oversight-withdraw", args=[lead.project.slug]), values)
    assert "Symptom: Hang: Too broad." in read(curator.get(page)).words
    values = {"reason": "Narrowed.", "scope": ["symptom/hang"]}
    curator.post(reverse("labeling:oversight-allow", args=[lead.project.slug]), values)
    words = read(curator.get(page)).words
    assert "left out of every publication until" not in words
    assert "Reason: Narrowed." in words


def test_the_lead_sees_what_is_withdrawn_and_why(client: Client) -> None:
    lead = lead_of(settled_round(((HANG, HANG),)))
    do(lead, Job.Kind.PUBLISH)
    withdraw_publication(by=make_curator(), project=lead.project, reason="Too broad.", scope=["symptom/hang"])
    client.force_login(lead.user)
    words = read(client.get(reverse("labeling:publish", args=[lead.project.slug]))).words
    assert "withdrew 1 answer and keeps it out of every publication. Their reason: Too broad." in words


@pytest.mark.parametrize("issues", [2, PAGE + 3])
def test_it_takes_as_many_statements_for_many_answers(
    curator: Client, django_assert_max_num_queries: DjangoAssertNumQueries, issues: int
) -> None:
    asked = request_for(*[(HANG, HANG)] * issues)
    with django_assert_max_num_queries(54):
        response = curator.get(address(asked))
    assert response.context["page"].paginator.count == issues * 2


@pytest.fixture
def lead() -> Member:
    return make_project()


def test_who_does_not_oversee_reads_nothing_of_it(client: Client, lead: Member) -> None:
    asked = request_for((HANG, HANG))
    for user in (lead.user, asked.member.user):
        client.force_login(user)
        assert client.get(address(asked)).status_code == 403
        assert client.get(address(asked, "answers")).status_code == 403
