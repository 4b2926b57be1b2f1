"""The labeling page after the vote: taking it back, and another ballot on the same issue."""

import pytest

from labeling.models import Vote
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_open_round, take
from tests.labeling.web.test_work_label import WHOLE, BrowserOf, at, post

pytestmark = pytest.mark.django_db


def test_a_vote_is_taken_back_and_the_page_is_open_again(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="too fast")
    client = browser_of(first)
    assert vote.receipt in read(client.get(at("label", vote.item))).text
    response = post(client, "take-back", vote.item, {}, follow=True)
    assert read(response).inputs["note"] == "too fast"
    assert not Vote.objects.exists()


def test_a_vote_that_was_taken_back_meanwhile_is_shown_as_the_draft_that_it_is(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="too fast")
    client = browser_of(first)
    post(client, "take-back", vote.item, {})
    response = post(client, "take-back", vote.item, {})
    assert response.status_code == 404
    assert "no vote on this issue to take back" in read(response).text
    assert read(response).inputs["note"] == "too fast"


def test_another_ballot_after_the_vote_is_refused_in_words(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    client = browser_of(first)
    post(client, "label", item, WHOLE | {"note": "One\r\ntwo "})
    vote = Vote.objects.get()
    assert post(client, "label", item, WHOLE | {"note": "One\ntwo"}).status_code == 302
    for other in ({"axis-symptom": "hang"}, {"quotation": "Words that stand nowhere."}):
        response = post(client, "label", item, WHOLE | {"note": "One\ntwo"} | other)
        assert response.status_code == 409
        assert "Your vote stands." in read(response).text
        assert vote.receipt in read(response).text
    assert Vote.objects.get() == vote


def test_nothing_is_taken_back_where_there_is_no_vote(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round()
    vote = cast(first, round_)
    response = post(browser_of(second), "take-back", vote.item, {})
    assert response.status_code == 404
    assert "no vote on this issue to take back" in read(response).text
    assert Vote.objects.exists()
