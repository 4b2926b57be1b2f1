"""Votes from a file: called so wherever they are shown, counted or published, and never counted as blind votes."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from kb.models import Label, Provenance, Source
from labeling.exchange import intake as importing
from labeling.exchange.values import Options
from labeling.models import Decision, Job, Member, Round
from labeling.releases import method, report, state
from labeling.selectors import results
from labeling.services.decisions import accept
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_project
from tests.labeling.results.builders import do, lead_of, work
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    """A round from a file, by a member who shows their name and by somebody invented."""
    lead = make_project()
    member = make_member(lead.project)
    Member.objects.filter(pk=member.pk).update(shows_name=True)
    urls = [make_issue().url for _ in range(2)]
    lines = [f"{url},{who},symptom,hang" for url in urls for who in (member.user.username, "invented")]
    content = "\n".join(["issue,annotator,axis,nodes", *lines]).encode()
    found, _ = importing.keep_file(
        lead=lead, content=content, filename="votes.csv", format_="long_csv", name="Elsewhere", options=Options()
    )
    people = {member.user.username: member.pk, "invented": None}
    assert work(importing.ask(lead=lead, found=found, people=people)).state == Job.State.DONE
    return Round.objects.get()


def test_published_answers_are_called_so_name_nobody_and_are_of_low_confidence(round_: Round) -> None:
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    do(lead, Job.Kind.PUBLISH)
    kept = set(Provenance.objects.values_list("is_from_file", "confidence", "people__len"))
    assert kept == {(True, "low", 0)}
    assert set(Label.objects.values_list("reason", flat=True)) == {"All 2 votes from a file."}
    note = Source.objects.get(kind=Source.Kind.CONSENSUS).trust_note
    assert "2 answers from votes in a file, cast elsewhere." in note
    assert "independent" not in note


@pytest.mark.parametrize("name", ["rounds", "results", "exchange", "disagreement-rounds"])
def test_every_list_of_rounds_says_so(client: Client, round_: Round, name: str) -> None:
    assert_marked(client, round_, reverse(f"labeling:{name}", args=[round_.project.slug]))


@pytest.mark.parametrize("name", ["round", "agreement", "disagreements", "accept", "settling-effects", "guide"])
def test_every_page_of_the_round_says_so(client: Client, round_: Round, name: str) -> None:
    assert_marked(client, round_, reverse(f"labeling:{name}", args=[round_.project.slug, round_.number]))


def test_the_form_for_a_round_says_so_of_what_can_be_its_gate(client: Client, round_: Round) -> None:
    assert_marked(client, round_, reverse("labeling:new-round", args=[round_.project.slug]))


def assert_marked(client: Client, round_: Round, address: str) -> None:
    """Is the round called "from a file" wherever the page names it, and are its votes never called blind?"""
    client.force_login(lead_of(round_).user)
    response = client.get(address)
    assert response.status_code == 200
    text = response.content.decode()
    assert "Elsewhere" in text
    assert re.findall(r".*Elsewhere(?! \(from a file\)).*", text) == []
    words = read(response).words
    assert "without seeing each other" not in words
    assert "blind votes of round" not in words


def test_a_release_says_so(round_: Round) -> None:
    found = state.read(project=round_.project)
    files = method.files(found) | report.files(found)
    texts = [content.decode() for name, content in files.items() if name.endswith((".md", ".html"))]
    assert not [text for text in texts if re.search(r"Elsewhere(?! \(from a file\))|[Bb]lind votes", text)]


def test_they_are_not_among_the_votes_by_a_codebook(round_: Round) -> None:
    lead = lead_of(round_)
    assert [step.name for step in results.by_round(member=lead)] == ["Elsewhere (from a file)"]
    assert results.by_codebook(member=lead) == []
