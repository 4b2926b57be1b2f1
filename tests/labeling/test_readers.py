"""Readers: a model's answers beside a round, and the ballots that show them, by what the services promise."""

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from kb.models import Node, Source
from labeling.exchange.readers import About, keep_file, plan_of, remove_reader, set_assistance, take_answers, take_rules
from labeling.models import AuditEntry, Item, Member, Pass, Reader, ReaderAnswer, Role, Round, Slot, Suggestion
from labeling.refusals import RefusedError
from labeling.selectors.agreement import agreement_of
from labeling.selectors.readers import readers_of, suggestion_on
from labeling.selectors.votes import all_outcomes
from labeling.services.assignment import next_slot, pass_item, take_item
from labeling.services.round_people import replace_annotator
from labeling.services.rounds import change_votes_wanted, close_round, fill_round, open_round
from labeling.services.voting import submit, take_back
from tests.labeling.assisting import cast_in, csv_of, items_of, keep, make_assisted_round, take_arm
from tests.labeling.factories import issue_of, make_ballot, make_member, make_open_round, make_project, make_round, take
from tests.support.factories import make_label, make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> Member:
    """The lead of a project with as many annotators as rounds here want votes."""
    lead = make_project()
    for _ in range(4):
        make_member(lead.project)
    return lead


def store(lead: Member, round_: Round, text: str, format_: str = "long_csv") -> Reader:
    reader, _ = keep_file(
        lead=lead, round_=round_, content=text.encode(), filename="a.csv", format_=format_, about=About("Model")
    )
    return reader


class TestAFile:
    def test_gives_answers_and_every_other_line_its_reason(self, lead: Member) -> None:
        round_ = make_round(lead, issues=2, is_open=False)
        elsewhere = items_of(make_round(lead, is_open=False))[0].subject.url
        first, second = (item.subject.url for item in items_of(round_))
        reader = store(
            lead, round_,
            f"issue,axis,nodes\n{first},symptom,hang|crash\n{second},issue_type,?\n{first},symptom,hang\n"
            f"{first},mood,bad\n{second},symptom,melts\n{elsewhere},symptom,hang\nhttps://example.org/1,symptom,hang\n",
        )  # fmt: skip
        assert reader.report["answers"] == 2
        reasons = dict(reader.report["reasons"])
        assert list(reasons) == [4, 5, 6, 7, 8]
        assert reasons[7] == "This issue is not in the round."
        assert len(plan_of(reader).rejected) == reader.report["rejected"] == 5
        assert not ReaderAnswer.objects.exists()
        assert take_answers(lead=lead, reader=reader) == 2
        stored = ReaderAnswer.objects.order_by("item").values_list("axis__code", "codes", "is_undecidable")
        assert list(stored) == [("symptom", ["hang", "crash"], False), ("issue_type", [], True)]

    def test_may_be_json_lines(self, lead: Member) -> None:
        round_ = make_round(lead, is_open=False)
        url = items_of(round_)[0].subject.url
        reader = store(lead, round_, f'{{"issue": "{url}", "axis": "symptom", "nodes": ["hang"]}}\n', "long_jsonl")
        assert reader.report["answers"] == 1

    def test_is_stored_once_and_its_answers_too(self, lead: Member) -> None:
        round_ = make_round(lead, is_open=False)
        content = csv_of(round_, {1: "hang"})
        reader = keep(lead, round_, content)
        assert store(lead, round_, content.decode()) == reader
        with pytest.raises(RefusedError, match="stored already"):
            take_answers(lead=lead, reader=reader)

    @pytest.mark.parametrize("text", ["", "who,what\n1,2\n"])
    def test_that_is_no_file_of_answers_is_refused(self, lead: Member, text: str) -> None:
        with pytest.raises(RefusedError):
            store(lead, make_round(lead, is_open=False), text)

    def test_comes_to_a_round_in_any_state_and_is_in_the_audit_log(self, lead: Member) -> None:
        round_ = make_round(lead)
        keep(lead, round_, csv_of(round_, {1: "hang"}))
        close_round(lead=lead, round_=round_)
        keep(lead, round_, csv_of(round_, {1: "crash"}), version="2")
        entries = AuditEntry.objects.filter(kind=AuditEntry.Kind.READER).values_list("detail", flat=True)
        assert sorted(entries) == ["Model 1: 1 answers", "Model 2: 1 answers"]

    def test_goes_with_a_drafts_issues(self, lead: Member) -> None:
        round_ = make_round(lead, is_open=False)
        keep(lead, round_, csv_of(round_, {1: "hang"}))
        fill_round(lead=lead, round_=round_, urls=[items_of(round_)[0].subject.url], sample={"kind": "urls"})
        assert not ReaderAnswer.objects.exists()

    def test_that_is_gone_with_the_issues_keeps_the_round_it_should_assist_shut(self, lead: Member) -> None:
        round_ = make_round(lead, is_open=False)
        content = csv_of(round_, {1: "hang"})
        reader = keep(lead, round_, content)
        set_assistance(lead=lead, round_=round_, reader=reader)
        fill_round(lead=lead, round_=round_, urls=[items_of(round_)[0].subject.url], sample={"kind": "urls"})
        with pytest.raises(RefusedError, match="The issues have changed"):
            open_round(lead=lead, round_=round_)
        remove_reader(lead=lead, reader=reader)
        set_assistance(lead=lead, round_=round_, reader=keep(lead, round_, content))
        open_round(lead=lead, round_=round_)

    def test_may_be_what_the_rules_suggest(self, lead: Member) -> None:
        round_ = make_round(lead, issues=2, is_open=False)
        with pytest.raises(RefusedError, match="suggest nothing"):
            take_rules(lead=lead, round_=round_)
        first, second = items_of(round_)
        rules = make_source("rule", kind=Source.Kind.RULE)
        for item, axis, code in (
            (first, "symptom", "hang"), (first, "symptom", "crash"),
            (second, "issue_type", "bug"), (second, "issue_type", "question"),
        ):  # fmt: skip
            make_label(issue_of(item), Node.objects.get(axis__code=axis, code=code), rules)
        reader = take_rules(lead=lead, round_=round_)
        # Of one answer to a question the rules suggest two: that is none.
        stored = reader.answers.values_list("item", "axis__code", "codes")
        assert [(item, axis, sorted(codes)) for item, axis, codes in stored] == [
            (first.pk, "symptom", ["crash", "hang"])
        ]
        with pytest.raises(RefusedError, match="stored already"):
            take_rules(lead=lead, round_=round_)

    def test_is_kept_from_a_lead_who_may_vote_while_the_round_is_open(self, lead: Member) -> None:
        voting = make_member(lead.project, Role.LEAD, Role.ANNOTATOR)
        round_ = make_round(lead)
        reader = keep(lead, round_, csv_of(round_, {1: "hang"}))
        with pytest.raises(RefusedError, match="kept from you"):
            remove_reader(lead=voting, reader=reader)
        assert not readers_of(member=voting, round_=round_)
        close_round(lead=lead, round_=round_)
        round_.refresh_from_db()
        assert list(readers_of(member=voting, round_=round_)) == [reader]


class TestAssistance:
    def test_splits_the_places_of_every_item(self, lead: Member) -> None:
        round_, _ = make_assisted_round(lead, issues=6, votes_wanted=4)
        for item in items_of(round_):
            assert item.slots.filter(is_assisted=True).count() == 2

    def test_keeps_the_share_when_more_votes_are_wanted(self, lead: Member) -> None:
        round_, _ = make_assisted_round(lead, issues=4, votes_wanted=1)
        before = dict(Slot.objects.values_list("pk", "is_assisted"))
        change_votes_wanted(lead=lead, round_=round_, wanted=4)
        for item in items_of(round_):
            assert item.slots.filter(is_assisted=True).count() == 2
        assert dict(Slot.objects.filter(pk__in=before).values_list("pk", "is_assisted")) == before

    def test_is_set_in_a_draft_only_and_recorded(self, lead: Member) -> None:
        round_, reader = make_assisted_round(lead)
        with pytest.raises(RefusedError, match="open"):
            set_assistance(lead=lead, round_=round_, reader=None)
        with pytest.raises(RefusedError, match="Ballots of this round showed"):
            remove_reader(lead=lead, reader=reader)
        entry = AuditEntry.objects.get(kind=AuditEntry.Kind.ASSISTED)
        assert entry.detail == "50 % by Model 1"

    def test_needs_a_reader_whose_answers_are_stored(self, lead: Member) -> None:
        round_ = make_round(lead, is_open=False)
        reader = store(lead, round_, csv_of(round_, {1: "hang"}).decode())
        with pytest.raises(RefusedError, match="answers are stored"):
            set_assistance(lead=lead, round_=round_, reader=reader)

    def test_stands_once_the_round_is_open_whoever_writes(self, lead: Member) -> None:
        _, reader = make_assisted_round(lead)
        with pytest.raises(IntegrityError), transaction.atomic():
            Reader.objects.filter(pk=reader.pk).update(assist_seed="other")
        with pytest.raises(IntegrityError), transaction.atomic():
            Reader.objects.filter(pk=reader.pk).delete()
        slot = Slot.objects.filter(is_assisted=False).earliest("pk")
        with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
            Slot.objects.filter(pk=slot.pk).update(is_assisted=True)


class TestAnAssistedBallot:
    def test_shows_and_stores_what_the_reader_says_and_a_blind_one_nothing(self, lead: Member) -> None:
        first, second = make_member(lead.project), make_member(lead.project)
        round_, reader = make_assisted_round(lead, issues=1)
        item = items_of(round_)[0]
        assisted = take_arm(first, item, is_assisted=True)
        blind = take_arm(second, item, is_assisted=False)
        shown = suggestion_on(member=first, slot=assisted)
        assert shown is not None
        assert (shown.reader, shown.content) == (reader, {"symptom": {"codes": ["crash"], "is_undecidable": False}})
        assert suggestion_on(member=second, slot=blind) is None
        assert suggestion_on(member=second, slot=assisted) is None
        assert list(Suggestion.objects.values_list("member", flat=True)) == [first.pk]

    def test_shows_the_same_when_it_is_taken_again(self, lead: Member) -> None:
        member = make_member(lead.project)
        round_, _ = make_assisted_round(lead, issues=1, percent=90, votes_wanted=1)
        slot = take(member, round_)
        assert slot.is_assisted
        vote = submit(member=member, item=slot.item, ballot=make_ballot())
        take_back(member=member, vote=vote)
        assert next_slot(member=member, round_=round_) == slot
        assert Suggestion.objects.count() == 1

    def test_leaves_no_blind_place_of_the_item_to_who_has_seen_it(self, lead: Member) -> None:
        member, other = make_member(lead.project), make_member(lead.project)
        round_, _ = make_assisted_round(lead, issues=1)
        item = items_of(round_)[0]
        take_arm(member, item, is_assisted=True)
        pass_item(member=member, item=item, kind=Pass.Kind.SKIP, reason="Later.")
        cast_in(other, item, is_assisted=True)
        with pytest.raises(RefusedError, match="Others have taken"):
            take_item(member=member, item=Item.objects.get(pk=item.pk))

    def test_does_not_follow_a_blind_place_that_is_handed_over(self, lead: Member) -> None:
        member, other = make_member(lead.project), make_member(lead.project)
        round_, _ = make_assisted_round(lead, issues=1)
        item = items_of(round_)[0]
        take_arm(member, item, is_assisted=True)
        pass_item(member=member, item=item, kind=Pass.Kind.SKIP, reason="Later.")
        take_arm(other, item, is_assisted=False)
        round_.annotators.set([member, other])
        round_.annotators.remove(member)
        assert replace_annotator(lead=lead, round_=round_, person=other, by=member).kept == 0


def test_agreement_is_that_of_the_same_round_without_assisted_votes_and_decisions_are_not() -> None:
    round_, people = make_open_round(annotators=2, issues=3)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    others = [make_member(lead.project) for _ in range(2)]
    assisted, _ = make_assisted_round(lead, issues=3, votes_wanted=4)
    said = [("hang", "hang"), ("hang", "crash"), ("crash", "crash")]
    for plain, item, symptoms in zip(items_of(round_), items_of(assisted), said, strict=True):
        for member, symptom in zip(people, symptoms, strict=True):
            submit_on(member, plain, symptom)
            cast_in(member, item, is_assisted=False, symptom=symptom)
        for member in others:
            cast_in(member, item, is_assisted=True, symptom="crash")
    for one in (round_, assisted):
        close_round(lead=lead, round_=one)
    without = agreement_of(member=lead, round_=round_)
    measured = agreement_of(member=lead, round_=assisted)
    assert [report.coefficients for report in measured] == [report.coefficients for report in without]
    voted = {one.position: one.outcome.votes for one in all_outcomes(round_=assisted) if one.axis == "symptom"}
    assert set(voted.values()) == {4}


def submit_on(member: Member, item: Item, symptom: str) -> None:
    """A vote on a place of a round without suggestions."""
    take_arm(member, item, is_assisted=False)
    submit(member=member, item=item, ballot=make_ballot((symptom,)))
