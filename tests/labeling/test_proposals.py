"""The codebook grows by vote: blind ballots, a rule, a dated decision, a new codebook, and issues labelled again."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from kb.models import Issue
from labeling.models import (
    AnswerNode,
    Codebook,
    Item,
    Member,
    NodeVersion,
    ProjectAxis,
    ProjectNode,
    Proposal,
    ProposalVote,
    Role,
    Round,
    Slot,
)  # fmt: skip
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.codebooks import axes_of
from labeling.selectors.impact import impact, touched_items
from labeling.services.assignment import next_slot
from labeling.services.codebook_changes import prepare_recheck
from labeling.services.people import leave
from labeling.services.preparation import discard_round
from labeling.services.proposals import propose, put_to_vote, rewrite, vote_on, withdraw
from labeling.services.rounds import close_round, open_round
from labeling.wordings import Wording
from tests.labeling.factories import cast, issue_of, make_member, make_open_round, make_round

pytestmark = pytest.mark.django_db
STALL = Wording("stall", "Stall", "It goes on, but hardly.", include=("Steps take hours.",))


class Team:
    """Two annotators who labelled two issues of a closed round, one as a hang and one as a crash."""

    def __init__(self) -> None:
        self.round, (self.first, self.second) = make_open_round(issues=2)
        for member in (self.first, self.second):
            cast(member, self.round, symptom=("hang",))
            cast(member, self.round, symptom=("crash",))
        project = self.round.project
        self.lead = Member.objects.filter(project=project, roles__contains=[Role.LEAD]).earliest("pk")
        self.axis = ProjectAxis.objects.get(project=project, code="symptom")
        close_round(lead=self.lead, round_=self.round)

    def node(self, code: str) -> ProjectNode:
        return ProjectNode.objects.get(axis=self.axis, code=code)

    def propose(self, kind: Proposal.Kind = Proposal.Kind.ADD, **fields: Any) -> Proposal:
        values: dict[str, Any] = {"reason": "Two reports fit nowhere.", "author": self.first, "axis": self.axis}
        if kind == Proposal.Kind.ADD:
            values |= {"wording": [STALL], "nodes": [self.node("hang")]}
        return propose(kind=kind, **values | fields)

    def accept(self, proposal: Proposal) -> Proposal:
        put_to_vote(member=self.first, proposal=proposal)
        vote_on(member=self.first, proposal=proposal, agrees=True)
        return vote_on(member=self.second, proposal=proposal, agrees=True)

    def codes(self) -> list[str]:
        newest = Codebook.objects.filter(project=self.round.project).order_by("-number")[0]
        return [version.node.code for version in axes_of(codebook=newest)[0].versions]


@pytest.fixture
def team() -> Team:
    return Team()


def test_a_category_comes_by_unanimous_agreement(team: Team) -> None:
    proposal = team.propose()
    put_to_vote(member=team.first, proposal=proposal)
    assert vote_on(member=team.first, proposal=proposal, agrees=True).state == "vote"
    decided = vote_on(member=team.second, proposal=proposal, agrees=True)
    assert (decided.state, decided.decided_at is not None) == ("accepted", True)
    assert decided.codebook is not None
    assert decided.codebook.number == 2
    assert team.codes() == ["hang", "crash", "stall"]


def test_one_vote_against_with_its_reason_rejects_at_once(team: Team) -> None:
    proposal = team.propose()
    put_to_vote(member=team.first, proposal=proposal)
    with pytest.raises(RefusedError, match="what speaks against"):
        vote_on(member=team.second, proposal=proposal, agrees=False)
    decided = vote_on(member=team.second, proposal=proposal, agrees=False, reason="That is a hang.")
    assert decided.state == "rejected"
    assert team.codes() == ["hang", "crash"]
    with pytest.raises(RefusedError, match="is rejected"):
        vote_on(member=team.first, proposal=proposal, agrees=True)


def test_where_the_majority_decides_half_is_not_enough(team: Team) -> None:
    make_member(team.round.project)
    make_member(team.round.project)
    proposal = team.propose(rule=Proposal.Rule.MAJORITY)
    put_to_vote(member=team.first, proposal=proposal)
    voters = list(proposal.electorate.order_by("pk"))
    assert [vote_on(member=one, proposal=proposal, agrees=True).state for one in voters[:2]] == ["vote", "vote"]
    assert vote_on(member=voters[2], proposal=proposal, agrees=True).state == "accepted"


def test_who_left_is_not_waited_for(team: Team) -> None:
    proposal = team.propose()
    put_to_vote(member=team.first, proposal=proposal)
    leave(member=team.second)
    assert vote_on(member=team.first, proposal=proposal, agrees=True).state == "accepted"


def test_nobody_sees_a_proposal_before_the_vote_nor_a_ballot_before_the_decision(team: Team) -> None:
    proposal = team.propose()
    assert not visible.proposals(member=team.second).exists()
    put_to_vote(member=team.first, proposal=proposal)
    assert list(visible.proposals(member=team.second)) == [proposal]
    vote_on(member=team.first, proposal=proposal, agrees=True, reason="Clear.")
    for reader in (team.second, team.lead):
        assert not visible.proposal_votes(member=reader).exists()
    vote_on(member=team.second, proposal=proposal, agrees=True)
    assert visible.proposal_votes(member=team.second).count() == 2


def test_a_proposal_waits_while_its_issues_are_blind(team: Team) -> None:
    round_, (author, _) = make_open_round()
    axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
    issue = issue_of(cast(author, round_).item)
    proposal = propose(
        author=author, axis=axis, kind=Proposal.Kind.ADD, wording=[STALL], reason="It crawls.", evidence=[issue]
    )
    with pytest.raises(RefusedError, match="still blind"):
        put_to_vote(member=author, proposal=proposal)


def test_a_new_name_makes_a_new_version_and_old_votes_keep_theirs(team: Team) -> None:
    before = list(AnswerNode.objects.order_by("pk").values_list("version", flat=True))
    wording = Wording("hang", "No progress", "What hang means.")
    team.accept(team.propose(Proposal.Kind.RENAME, nodes=[team.node("hang")], wording=[wording]))
    assert list(AnswerNode.objects.order_by("pk").values_list("version", flat=True)) == before
    assert list(NodeVersion.objects.filter(node=team.node("hang")).values_list("number", "name")) == [
        (1, "Hang"), (2, "No progress"),
    ]  # fmt: skip
    assert team.codes() == ["hang", "crash"]


def test_a_merge_leaves_the_category_that_stays(team: Team) -> None:
    team.accept(team.propose(Proposal.Kind.MERGE, nodes=[team.node("crash")], into=team.node("hang")))
    assert team.codes() == ["hang"]


def test_a_split_puts_new_categories_in_the_place_of_one(team: Team) -> None:
    parts = [Wording("hang-start", "Hang at start", "Before step 1."), Wording("hang-later", "Hang later", "After it.")]
    team.accept(team.propose(Proposal.Kind.SPLIT, nodes=[team.node("hang")], wording=parts))
    assert team.codes() == ["crash", "hang-start", "hang-later"]


def test_the_impact_is_told_before_the_vote(team: Team) -> None:
    found = impact(member=team.first, proposal=team.propose())
    assert (found.issues, found.labelled, found.people) == (1, 2, 2)
    renamed = team.propose(
        Proposal.Kind.RENAME, nodes=[team.node("hang")], wording=[Wording("hang", "No progress", "As before.")]
    )
    assert impact(member=team.first, proposal=renamed).issues == 0


def test_touched_issues_are_labelled_again_by_the_same_people_blind(team: Team) -> None:
    proposal = team.accept(team.propose())
    recheck = prepare_recheck(lead=team.lead, proposal=proposal)
    open_round(lead=team.lead, round_=recheck)
    assert recheck.codebook.number == 2
    assert Item.objects.filter(round=recheck).count() == touched_items(proposal=proposal).count() == 1
    kept = set(Slot.objects.filter(item__round=recheck).values_list("only_for", flat=True))
    assert kept == {team.first.pk, team.second.pk}
    stranger = make_member(team.round.project)
    assert next_slot(member=stranger, round_=recheck) is None
    cast(team.first, recheck, symptom=("stall",))
    assert visible.votes(member=team.second).filter(item__round=recheck).count() == 0


def test_a_touched_issue_without_a_thread_is_not_labelled_again(team: Team) -> None:
    proposal = team.accept(team.propose())
    Issue.objects.filter(items__round=team.round).update(title="", body="")
    with pytest.raises(RefusedError, match="not mirrored"):
        prepare_recheck(lead=team.lead, proposal=proposal)
    assert not Round.objects.filter(kind=Round.Kind.RECHECK).exists()


def test_a_recheck_is_made_once_and_only_after_acceptance(team: Team) -> None:
    proposal = team.propose()
    with pytest.raises(RefusedError, match="Only an accepted"):
        prepare_recheck(lead=team.lead, proposal=proposal)
    team.accept(proposal)
    prepare_recheck(lead=team.lead, proposal=proposal)
    with pytest.raises(RefusedError, match="already has a round"):
        prepare_recheck(lead=team.lead, proposal=proposal)
    assert Round.objects.filter(kind=Round.Kind.RECHECK).count() == 1


@pytest.mark.parametrize(
    ("kind", "fields", "says"),
    [
        (Proposal.Kind.ADD, {"wording": []}, "how it is worded"),
        (Proposal.Kind.ADD, {"wording": [Wording("hang", "Again", "The same.")]}, "is taken"),
        (Proposal.Kind.ADD, {"wording": [Wording("new", "New", " ")]}, "a code, a name and a definition"),
        (Proposal.Kind.ADD, {"reason": " "}, "why the codebook should change"),
        (Proposal.Kind.RETIRE, {}, "name one category"),
        (Proposal.Kind.SPLIT, {}, "name one category"),
    ],
)
def test_half_a_proposal_is_refused(team: Team, kind: Proposal.Kind, fields: dict[str, Any], says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        team.propose(kind, **fields)


def test_a_merge_needs_a_category_that_stays(team: Team) -> None:
    for into in (None, team.node("crash")):
        with pytest.raises(RefusedError, match="must name the category that stays"):
            team.propose(Proposal.Kind.MERGE, nodes=[team.node("crash")], into=into)


def test_only_who_is_entitled_votes_and_only_the_author_withdraws(team: Team) -> None:
    proposal = team.propose()
    put_to_vote(member=team.lead, proposal=proposal)
    with pytest.raises(RefusedError, match="when voting opened"):
        vote_on(member=team.lead, proposal=proposal, agrees=True)
    with pytest.raises(RefusedError, match="Only the author"):
        withdraw(author=team.second, proposal=proposal)
    assert withdraw(author=team.first, proposal=proposal).state == "withdrawn"


def test_two_accepted_changes_of_one_category_do_not_both_apply(team: Team) -> None:
    merge = team.propose(Proposal.Kind.MERGE, nodes=[team.node("crash")], into=team.node("hang"))
    retire = team.propose(Proposal.Kind.RETIRE, nodes=[team.node("crash")])
    team.accept(merge)
    with pytest.raises(RefusedError, match="has left the codebook"):
        team.accept(retire)


def test_postgres_refuses_to_change_a_ballot_or_a_codebook(team: Team) -> None:
    team.accept(team.propose())
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        ProposalVote.objects.update(agrees=False)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        NodeVersion.objects.update(name="Other")
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Codebook.objects.update(change="Other")


def test_its_author_writes_a_draft_anew(team: Team) -> None:
    made = team.propose(evidence=[team.round.items.all()[0].issue])
    later = Wording("crawl", "Crawl", "It goes on at a tenth.")
    rewrite(
        author=team.first, proposal=made, reason=" Better so. ", rule=Proposal.Rule.MAJORITY,
        nodes=[team.node("crash")], wording=[later],
    )  # fmt: skip
    made.refresh_from_db()
    assert (made.reason, made.rule, made.wording[0]["code"]) == ("Better so.", "majority", "crawl")
    assert [node.code for node in made.nodes.all()] == ["crash"]
    assert not made.evidence.exists()
    team.accept(made)
    assert "crawl" in team.codes()
    assert "stall" not in team.codes()


def test_only_its_author_changes_a_draft_and_only_into_a_whole_one(team: Team) -> None:
    made = team.propose()
    same: dict[str, Any] = {"proposal": made, "rule": Proposal.Rule.UNANIMOUS, "wording": [STALL]}
    for other in (team.second, team.lead):
        with pytest.raises(RefusedError, match="Only the author"):
            rewrite(author=other, reason="Mine now.", **same)
    with pytest.raises(RefusedError, match="Say why"):
        rewrite(author=team.first, reason=" ", **same)
    with pytest.raises(RefusedError, match="how it is worded"):
        rewrite(author=team.first, reason="So.", **same | {"wording": []})
    made.refresh_from_db()
    assert made.reason == "Two reports fit nowhere."


def test_what_is_put_to_the_vote_stands(team: Team) -> None:
    made = put_to_vote(member=team.first, proposal=team.propose())
    with pytest.raises(RefusedError, match="open for votes"):
        rewrite(author=team.first, proposal=made, reason="Later.", rule=Proposal.Rule.MAJORITY, wording=[STALL])
    changes: list[dict[str, Any]] = [{"reason": "Later."}, {"rule": "majority"}, {"wording": []}, {"kind": "retire"}]
    for change in changes:
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            Proposal.objects.filter(pk=made.pk).update(**change)


def test_a_recheck_that_was_thrown_away_can_be_prepared_anew_with_what_is_touched_then(team: Team) -> None:
    proposal = team.accept(team.propose())
    first = prepare_recheck(lead=team.lead, proposal=proposal)
    assert first.items.count() == 1
    discard_round(lead=team.lead, round_=first)
    proposal.refresh_from_db()
    assert proposal.recheck is None
    assert not Item.objects.filter(round=first.pk).exists()
    more = make_round(team.lead)
    for member in (team.first, team.second):
        cast(member, more, symptom=("hang",))
    close_round(lead=team.lead, round_=more)
    again = prepare_recheck(lead=team.lead, proposal=proposal)
    again.refresh_from_db()
    assert again.items.count() == 2
    assert again.sample["items"] == sorted(touched_items(proposal=proposal).values_list("pk", flat=True))
    proposal.refresh_from_db()
    assert proposal.recheck == again


def test_a_recheck_that_was_opened_is_not_thrown_away(team: Team) -> None:
    proposal = team.accept(team.propose())
    made = open_round(lead=team.lead, round_=prepare_recheck(lead=team.lead, proposal=proposal))
    with pytest.raises(RefusedError, match="open for votes"):
        discard_round(lead=team.lead, round_=made)
    proposal.refresh_from_db()
    assert proposal.recheck == made
