"""Roles, removal and names; what a change of roles must not reveal."""

import pytest
from django.db import IntegrityError, transaction

from labeling.models import Decision, Invitation, Item, Member, Role, Round, Slot
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.role_changes import why_not
from labeling.services.decisions import accept
from labeling.services.members import change_roles, pseudonymise, remove_member, show_name
from labeling.services.people import invite, join, leave
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, make_user, take

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


class TestWhatARoleChangeMustNotReveal:
    def test_an_annotator_who_becomes_lead_stays_blind_while_they_label(self) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_)
        change_roles(lead=lead_of(round_), member=second, roles=[Role.LEAD, Role.ANNOTATOR], is_senior=False)
        second.refresh_from_db()
        assert visible.is_blind(second)
        assert not visible.votes(member=second).exists()

    def test_who_labels_in_an_open_round_does_not_go_over_to_those_who_see(self) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_)
        lead = lead_of(round_)
        for roles in ([Role.LEAD], [Role.OBSERVER], [Role.LEAD, Role.OBSERVER]):
            with pytest.raises(RefusedError, match="would see the others' votes"):
                change_roles(lead=lead, member=second, roles=roles, is_senior=False)
        close_round(lead=lead, round_=round_)
        assert change_roles(lead=lead, member=second, roles=[Role.OBSERVER], is_senior=False).roles == ["observer"]

    def test_the_refusal_says_nothing_of_whether_somebody_has_voted(self) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_)
        assert why_not(member=first, roles=[Role.LEAD]) == why_not(member=second, roles=[Role.LEAD]) != ""

    def test_who_sees_blind_votes_does_not_become_an_annotator(self) -> None:
        round_, (first, _) = make_open_round()
        lead = lead_of(round_)
        assert not why_not(member=lead, roles=[Role.LEAD, Role.ANNOTATOR])
        cast(first, round_)
        with pytest.raises(RefusedError, match="cannot vote beside them"):
            change_roles(lead=lead, member=lead, roles=[Role.LEAD, Role.ANNOTATOR], is_senior=True)
        close_round(lead=lead, round_=round_)
        assert change_roles(lead=lead, member=lead, roles=[Role.LEAD, Role.ANNOTATOR], is_senior=True).has(
            Role.ANNOTATOR
        )

    def test_who_left_and_comes_back_is_held_to_what_they_saw(self) -> None:
        round_, (first, _) = make_open_round()
        lead, observer = lead_of(round_), make_member(round_.project, Role.OBSERVER)
        cast(first, round_)
        leave(member=observer)
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        with pytest.raises(RefusedError, match="cannot vote beside them"):
            join(user=observer.user, token=token)
        assert Invitation.objects.latest("pk").uses_left == 1

    def test_what_was_voted_after_somebody_left_was_not_seen(self) -> None:
        round_, (first, _) = make_open_round()
        lead, observer = lead_of(round_), make_member(round_.project, Role.OBSERVER)
        leave(member=observer)
        cast(first, round_)
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        assert join(user=observer.user, token=token).has(Role.ANNOTATOR)

    def test_who_read_released_votes_adjudicates_none_of_them(self) -> None:
        round_, (first, second, third) = make_open_round(annotators=3)
        cast(first, round_)
        cast(second, round_)
        lead = lead_of(round_)
        close_round(lead=lead, round_=round_)
        both = [Role.ANNOTATOR, Role.ADJUDICATOR]
        for somebody, roles in ((third, both), (lead, [Role.LEAD, Role.ADJUDICATOR])):
            with pytest.raises(RefusedError, match="without having seen the votes"):
                change_roles(lead=lead, member=somebody, roles=roles, is_senior=False)
        # Who voted on the issue cannot adjudicate it anyway.
        assert change_roles(lead=lead, member=first, roles=both, is_senior=False).has(Role.ADJUDICATOR)
        accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
        assert change_roles(lead=lead, member=third, roles=both, is_senior=False).has(Role.ADJUDICATOR)


class TestRoles:
    def test_what_a_former_annotator_held_is_free_again(self) -> None:
        lead = make_project()
        member, _ = make_member(lead.project, Role.ANNOTATOR, Role.ADJUDICATOR), make_member(lead.project)
        round_ = make_round(lead, votes_wanted=1)
        take(member, round_)
        change_roles(lead=lead, member=member, roles=[Role.ADJUDICATOR], is_senior=False)
        assert not Slot.objects.exclude(member=None).exists()

    def test_one_lead_stays(self) -> None:
        lead = make_project()
        with pytest.raises(RefusedError, match="needs a lead"):
            change_roles(lead=lead, member=lead, roles=[Role.OBSERVER], is_senior=False)
        make_member(lead.project, Role.LEAD)
        change_roles(lead=lead, member=lead, roles=[Role.OBSERVER], is_senior=False)
        assert lead.roles == ["lead"]
        lead.refresh_from_db()
        assert lead.roles == ["observer"]

    def test_who_leads_no_more_has_no_open_invitation(self) -> None:
        lead = make_project()
        other = make_member(lead.project, Role.LEAD)
        _, token = invite(lead=other, roles=[Role.LEAD])
        change_roles(lead=lead, member=other, roles=[Role.OBSERVER], is_senior=False)
        with pytest.raises(RefusedError, match="withdrawn"):
            join(user=make_user(), token=token)

    def test_only_leads_of_the_same_project_change_roles(self) -> None:
        lead, stranger = make_project(), make_project()
        member = make_member(lead.project)
        with pytest.raises(RefusedError, match="no longer in the project"):
            change_roles(lead=stranger, member=member, roles=[Role.LEAD], is_senior=False)
        with pytest.raises(RefusedError, match="Only somebody who is lead"):
            change_roles(lead=member, member=member, roles=[Role.LEAD], is_senior=False)

    def test_nobody_is_without_a_role(self) -> None:
        lead = make_project()
        with pytest.raises(RefusedError, match="at least one role"):
            change_roles(lead=lead, member=make_member(lead.project), roles=[], is_senior=False)


class TestRemoval:
    def test_votes_stay_and_places_are_free_again(self) -> None:
        round_, (first, second) = make_open_round(issues=2)
        vote = cast(first, round_)
        take(first, round_)
        assert remove_member(lead=lead_of(round_), member=first) == 1
        first.refresh_from_db()
        assert (first.is_active, first.votes.get()) == (False, vote)
        assert {take(second, round_).item_id} <= set(Item.objects.values_list("pk", flat=True))

    def test_an_old_link_brings_nobody_back(self) -> None:
        lead = make_project()
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR], uses=5)
        member = join(user=make_user(), token=token)
        remove_member(lead=lead, member=member)
        with pytest.raises(RefusedError, match="left the project after"):
            join(user=member.user, token=token)

    def test_who_is_gone_is_not_removed_again(self) -> None:
        lead = make_project()
        member = make_member(lead.project)
        leave(member=member)
        with pytest.raises(RefusedError, match="no longer in the project"):
            remove_member(lead=lead, member=member)


class TestNames:
    def test_the_name_is_hidden_from_the_team_and_from_results(self) -> None:
        member = make_member(make_project().project)
        show_name(member=member, shows_name=True)
        pseudonymise(member=member, by=member)
        assert (member.called, member.shows_name) == (member.pseudonym, False)
        with pytest.raises(RefusedError, match="only your pseudonym"):
            show_name(member=member, shows_name=True)
        pseudonymise(member=member, by=member, is_pseudonymous=False)
        assert member.called == member.user.username

    def test_a_lead_hides_the_name_of_who_left_and_of_nobody_else(self) -> None:
        lead = make_project()
        member = make_member(lead.project)
        with pytest.raises(RefusedError, match="for themselves"):
            pseudonymise(member=member, by=lead)
        leave(member=member)
        with pytest.raises(RefusedError, match="Only somebody who is lead"):
            pseudonymise(member=member, by=make_member(lead.project))
        with pytest.raises(RefusedError, match="another project"):
            pseudonymise(member=member, by=make_project())
        pseudonymise(member=member, by=lead)
        assert member.called == member.pseudonym

    def test_postgres_knows_that_a_hidden_name_is_not_shown(self) -> None:
        member = make_member(make_project().project)
        with pytest.raises(IntegrityError, match="member_shows_name"), transaction.atomic():
            Member.objects.filter(pk=member.pk).update(shows_name=True, is_pseudonymous=True)
