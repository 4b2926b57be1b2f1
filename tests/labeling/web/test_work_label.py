"""The labeling page: what is on it, what is sent from it, and what is never lost."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from labeling.ballots import ballot_of, hash_of
from labeling.models import Draft, Item, Member, Pass, Role, Round, Slot, Vote
from labeling.services.assignment import take_item
from labeling.services.rounds import close_round
from labeling.services.voting import save_draft
from tests.kb.web.reading import read
from tests.labeling.factories import issue_of, make_member, make_open_round, make_project, make_round, take

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]

WHOLE = {"axis-symptom": ["hang", "crash"], "axis-issue_type": "bug", "confidence": "3", "active": "0"}


def at(name: str, item: Item) -> str:
    """The address of something about an issue of a round."""
    return reverse(f"labeling:{name}", args=[item.round.project.slug, item.round.number, item.position])


def next_of(round_: Round) -> str:
    """Where the next issue of a round is taken."""
    return reverse("labeling:next", args=[round_.project.slug, round_.number])


def post(client: Client, name: str, item: Item, data: Mapping[str, Any], **more: Any) -> Any:
    """Send a form about an issue."""
    return client.post(at(name, item), data, **more)


def ticked(response: HttpResponseBase) -> list[str]:
    """The choices that are ticked on a page."""
    return re.findall(r'name="axis-[^"]+" value="([^"]*)" checked', text_of(response))


def text_of(response: HttpResponseBase) -> str:
    """A page's HTML."""
    return b"".join(response).decode()


def said(response: Any) -> str:
    """What a redirect will tell on the next page."""
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def test_the_page_shows_the_frozen_issue_and_every_axis(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    response = browser_of(first).get(at("label", item))
    page = read(response)
    assert "Rank 3 waits for ever." in page.text
    assert item.snapshot.text_hash[:12] in page.text
    assert {"axis-symptom", "axis-issue_type", "confidence", "note"} <= set(page.inputs)
    assert "What hang means." in page.text
    assert page.inline == []


def test_a_ballot_is_submitted_and_the_next_issue_follows_with_the_receipt(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round(issues=2)
    item = take(first, round_).item
    response = post(browser_of(first), "label", item, WHOLE, follow=True)
    vote = Vote.objects.get()
    assert response.redirect_chain[0][0] == at("label", Item.objects.get(round=round_, position=2))
    assert vote.receipt in read(response).text
    assert "It hangs 1" in read(response).text


def test_after_the_last_issue_nothing_is_left(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round(issues=1)
    response = post(browser_of(first), "label", take(first, round_).item, WHOLE, follow=True)
    assert response.redirect_chain[0][0] == next_of(round_)
    assert "You have labelled everything there is for you" in read(response).text


def test_what_is_missing_is_said_and_what_was_filled_in_stays(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    sent = {"axis-symptom": ["hang"], "note": "Look at rank 3.", "evidence": ["body:0:6:symptom"]}
    response = post(browser_of(first), "label", item, sent)
    page = read(response)
    assert "Issue type: choose an answer" in page.text
    assert "Say how sure you are." in page.text
    assert ticked(response) == ["hang"]
    assert page.inputs["note"] == "Look at rank 3."
    assert "Rank 3" in page.text
    assert not Vote.objects.exists()


def test_that_the_report_does_not_tell_is_ticked_like_an_answer(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    post(browser_of(first), "label", item, {**WHOLE, "axis-issue_type": ""})
    assert Vote.objects.get().answers.get(axis__code="issue_type").is_undecidable


def test_a_draft_is_saved_without_scripts_and_found_again(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    client = browser_of(first)
    response = post(client, "draft", item, {**WHOLE, "note": "so far", "evidence": "body:0:6:symptom"}, follow=True)
    assert read(response).inputs["note"] == "so far"
    assert sorted(ticked(response)) == ["bug", "crash", "hang"]
    assert read(response).inputs["bases"] == hash_of(ballot_of(Draft.objects.get().content))
    assert Draft.objects.get().content["evidence"] == [{"part": "body", "start": 0, "end": 6, "axis": "symptom"}]


def test_a_quotation_is_found_in_the_text(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    post(browser_of(first), "label", item, {**WHOLE, "quotation": "waits for ever", "quotation-axis": "symptom"})
    found = Vote.objects.get().evidence.get()
    assert (found.part, found.quote) == ("body", "waits for ever")


@pytest.mark.parametrize("name", ["label", "draft"])
def test_a_quotation_that_is_not_there_is_given_back(browser_of: BrowserOf, name: str) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    page = read(post(browser_of(first), name, item, {**WHOLE, "quotation": "rank 7 explodes", "note": "kept"}))
    assert "is not in the title or the text" in page.text
    assert page.inputs["quotation"] == "rank 7 explodes"
    assert page.inputs["note"] == "kept"
    assert not Vote.objects.exists()


def test_passing_needs_a_reason_and_leads_on(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round(issues=2)
    item = take(first, round_).item
    client = browser_of(first)
    response = post(client, "pass", item, {"kind": "skip", "reason": " "})
    assert "Say briefly why" in said(response)
    response = post(client, "pass", item, {"kind": "flag", "reason": "Not English."})
    assert response["Location"] == at("label", Item.objects.get(round=round_, position=2))
    assert Pass.objects.get().kind == Pass.Kind.FLAG


def test_what_was_skipped_is_taken_after_all(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    client = browser_of(first)
    post(client, "pass", item, {"kind": "skip", "reason": "Too long."})
    assert "Take it after all" in read(client.get(at("label", item))).text
    response = post(client, "take", item, {}, follow=True)
    assert "axis-symptom" in read(response).inputs


def test_an_issue_of_somebody_else_shows_nothing(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round()
    item = take(first, round_).item
    client = browser_of(second)
    assert "not reserved for you" in read(client.get(at("label", item))).text
    assert "Rank 3" not in read(client.get(at("label", item))).text
    page = read(post(client, "label", item, {**WHOLE, "note": "not lost"}))
    assert "someone else has the issue now" in page.text
    assert page.inputs["note"] == "not lost"
    assert Slot.objects.filter(member=second).count() == 0


def test_a_vote_on_a_closed_round_is_refused_with_all_that_was_written(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    save_draft(member=first, item=item, content={"note": "kept"}, revision=0, active_seconds=0)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    close_round(lead=lead, round_=round_)
    client = browser_of(first)
    assert "takes no votes now" in read(client.get(at("label", item))).text
    page = read(post(client, "label", item, {**WHOLE, "note": "kept"}))
    assert page.inputs["note"] == "kept"
    assert not Vote.objects.exists()


def test_who_does_not_label_stays_outside(browser_of: BrowserOf) -> None:
    lead = make_project()
    for _ in range(2):
        make_member(lead.project)
    round_ = make_round(lead)
    item = Item.objects.get(round=round_)
    observer = make_member(lead.project, Role.OBSERVER)
    for member in (lead, observer):
        client = browser_of(member)
        assert client.get(at("label", item)).status_code == 403
        assert client.get(next_of(round_)).status_code == 403
        assert [post(client, name, item, WHOLE).status_code for name in ("label", "draft", "pass", "take")] == [403] * 4


def test_odd_values_do_no_harm(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    odd = {
        "axis-symptom": ["<b>", "hang"],
        "confidence": "²",
        "bases": "² -1",
        "evidence": ["body", "x:1:2", "a:b:c:d"],
    }
    response = post(browser_of(first), "label", item, odd)
    assert response.status_code == 200
    assert "is not in this round" in read(response).text


@pytest.mark.parametrize("issues", [2, 12])
def test_submitting_and_showing_the_next_issue_asks_a_fixed_number_of_questions(
    browser_of: BrowserOf, django_assert_max_num_queries: Any, issues: int
) -> None:
    round_, (first, _) = make_open_round(issues=issues)
    client = browser_of(first)
    client.get(at("label", take(first, round_).item))
    with django_assert_max_num_queries(32):
        location = post(client, "label", Item.objects.get(round=round_, position=1), WHOLE)["Location"]
    with django_assert_max_num_queries(15):
        assert client.get(location).status_code == 200


def test_a_draft_is_saved_with_a_handful_of_questions(
    browser_of: BrowserOf, django_assert_max_num_queries: Any
) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    client = browser_of(first)
    with django_assert_max_num_queries(15):
        post(client, "draft", item, WHOLE, headers={"Accept": "application/json"})


def test_a_place_that_is_taken_again_opens_the_page(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = Item.objects.get(round=round_)
    slot = take(first, round_)
    save_draft(member=first, item=item, content={}, revision=0, active_seconds=1)
    Slot.objects.filter(pk=slot.pk).update(member=None, reserved_until=None)
    take_item(member=first, item=item)
    assert "axis-symptom" in read(browser_of(first).get(at("label", item))).inputs


def test_the_ballot_offers_neither_search_nor_what_is_published_of_the_issue(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    browser = browser_of(first)
    text = text_of(browser.get(at("label", item)))
    assert 'role="search"' not in text.replace('id="text-search" role="search"', "")
    assert issue_of(item).get_absolute_url() not in text
    assert 'id="site-q"' not in text
    assert 'id="site-q"' in text_of(browser.get(reverse("labeling:mine", args=[round_.project.slug])))
