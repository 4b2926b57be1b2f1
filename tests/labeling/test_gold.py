"""Gold answers: who may give them and until when, from a form or a file, and who sees them."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from labeling.ballots import Choice
from labeling.exchange.gold import TakenIn, take_in_gold
from labeling.models import AuditEntry, GoldAnswer, Item, Member, ProjectAxis, Role, Round, Vote
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.gold import sample_is_told
from labeling.selectors.role_changes import why_not
from labeling.selectors.turns import order_of
from labeling.services.assignment import next_slot
from labeling.services.dropping import drop_item
from labeling.services.gold import give_gold, take_out_gold
from labeling.services.people import leave
from labeling.services.rounds import close_round, fill_round, open_round
from tests.labeling.factories import cast, cast_on, make_member, make_project, make_round
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


def axis(member: Member, code: str = "symptom") -> ProjectAxis:
    """An axis of the member's project."""
    return ProjectAxis.objects.get(project=member.project_id, code=code)


def gild(member: Member, item: Item, *codes: str, reason: str = "Both authors agree.") -> None:
    """Give the right symptom of an issue."""
    give_gold(member=member, item=item, answers={axis(member): Choice(codes or ("hang",))}, reason=reason)


def a_round(**settings: Any) -> tuple[Member, Member, Round]:
    """A lead, an annotator, and an open round of theirs over three issues."""
    lead = make_project()
    annotator, _ = make_member(lead.project), make_member(lead.project)
    return lead, annotator, make_round(lead, issues=3, **settings)


def first(round_: Round) -> Item:
    return round_.items.select_related("round").earliest("position")


class TestGiving:
    def test_the_lead_gives_them_and_the_log_says_so_without_naming_the_issue(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        answer = GoldAnswer.objects.get()
        assert [version.node.code for version in answer.versions.all()] == ["hang"]
        assert (answer.given_by, answer.reason) == (lead, "Both authors agree.")
        entry = AuditEntry.objects.get(kind=AuditEntry.Kind.GOLD)
        assert (entry.member, entry.round_number, entry.detail) == (lead, round_.number, "on 1 issue")

    def test_an_adjudicator_does_as_well(self) -> None:
        lead, _, round_ = a_round()
        gild(make_member(lead.project, Role.ADJUDICATOR), first(round_))
        assert GoldAnswer.objects.count() == 1

    def test_given_again_they_replace_those_that_were_there(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        gild(lead, first(round_), "crash")
        assert [version.node.code for version in GoldAnswer.objects.get().versions.all()] == ["crash"]

    def test_they_can_be_taken_out(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        take_out_gold(member=lead, item=first(round_))
        assert not GoldAnswer.objects.exists()
        with pytest.raises(RefusedError, match="no gold answers"):
            take_out_gold(member=lead, item=first(round_))

    @pytest.mark.parametrize("roles", [(Role.ANNOTATOR,), (Role.LEAD, Role.ANNOTATOR), (Role.OBSERVER,)])
    def test_who_labels_or_observes_may_not(self, roles: tuple[Role, ...]) -> None:
        lead, _, round_ = a_round()
        with pytest.raises(RefusedError, match="does not label the round"):
            gild(make_member(lead.project, *roles), first(round_))

    def test_a_lead_who_labels_other_rounds_may(self) -> None:
        lead, annotator, round_ = a_round()
        round_.annotators.set([annotator])
        gild(make_member(lead.project, Role.LEAD, Role.ANNOTATOR), first(round_))

    def test_not_after_the_votes_are_released_nor_on_a_dropped_issue(self) -> None:
        lead, annotator, round_ = a_round(votes_wanted=1, release=Round.Release.ISSUE)
        cast(annotator, round_)
        with pytest.raises(RefusedError, match="before the votes are released"):
            gild(lead, first(round_))
        last = round_.items.latest("position")
        drop_item(lead=lead, item=last, reason="Empty.")
        with pytest.raises(RefusedError, match="dropped"):
            gild(lead, last)

    def test_a_closed_rounds_stay_as_they_are(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        close_round(lead=lead, round_=round_)
        with pytest.raises(RefusedError, match="is closed"):
            gild(lead, first(round_), "crash")
        with pytest.raises(IntegrityError), transaction.atomic():
            GoldAnswer.objects.all().delete()

    def test_nothing_changes_one_in_place(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        with pytest.raises(DatabaseError), transaction.atomic():
            GoldAnswer.objects.update(is_undecidable=True)

    def test_at_least_one_answer_and_a_reason_are_asked_for(self) -> None:
        lead, _, round_ = a_round()
        with pytest.raises(RefusedError, match="at least one question"):
            give_gold(member=lead, item=first(round_), answers={}, reason="Known.")
        with pytest.raises(RefusedError, match="how these answers are known"):
            gild(lead, first(round_), reason=" ")


class TestVoting:
    def test_who_gave_an_issues_gold_answers_is_never_handed_it(self) -> None:
        lead = make_project()
        giver, _ = make_member(lead.project, Role.ADJUDICATOR), make_member(lead.project)
        round_ = make_round(lead, issues=2, votes_wanted=1)
        gild(giver, first(round_))
        Member.objects.filter(pk=giver.pk).update(roles=[Role.ANNOTATOR])
        slot = next_slot(member=giver, round_=round_)
        assert slot is not None
        assert slot.item.position == 2
        with pytest.raises(IntegrityError), transaction.atomic():
            cast_on(giver, first(round_))

    def test_who_voted_on_an_issue_gives_no_gold_answers_to_it(self) -> None:
        _, annotator, round_ = a_round()
        cast_on(annotator, first(round_))
        Member.objects.filter(pk=annotator.pk).update(roles=[Role.LEAD])
        annotator.refresh_from_db()
        with pytest.raises(RefusedError, match="You voted on this issue"):
            gild(annotator, first(round_))

    def test_votes_on_such_issues_count_as_all_do(self) -> None:
        lead, annotator, round_ = a_round()
        gild(lead, first(round_))
        cast_on(annotator, first(round_))
        assert Vote.objects.filter(item=first(round_)).count() == 1


class TestSeeing:
    def test_whoever_may_vote_or_adjudicate_sees_them_only_once_the_round_is_closed(self) -> None:
        lead, annotator, round_ = a_round()
        voting_lead = make_member(lead.project, Role.LEAD, Role.ANNOTATOR)
        adjudicator, observer = make_member(lead.project, Role.ADJUDICATOR), make_member(lead.project, Role.OBSERVER)
        cast_on(annotator, first(round_))
        gild(lead, first(round_))
        seen = {member: visible.gold_answers(member=member).exists() for member in (lead, observer)}
        assert all(seen.values())
        blind = (annotator, voting_lead, adjudicator)
        assert not any(visible.gold_answers(member=member).exists() for member in blind)
        close_round(lead=lead, round_=round_)
        # The adjudicator has still a first opinion to give.
        assert [visible.gold_answers(member=member).exists() for member in blind] == [True, True, False]

    def test_nor_does_an_issue_that_is_released_early_tell(self) -> None:
        lead, annotator, round_ = a_round(votes_wanted=1, release=Round.Release.ISSUE)
        gild(lead, first(round_))
        cast_on(annotator, first(round_))
        assert first(round_).released_at
        assert not visible.gold_answers(member=annotator).exists()

    def test_who_could_see_them_does_not_become_an_annotator_before_the_round_is_closed(self) -> None:
        lead, _, round_ = a_round()
        observer = make_member(lead.project, Role.OBSERVER)
        gild(lead, first(round_))
        assert "gold answers" in why_not(member=observer, roles=[Role.ANNOTATOR])
        # Who gave them knows no others, and votes on other issues.
        assert not why_not(member=lead, roles=[Role.ANNOTATOR])
        close_round(lead=lead, round_=round_)
        assert not why_not(member=observer, roles=[Role.ANNOTATOR])

    def test_nobody_elses_project_has_them(self) -> None:
        lead, _, round_ = a_round()
        gild(lead, first(round_))
        assert not visible.gold_answers(member=make_project()).exists()
        former = make_member(lead.project, Role.OBSERVER)
        leave(member=former)
        assert not visible.gold_answers(member=former).exists()


class TestFiles:
    def take(self, lead: Member, round_: Round, *lines: str, **settings: Any) -> TakenIn:
        text = "\n".join(["issue,axis,nodes", *lines])
        return take_in_gold(
            member=lead, round_=round_, content=text.encode(), format_="long_csv", reason="Known.", **settings
        )  # fmt: skip

    def test_every_line_is_taken_or_rejected_with_its_reason(self) -> None:
        lead, _, round_ = a_round()
        one, two, _ = [item.subject.url for item in round_.items.order_by("position")]
        elsewhere = make_issue().url
        taken = self.take(
            lead, round_, f"{one},symptom,hang|crash", f"{one},issue_type,bug", f"{two},symptom,?",
            f"{one},symptom,crash", f"{two},symptom,smoke", "https://example.org/1,symptom,hang",
            f"{elsewhere},symptom,hang",
        )  # fmt: skip
        assert (taken.issues, taken.added) == (2, 0)
        assert [row.line for row in taken.rejected] == [5, 6, 7, 0]
        assert "earlier line" in taken.rejected[0].reason
        assert "not in this round" in taken.rejected[-1].reason
        assert GoldAnswer.objects.count() == 3
        assert GoldAnswer.objects.get(is_undecidable=True).item.subject.url == two

    def test_in_json_lines_too_and_whoever_is_named_the_sender_gives_them(self) -> None:
        lead, _, round_ = a_round()
        line = f'{{"issue": "{first(round_).subject.url}", "annotator": "Ada", "axis": "symptom", "nodes": ["hang"]}}'
        take_in_gold(member=lead, round_=round_, content=line.encode(), format_="long_jsonl", reason="Known.")
        assert GoldAnswer.objects.get().given_by == lead

    def test_a_file_of_another_kind_is_refused(self) -> None:
        lead, _, round_ = a_round()
        with pytest.raises(RefusedError, match="must name the columns"):
            take_in_gold(member=lead, round_=round_, content=b"a,b\n1,2\n", format_="long_csv", reason="Known.")

    def test_issues_are_mixed_into_a_draft_at_any_place(self) -> None:
        lead = make_project()
        make_member(lead.project)
        make_member(lead.project)
        round_ = make_round(lead, issues=6, is_open=False, order_seed="seed")
        urls = [make_issue(title=f"Known {place}", body="It hangs.").url for place in range(4)]
        taken = self.take(lead, round_, *(f"{url},symptom,hang" for url in urls), adds=True)
        assert (taken.issues, taken.added, list(taken.rejected)) == (4, 4, [])
        round_.refresh_from_db()
        assert round_.sample["gold"] == 4
        positions = list(round_.items.order_by("position").values_list("position", flat=True))
        assert positions == list(range(1, 11))
        places = set(round_.items.filter(issue__url__in=urls).values_list("position", flat=True))
        assert places != {7, 8, 9, 10}
        opened = open_round(lead=lead, round_=round_)
        assert len(order_of(opened.pk, opened.order_seed, lead.pk)) == 10

    def test_annotators_do_not_learn_how_such_a_sample_was_drawn_before_the_round_is_closed(self) -> None:
        lead = make_project()
        annotator, _ = make_member(lead.project), make_member(lead.project)
        round_ = make_round(lead, issues=2, is_open=False)
        self.take(lead, round_, f"{make_issue(body='It hangs.').url},symptom,hang", adds=True)
        round_ = open_round(lead=lead, round_=round_)
        assert sample_is_told(member=lead, round_=round_)
        assert not sample_is_told(member=annotator, round_=round_)
        close_round(lead=lead, round_=round_)
        round_.refresh_from_db()
        assert sample_is_told(member=annotator, round_=round_)

    def test_an_open_round_gets_no_more_issues(self) -> None:
        lead, _, round_ = a_round()
        with pytest.raises(RefusedError, match="cannot be done now"):
            self.take(lead, round_, f"{make_issue(body='It hangs.').url},symptom,hang", adds=True)

    def test_a_sample_that_is_drawn_anew_begins_without_them(self) -> None:
        lead = make_project()
        round_ = make_round(lead, issues=2, is_open=False)
        gild(lead, first(round_))
        fill_round(lead=lead, round_=round_, urls=[first(round_).subject.url], sample={"kind": "urls"})
        assert not GoldAnswer.objects.exists()
