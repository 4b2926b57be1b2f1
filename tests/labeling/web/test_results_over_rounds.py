"""Agreement over the rounds on the results page: one table of all questions, and a curve where there are two rounds."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import Member, Round
from labeling.selectors import results
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_round
from tests.labeling.results.builders import annotators, lead_of, voted_round

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
HANG, CRASH = ("hang",), ("crash",)


def shown(browser: Client, round_: Round) -> str:
    return browser.get(reverse("labeling:results", args=[round_.project.slug])).content.decode()


@pytest.fixture
def first() -> Round:
    return voted_round(((HANG, CRASH), (CRASH, CRASH), (HANG, HANG)))


def vote_again(first: Round) -> Round:
    """A second round, open, in which everybody says the same."""
    second = make_round(lead_of(first), issues=3, votes_wanted=2)
    for place in range(3):
        for member in annotators(lead_of(first), 2):
            cast(member, second, symptom=HANG if place else CRASH)
    return second


def test_a_single_round_is_a_table_without_a_curve(browser_of: BrowserOf, first: Round) -> None:
    html = shown(browser_of(lead_of(first)), first)
    assert "Agreement over the rounds" in html
    assert "<polyline" not in html


def test_two_rounds_stand_beside_each_other_and_on_a_curve(browser_of: BrowserOf, first: Round) -> None:
    second = vote_again(first)
    close_round(lead=lead_of(first), round_=second)
    html = shown(browser_of(lead_of(first)), first)
    for step in results.by_round(member=lead_of(first)):
        report = step.report("symptom")
        assert report is not None
        assert report.alpha.value is not None
        assert f"{report.alpha.value:.3f}" in html
    # Full agreement is at the top of a curve that has two points.
    points = html.split('<polyline points="', 1)[1].split('"', 1)[0].split()
    assert len(points) == 2
    assert points[1].endswith(",6.0")


def test_an_open_round_is_on_no_curve(browser_of: BrowserOf, first: Round) -> None:
    vote_again(first)
    for member in annotators(lead_of(first), 2):
        html = shown(browser_of(member), first)
        assert "<polyline" not in html
        assert "1.000" not in html
