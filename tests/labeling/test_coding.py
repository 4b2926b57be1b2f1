"""Open coding: codes as they are written, the board on which leads merge and cluster them, and the way back."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from labeling.ballots import Choice
from labeling.boards import BoardNode
from labeling.codes import Code, alike, codes_in, fault, saturation
from labeling.models import AuditEntry, CodingAct, CodingNode, Item, Member, OpenCode, ProjectAxis, Role
from labeling.questions import Question
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of
from labeling.selectors.coding import acts, coding_axis, own_codes, sees_board, uses
from labeling.services import coding
from labeling.services.codebooks import add_questions
from labeling.services.coding_codebook import make_codebook
from labeling.services.rounds import close_round
from labeling.services.voting import submit
from tests.labeling.factories import cast, make_member, make_project, make_round, take_on
from tests.labeling.open_coding import board, coded, coding_round, make_nodes
from tests.labeling.own_questions import at_work, vote

pytestmark = pytest.mark.django_db
NOWHERE = ("", "", "")


def axis_of(lead: Member) -> ProjectAxis:
    """The project's question for open codes."""
    axis = coding_axis(project_id=lead.project_id)
    assert axis
    return axis


class TestCodes:
    def test_one_stands_on_each_line_with_its_memo_behind_a_bar(self) -> None:
        assert codes_in("Rank  mismatch | two | ranks\n\n hang ") == (
            Code("Rank mismatch", "two | ranks"),
            Code("hang"),
        )
        assert [code.key for code in codes_in("RANK  Mismatch\nrank mismatch")] == ["rank mismatch"] * 2

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("x" * 61, "longer than 60 characters"),
            ("| only a memo", "no code before"),
            ("hang\nHang", "twice"),
            ("\n".join(f"code {number}" for number in range(21)), "at most 20 codes"),
            (f"hang | {'x' * 1_001}", "memo"),
        ],
    )
    def test_what_is_wrong_is_named(self, text: str, problem: str) -> None:
        assert problem in fault(text)

    def test_a_vote_with_codes_that_are_wrong_is_refused(self) -> None:
        round_, member = at_work(coding.CODES, coding.SUMMARY)
        with pytest.raises(RefusedError, match="Open codes: “Hang” is there twice"):
            vote(member, round_, coded("hang\nHang"))

    def test_those_alike_stand_together(self) -> None:
        groups = alike(["rank mismatch", "hang", "ranks mismatch", "wrong dtype", "dtype is wrong"])
        assert groups == [["rank mismatch", "ranks mismatch"], ["hang"], ["wrong dtype", "dtype is wrong"]]

    def test_saturation_counts_what_was_new(self) -> None:
        assert saturation([["a", "b"], ["b"], ["a", "c"]], step=2) == [(2, 2), (3, 1)]


class TestBeginning:
    def test_open_codes_can_be_asked_though_there_are_votes(self) -> None:
        lead = make_project()
        member = make_member(lead.project)
        first = make_round(lead, votes_wanted=1)
        cast(member, first)
        codebook = coding.begin_coding(lead=lead)
        assert [each.axis.code for each in axes_of(codebook=codebook)][-2:] == ["open-codes", "fault-summary"]
        assert [each.axis.code for each in axes_of(codebook=first.codebook)] == ["symptom", "issue_type"]
        assert AuditEntry.objects.filter(kind=AuditEntry.Kind.CODING, member=lead).count() == 1

    def test_once(self) -> None:
        lead, _ = coding_round([("hang", "hang")])
        with pytest.raises(RefusedError, match="already"):
            coding.begin_coding(lead=lead)
        other = Question("more", "More codes", "", "codes")
        with pytest.raises(RefusedError):
            add_questions(lead=lead, questions=[other])

    def test_by_leads(self) -> None:
        lead = make_project()
        with pytest.raises(RefusedError, match="lead"):
            coding.begin_coding(lead=make_member(lead.project, Role.OBSERVER))


class TestBlindness:
    def test_codes_of_an_open_round_are_on_no_board_and_offered_to_nobody_else(self) -> None:
        lead, round_ = coding_round([("tokenone", "tokentwo")], is_closed=False)
        ada, bob = round_.project.members.filter(roles__contains=[Role.ANNOTATOR]).order_by("pk")
        assert board(lead) == {}
        axis = axis_of(lead)
        assert own_codes(member=ada, axis=axis) == ["tokenone"]
        assert own_codes(member=bob, axis=axis) == ["tokentwo"]
        assert own_codes(member=lead, axis=axis) == []

    def test_codes_of_a_closed_round_are_offered_to_all(self) -> None:
        lead, _ = coding_round([("tokenone", "tokentwo")])
        assert own_codes(member=make_member(lead.project), axis=axis_of(lead)) == ["tokenone", "tokentwo"]

    def test_the_board_waits_for_an_adjudicators_first_opinions(self) -> None:
        lead = make_project()
        coding.begin_coding(lead=lead)
        member = make_member(lead.project)
        round_ = make_round(lead, votes_wanted=1)
        item = Item.objects.get(round=round_)
        take_on(member, item)
        ballot = coded("hang")
        rest = {"symptom": Choice(("hang",)), "issue_type": Choice(("bug",))}
        submit(member=member, item=item, ballot=replace(ballot, choices={**ballot.choices, **rest}))
        close_round(lead=lead, round_=round_)
        adjudicator = make_member(lead.project, Role.ADJUDICATOR, Role.LEAD)
        assert not sees_board(member=adjudicator, axis=axis_of(lead))
        assert own_codes(member=adjudicator, axis=axis_of(lead)) == []
        with pytest.raises(RefusedError, match="hidden from you"):
            coding.put_codes(lead=adjudicator, keys=["hang"], node="")
        assert sees_board(member=member, axis=axis_of(lead))


class TestTheBoard:
    def test_shows_each_use_with_its_words_memo_and_summary(self) -> None:
        lead, _ = coding_round()
        found = [use for use in uses(axis=axis_of(lead)) if use.key == "rank mismatch"]
        assert [(use.words, use.memo, use.place.position) for use in found] == [
            ("rank mismatch", "two ranks disagree", 1),
            ("Rank mismatch", "", 1),
        ]
        assert found[0].place.summary == "Summary of rank mism"

    def test_merges_into_the_most_frequent_and_splits_again(self) -> None:
        lead, _ = coding_round()
        coding.merge_codes(lead=lead, keys=["ranks mismatch", "rank mismatch"], name="Ranks disagree")
        assert board(lead)["ranks mismatch"] == ("", "rank mismatch", "")
        assert board(lead)["rank mismatch"] == ("Ranks disagree", "", "")
        assert {use.words for use in uses(axis=axis_of(lead))} >= {"rank mismatch", "Rank mismatch", "ranks mismatch"}
        coding.split_codes(lead=lead, keys=["rank mismatch"])
        assert board(lead)["ranks mismatch"] == NOWHERE

    def test_what_was_merged_before_goes_along(self) -> None:
        lead, _ = coding_round()
        coding.merge_codes(lead=lead, keys=["wrong dtype", "dtype is wrong"])
        coding.merge_codes(lead=lead, keys=["dtype is wrong", "hang"])
        assert {key: into for key, (_, into, _) in board(lead).items() if into} == {
            "dtype is wrong": "hang",
            "wrong dtype": "hang",
        }

    def test_clusters_under_nodes_in_an_order(self) -> None:
        lead, _ = coding_round()
        make_nodes(lead)
        coding.merge_codes(lead=lead, keys=["wrong dtype", "dtype is wrong"])
        assert {key: node for key, (_, _, node) in board(lead).items()} == {
            "hang": "ranks", "rank mismatch": "ranks", "ranks mismatch": "ranks", "dtype is wrong": "",
            "wrong dtype": "",
        }  # fmt: skip
        coding.put_codes(lead=lead, keys=["wrong dtype"], node="types")
        assert board(lead)["dtype is wrong"] == ("", "", "types")
        coding.move_node(lead=lead, code="types", up=True)
        assert list(CodingNode.objects.order_by("position").values_list("code", flat=True)) == ["types", "ranks"]
        coding.edit_node(lead=lead, code="types", node=BoardNode("Wrong types", "A dtype is wrong."))
        coding.remove_node(lead=lead, code="ranks")
        assert board(lead)["hang"] == NOWHERE

    def test_every_act_is_kept_and_can_be_undone_but_not_below_a_later_one(self) -> None:
        lead, _ = coding_round()
        before = board(lead)
        make_nodes(lead)
        merge = coding.merge_codes(lead=lead, keys=["rank mismatch", "ranks mismatch"])
        rename = coding.rename_code(lead=lead, keys=["rank mismatch"], name="Ranks disagree")
        with pytest.raises(RefusedError, match="Undo those first"):
            coding.undo(lead=lead, act=merge)
        for act in (rename, merge):
            coding.undo(lead=lead, act=act)
        with pytest.raises(RefusedError, match="undone already"):
            coding.undo(lead=lead, act=merge)
        nodes = acts(axis=axis_of(lead)).filter(kind=CodingAct.Kind.NODE)
        for act in nodes:
            coding.undo(lead=lead, act=act)
        assert board(lead) == before
        assert CodingNode.objects.count() == 0
        assert CodingAct.objects.count() == 8
        assert {act.member_id for act in CodingAct.objects.all()} == {lead.pk}

    def test_an_act_whose_node_is_gone_cannot_be_undone(self) -> None:
        lead, _ = coding_round()
        make_nodes(lead)
        act = coding.put_codes(lead=lead, keys=["hang"], node="types")
        coding.remove_node(lead=lead, code="ranks")
        with pytest.raises(RefusedError, match="Undo those first"):
            coding.undo(lead=lead, act=act)

    @pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.OBSERVER])
    def test_is_changed_by_leads_only(self, role: Role) -> None:
        lead, _ = coding_round()
        with pytest.raises(RefusedError, match="lead"):
            coding.put_codes(lead=make_member(lead.project, role), keys=["hang"], node="")

    def test_refuses_what_would_do_nothing(self) -> None:
        lead, _ = coding_round()
        with pytest.raises(RefusedError, match="at least two"):
            coding.merge_codes(lead=lead, keys=["hang"])
        with pytest.raises(RefusedError, match="Select at least one"):
            coding.put_codes(lead=lead, keys=["unknown"], node="")
        with pytest.raises(RefusedError, match="not on the board"):
            coding.put_codes(lead=lead, keys=["hang"], node="gone")
        with pytest.raises(RefusedError, match="nothing to split"):
            coding.split_codes(lead=lead, keys=["hang"])


class TestTheDatabase:
    def test_merges_only_once_and_within_a_question(self) -> None:
        lead, _ = coding_round()
        coding.merge_codes(lead=lead, keys=["rank mismatch", "ranks mismatch"])
        merged = OpenCode.objects.get(key="ranks mismatch")
        with pytest.raises(IntegrityError, match="not merged itself"), transaction.atomic():
            OpenCode.objects.create(axis=merged.axis, key="hang", into=merged)
        other, _ = coding_round()
        with pytest.raises(IntegrityError, match="of its question"), transaction.atomic():
            OpenCode.objects.create(axis=axis_of(other), key="hang", into=merged.into)

    def test_keeps_acts_as_they_are(self) -> None:
        lead, _ = coding_round()
        make_nodes(lead)
        with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
            CodingAct.objects.all().update(after={})


class TestTheCodebook:
    def test_asks_for_the_nodes_and_no_longer_for_codes(self) -> None:
        lead, round_ = coding_round()
        make_nodes(lead)
        act = make_codebook(
            lead=lead, code="fault", name="Fault", question="What is it?", kind="one", ends=["open-codes"]
        )
        assert act.codebook
        assert act.codebook.number == 2
        summary, fault_axis = axes_of(codebook=act.codebook)
        assert (summary.axis.code, fault_axis.axis.code) == ("fault-summary", "fault")
        assert [(version.node.code, version.definition, version.examples) for version in fault_axis.versions] == [
            ("ranks", "Ranks differ.", ["Rank 3 waits."]),
            ("types", "A dtype is wrong.", []),
        ]
        assert [each.axis.code for each in axes_of(codebook=round_.codebook)] == ["open-codes", "fault-summary"]
        assert AuditEntry.objects.filter(kind=AuditEntry.Kind.CODED).count() == 1

    def test_keeps_what_each_node_was_made_of_whatever_becomes_of_the_board(self) -> None:
        lead, _ = coding_round()
        make_nodes(lead)
        act = make_codebook(lead=lead, code="fault", name="Fault", question="", kind="several")
        coding.put_codes(lead=lead, keys=["hang"], node="types")
        act.refresh_from_db()
        assert act.after["codes"]["hang"]["node"] == "ranks"
        with pytest.raises(RefusedError, match="A codebook stays"):
            coding.undo(lead=lead, act=act)

    def test_needs_definitions_and_two_nodes(self) -> None:
        lead, _ = coding_round()
        coding.add_node(lead=lead, node=BoardNode("Ranks", "Ranks differ."), keys=["hang"])
        with pytest.raises(RefusedError, match="2 to 300"):
            make_codebook(lead=lead, code="fault", name="Fault", question="", kind="one")
        coding.add_node(lead=lead, node=BoardNode("Types"))
        with pytest.raises(RefusedError, match="“Types” has no definition"):
            make_codebook(lead=lead, code="fault", name="Fault", question="", kind="one")
