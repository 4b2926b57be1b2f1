"""The lead's dashboard: what it tells, to whom, and when an end is foreseen."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from labeling.models import Item, Member, Pass, Role, Slot
from labeling.selectors.progress import expected_end, progress
from labeling.services.assignment import pass_item
from tests.labeling.factories import cast, make_member, make_open_round, make_project, take
from tests.labeling.results.builders import lead_of, voted_round

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
TODAY = dt.date(2026, 3, 2)


def address(member: Member) -> str:
    return reverse("labeling:progress", args=[member.project.slug])


def test_it_tells_votes_reservations_and_what_was_passed(browser_of: BrowserOf) -> None:
    round_, (one, two) = make_open_round(annotators=2, issues=3)
    lead = lead_of(round_)
    cast(one, round_)
    item = Item.objects.select_related("round").get(pk=take(two, round_).item_id)
    pass_item(member=two, item=item, kind=Pass.Kind.FLAG, reason="This is a question.")
    take(two, round_)
    found = progress(member=lead).rounds[0]
    assert (found.places, found.voted, found.running, found.expired, found.free) == (6, 1, 1, 0, 4)
    Slot.objects.filter(member=two, vote=None).update(reserved_until=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    found = progress(member=lead).rounds[0]
    assert (found.running, found.expired) == (0, 1)
    html = browser_of(lead).get(address(lead)).content.decode()
    assert "1 of 6" in html
    assert "This is a question." in html
    assert "Estimated once there are votes on 3 days." in html
    assert one.user.username in html


@pytest.mark.parametrize("roles", [[Role.ANNOTATOR], [Role.ADJUDICATOR], [Role.LEAD, Role.ANNOTATOR]])
def test_who_may_be_swayed_sees_nothing_of_it(browser_of: BrowserOf, roles: list[Role]) -> None:
    round_, (one, _) = make_open_round(annotators=2)
    cast(one, round_)
    reader = make_member(round_.project, *roles)
    response = browser_of(reader).get(address(reader))
    assert response.status_code == 403
    assert ("hidden from you" in response.content.decode()) == (Role.LEAD in roles)
    assert one.user.username not in response.content.decode()


def test_observers_see_it_and_others_find_nothing(browser_of: BrowserOf) -> None:
    round_, _ = make_open_round()
    observer = make_member(round_.project, Role.OBSERVER)
    assert browser_of(observer).get(address(observer)).status_code == 200
    assert browser_of(make_project()).get(address(observer)).status_code == 404


def test_an_even_pace_has_one_expected_day() -> None:
    assert expected_end(per_day=[0, 10, 10, 10, 10], left=25, today=TODAY) == (
        dt.date(2026, 3, 5), dt.date(2026, 3, 5), "",
    )  # fmt: skip


def test_an_uneven_pace_has_a_span() -> None:
    earliest, latest, _ = expected_end(per_day=[0, 20, 0, 20, 0, 10], left=100, today=TODAY)
    assert earliest is not None
    assert latest is not None
    assert earliest < TODAY + dt.timedelta(days=10) < latest


def test_nothing_is_foreseen_from_too_few_days_and_nothing_left_is_done() -> None:
    assert expected_end(per_day=[0, 0, 5, 5], left=100, today=TODAY)[:2] == (None, None)
    assert expected_end(per_day=[], left=0, today=TODAY) == (TODAY, TODAY, "")


@given(st.lists(st.integers(1, 50), min_size=3, max_size=14), st.integers(1, 10_000), st.integers(1, 10_000))
def test_more_to_do_never_ends_earlier(per_day: list[int], left: int, more: int) -> None:
    first, last, _ = expected_end(per_day=per_day, left=left, today=TODAY)
    later_first, later_last, _ = expected_end(per_day=per_day, left=left + more, today=TODAY)
    assert first is not None and last is not None and later_first is not None and later_last is not None  # noqa: PT018
    assert first <= last
    assert first <= later_first
    assert last <= later_last


@pytest.mark.parametrize("issues", [1, 5])
def test_takes_as_many_statements_for_many_issues(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, issues: int
) -> None:
    round_ = voted_round(((("hang",), ("crash",)),) * issues)
    lead = lead_of(round_)
    browser = browser_of(lead)
    browser.get(address(lead))
    with django_assert_max_num_queries(24):
        browser.get(address(lead))


def test_who_hides_their_name_is_called_by_their_pseudonym(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round(issues=2)
    Member.objects.filter(pk=first.pk).update(is_pseudonymous=True)
    for member in (first, second):
        pass_item(member=member, item=take(member, round_).item, kind=Pass.Kind.SKIP, reason="Not mine.")
    html = browser_of(lead_of(round_)).get(address(lead_of(round_))).content.decode()
    assert first.user.username not in html
    assert f"by {first.pseudonym} in" in html
    assert f"by {second.user.username} in" in html
