"""Progress and what waits for whom: everybody's where it is no secret, one's own always."""

import datetime as dt

import pytest
from pytest_django import DjangoAssertNumQueries

from labeling.models import Member, Pass, Role, Round
from labeling.selectors.round_progress import by_person, progress
from labeling.selectors.to_do import to_do
from labeling.services.assignment import pass_item
from labeling.services.people import invite, join
from labeling.services.rounds import close_round, open_round
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, make_user, take

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def labels(member: Member) -> list[str]:
    return [one.name for one in to_do(members=[member])[member.pk].to_label]


class TestProgress:
    def test_a_lead_who_does_not_label_sees_everybodys(self) -> None:
        round_, (first, second) = make_open_round(issues=2)
        cast(first, round_)
        cast(first, round_)
        cast(second, round_)
        found = progress(member=lead_of(round_), rounds=[round_])[round_.pk]
        assert (found.issues, found.mine, found.votes, found.wanted, found.complete, found.lacking) == (
            2,
            0,
            3,
            4,
            1,
            1,
        )
        assert found.percent == 75
        people = by_person(member=lead_of(round_), round_=round_)
        assert [(one.member, one.votes) for one in people] == [(first, 2), (second, 1)]

    @pytest.mark.parametrize("roles", [(Role.ANNOTATOR,), (Role.ADJUDICATOR,), (Role.LEAD, Role.ANNOTATOR)])
    def test_who_is_blind_sees_their_own(self, roles: tuple[Role, ...]) -> None:
        round_, (first, _) = make_open_round()
        cast(first, round_)
        reader = make_member(round_.project, *roles)
        found = progress(member=reader, rounds=[round_])[round_.pk]
        assert (found.mine, found.votes, found.complete, found.lacking, found.percent) == (0, None, None, None, None)
        assert progress(member=first, rounds=[round_])[round_.pk].mine == 1
        assert by_person(member=reader, round_=round_) == []

    def test_after_the_close_all_but_adjudicators_see_it(self) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_)
        adjudicator = make_member(round_.project, Role.ADJUDICATOR)
        close_round(lead=lead_of(round_), round_=round_)
        round_.refresh_from_db()
        assert progress(member=second, rounds=[round_])[round_.pk].votes == 1
        assert progress(member=adjudicator, rounds=[round_])[round_.pk].votes is None

    def test_ten_rounds_cost_what_one_costs(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        round_, _ = make_open_round()
        lead = lead_of(round_)
        rounds = [round_, *(make_round(lead, is_open=False) for _ in range(9))]
        with django_assert_num_queries(5):
            progress(member=lead, rounds=rounds)


class TestToDo:
    def test_an_annotator_has_a_round_to_label_until_they_have_seen_every_issue(self) -> None:
        round_, (first, second) = make_open_round(issues=2)
        assert labels(first) == ["Main"]
        cast(first, round_)
        assert labels(first) == ["Main"]
        pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.SKIP, reason="Not my field.")
        assert labels(first) == []
        # What others did is no matter.
        assert labels(second) == ["Main"]
        assert labels(lead_of(round_)) == []

    def test_who_was_not_chosen_for_a_round_does_not_label_it(self) -> None:
        lead = make_project()
        first, second = (make_member(lead.project) for _ in range(2))
        round_ = make_round(lead, is_open=False, votes_wanted=1)
        round_.annotators.set([first])
        open_round(lead=lead, round_=round_)
        assert (labels(first), labels(second)) == (["Main"], [])

    def test_a_lead_has_rounds_to_open_and_deadlines_that_passed(self) -> None:
        lead = make_project()
        make_member(lead.project)
        make_round(lead, is_open=False)
        make_round(lead, votes_wanted=1, deadline=dt.date(2020, 1, 1))
        found = to_do(members=[lead])[lead.pk]
        assert (found.prepared, [one.number for one in found.overdue]) == (1, [2])
        assert found.texts == ["1 round prepared and not open", "1 round past the deadline"]

    def test_many_projects_cost_what_one_costs(self, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        user, members = make_user(), []
        for _ in range(3):
            lead = make_project()
            make_member(lead.project)
            make_round(lead, votes_wanted=1)
            _, token = invite(lead=lead, roles=[Role.ANNOTATOR, Role.ADJUDICATOR])
            members.append(join(user=user, token=token))
        with django_assert_max_num_queries(5):
            found = to_do(members=members)
        assert all(len(found[one.pk].to_label) == 1 for one in members)
