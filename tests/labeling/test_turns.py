"""Each person's own order of a round's issues: shuffled by a published seed, and to be computed from a release."""

import hashlib

import pytest
from django.db import ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from labeling.models import Item, Member, Round
from labeling.refusals import RefusedError
from labeling.releases import method, state
from labeling.selectors import turns
from labeling.selectors.pseudonyms import pseudonyms
from labeling.selectors.turns import FIRST
from labeling.services.assignment import next_slot, take_item
from labeling.services.rounds import close_round
from labeling.services.voting import save_draft, take_back
from tests.labeling.factories import cast, make_open_round, take, take_on
from tests.labeling.test_round_people import lead_of

pytestmark = pytest.mark.django_db
SEED = "one"


def labelled_in_turn(member: Member, round_: Round, number: int) -> list[str]:
    """The addresses of the issues that the member labels, one after the other."""
    return [cast(member, round_).item.subject.url for _ in range(number)]


def by_the_method(round_: Round, member: Member) -> list[str]:
    """The order as METHOD.md says it is computed."""
    name = pseudonyms(project_id=round_.project_id)[member.pk]

    def place(url: str) -> str:
        return hashlib.sha256(f"{SEED}\n{name}\n{url}".encode()).hexdigest()

    return sorted(Item.objects.filter(round=round_).values_list("issue__url", flat=True), key=place)


class TestTheOrder:
    def test_is_each_persons_own_and_anybody_computes_it(self) -> None:
        round_, people = make_open_round(annotators=2, issues=8, order_seed=SEED)
        orders = [labelled_in_turn(member, round_, 8) for member in people]
        assert orders == [by_the_method(round_, member) for member in people]
        assert orders[0] != orders[1]

    def test_goes_on_beyond_the_part_that_is_looked_at_first(self) -> None:
        round_, (first, second) = make_open_round(issues=FIRST + 2, votes_wanted=1, order_seed=SEED)
        order = by_the_method(round_, first)
        for item in Item.objects.exclude(issue__url=order[-1]):
            take_on(second, item)
        assert take(first, round_).item.subject.url == order[-1]

    def test_is_looked_through_once_for_who_has_no_place_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        round_, (first, _) = make_open_round(issues=6, order_seed=SEED)
        monkeypatch.setattr(turns, "FIRST", 1)
        with CaptureQueriesContext(connection) as queries:
            assert next_slot(member=first, round_=round_)
        assert sum("array_position" in query["sql"] for query in queries) == 1

    def test_of_a_new_round_has_a_seed_that_postgres_keeps(self) -> None:
        round_, _ = make_open_round(order_seed=SEED)
        with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
            Round.objects.filter(pk=round_.pk).update(order_seed="two")

    def test_stands_in_the_method_of_a_release(self) -> None:
        round_, (first, _) = make_open_round(order_seed=SEED)
        cast(first, round_)
        close_round(lead=lead_of(round_), round_=round_)
        assert f"(seed `{SEED}`)" in method.files(state.read(project=round_.project))["METHOD.md"].decode()


class TestHolding:
    def test_nobody_takes_an_issue_that_they_never_had(self) -> None:
        _, (first, _) = make_open_round(issues=2)
        with pytest.raises(RefusedError, match="handed out in turn"):
            take_item(member=first, item=Item.objects.get(position=2))

    def test_nobody_holds_more_issues_than_the_round_allows(self) -> None:
        round_, (first, _) = make_open_round(issues=4, places_held=2)
        votes = [cast(first, round_) for _ in range(2)]
        take(first, round_)
        take_back(member=first, vote=votes[0])
        with pytest.raises(RefusedError, match="You hold 2 issues already"):
            take_back(member=first, vote=votes[1])

    def test_who_holds_all_they_may_takes_no_lapsed_one_besides(self) -> None:
        round_, (first, second) = make_open_round(issues=3, votes_wanted=1, places_held=2)
        lapsed = take(first, round_)
        save_draft(member=first, item=lapsed.item, content={}, revision=0, active_seconds=1)
        lapsed.member = lapsed.reserved_until = None
        lapsed.save()
        for item in Item.objects.exclude(pk=lapsed.item_id):
            take_on(first, item)
        with pytest.raises(RefusedError, match="Submit or skip one"):
            take_item(member=first, item=lapsed.item)
        assert next_slot(member=second, round_=round_)
