"""What annotators meet beside the labeling page: what comes next, what they label by, their own work."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labeling.models import Member, Pass, Role, Round, Slot
from labeling.services.assignment import pass_item
from labeling.services.codebooks import write_guideline
from labeling.services.rounds import close_round
from labeling.services.voting import save_draft, submit
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_ballot, make_member, make_open_round, make_project, make_round, take

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def at(name: str, round_: Round) -> str:
    """The address of something about a round."""
    return reverse(f"labeling:{name}", args=[round_.project.slug, round_.number])


def mine(member: Member) -> str:
    """The address of the member's own work."""
    return reverse("labeling:mine", args=[member.project.slug])


def test_looking_takes_nothing_and_asking_takes_the_next(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    client = browser_of(first)
    assert "Take the next issue" in read(client.get(at("next", round_))).text
    assert not Slot.objects.exclude(member=None).exists()
    response = client.post(at("next", round_))
    assert response.status_code == 302
    assert Slot.objects.filter(member=first).exists()
    assert response["Location"] in read(client.get(at("next", round_))).links


def test_it_is_said_why_there_is_nothing(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round(votes_wanted=1, deadline=timezone.localdate() - dt.timedelta(days=1))
    take(first, round_)
    client = browser_of(second)
    page = read(client.get(at("next", round_)))
    assert "Nothing is free now." in page.text
    assert "has passed" in page.text
    assert client.post(at("next", round_))["Location"] == at("next", round_)
    cast(first, round_)
    assert "You have labelled everything there is" in read(client.get(at("next", round_))).text
    close_round(lead=Member.objects.get(project=round_.project, roles__contains=[Role.LEAD]), round_=round_)
    assert "takes no votes now" in read(client.get(at("next", round_))).text
    assert "is closed" in read(client.post(at("next", round_), follow=True)).text


def test_a_round_that_is_being_prepared_is_not_there(browser_of: BrowserOf) -> None:
    lead = make_project()
    member = make_member(lead.project)
    round_ = make_round(lead, is_open=False)
    assert browser_of(member).get(at("next", round_)).status_code == 404


def test_the_guide_has_the_rounds_guidelines_and_all_of_its_codebook(browser_of: BrowserOf) -> None:
    lead = make_project()
    people = [make_member(lead.project) for _ in range(2)]
    write_guideline(lead=lead, text="Label *what* the report says.")
    round_ = make_round(lead)
    write_guideline(lead=lead, text="Something new.", change="All of it.")
    page = read(browser_of(people[0]).get(at("guide", round_)))
    assert "Guidelines, version 1" in page.text
    assert "Something new." not in page.text
    assert "What hang means." in page.text


def test_ones_own_work_has_votes_drafts_and_what_was_skipped(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round(issues=3)
    vote = cast(first, round_)
    draft_on, skipped = take(first, round_).item, None
    save_draft(member=first, item=draft_on, content={"note": "x"}, revision=0, active_seconds=0)
    skipped = pass_item(member=first, item=draft_on, kind=Pass.Kind.SKIP, reason="Too long for today.")
    other = cast(second, round_)
    page = read(browser_of(first).get(mine(first)))
    assert vote.receipt in page.text
    assert "Drafts" in page.text
    assert skipped.reason in page.text
    assert other.receipt not in page.text
    assert other.receipt in read(browser_of(second).get(mine(second))).text


def test_somebody_new_is_told_that_there_is_nothing_yet(browser_of: BrowserOf) -> None:
    member = make_member(make_project().project)
    page = read(browser_of(member).get(mine(member)))
    assert "No round is open for you." in page.text
    assert "You have not voted yet." in page.text


@pytest.mark.parametrize("issues", [2, 9])
def test_ones_own_work_asks_a_fixed_number_of_questions(
    browser_of: BrowserOf, django_assert_max_num_queries: Any, issues: int
) -> None:
    round_, (first, _) = make_open_round(issues=issues)
    for _ in range(issues - 1):
        cast(first, round_)
    client = browser_of(first)
    with django_assert_max_num_queries(15):
        assert client.get(mine(first)).status_code == 200


@pytest.mark.parametrize("name", ["next", "guide"])
def test_the_pages_of_a_round_ask_a_fixed_number_of_questions(
    browser_of: BrowserOf, django_assert_max_num_queries: Any, name: str
) -> None:
    round_, (first, _) = make_open_round(issues=9)
    client = browser_of(first)
    client.get(at("guide", round_))
    with django_assert_max_num_queries(14):
        assert client.get(at(name, round_)).status_code == 200


def test_a_median_is_told_over_votes_whose_time_was_measured(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round(issues=4)
    for _ in range(2):
        cast(first, round_)
    client = browser_of(first)
    for page in (mine(first), at("next", round_)):
        shown = read(client.get(page)).text
        assert "0 s" not in shown
        assert "not measured" in shown
    slot = take(first, round_)
    Slot.objects.filter(pk=slot.pk).update(reserved_until=F("reserved_until") - dt.timedelta(seconds=90))
    submit(member=first, item=slot.item, ballot=make_ballot(), active_seconds=80)
    assert "median 80 s an issue" in read(client.get(mine(first))).text
    assert "your median: 80 s an issue" in read(client.get(at("next", round_))).text
