"""A project with a round in every state and somebody in every role, and where its addresses lead.

What an annotator other than the one who looks has written carries a token (`Token`), so that it can be found again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from django.contrib.auth.models import User

from labeling.ballots import Choice
from labeling.boards import BoardNode
from labeling.exchange import intake as importing
from labeling.exchange import item_intake
from labeling.exchange.readers import About, keep_file, set_assistance, take_answers
from labeling.exchange.values import Options
from labeling.models import (
    CrossRule,
    Decision,
    Item,
    Job,
    Member,
    OwnItem,
    OwnItemFile,
    Pass,
    ProjectAxis,
    ProjectNode,
    Proposal,
    Reader,
    Repeat,
    Role,
    Round,
    VoteImport,
)
from labeling.releases import build as making
from labeling.services import jobs
from labeling.services.assignment import pass_item
from labeling.services.codebooks import write_guideline
from labeling.services.coding import add_node, begin_coding
from labeling.services.decisions import accept, adjudicate
from labeling.services.dropping import drop_item
from labeling.services.gold import give_gold
from labeling.services.people import invite, leave
from labeling.services.proposals import propose, put_to_vote, vote_on
from labeling.services.repeats import skip_repeat
from labeling.services.rounds import add_items, close_round, open_round
from labeling.services.settling import give_opinion, revise, say
from labeling.services.voting import save_draft
from labeling.tasks import WORK
from labeling.wordings import Wording
from tests.labeling.assisting import cast_in, csv_of
from tests.labeling.factories import (
    cast_on,
    issue_of,
    make_ballot,
    make_member,
    make_project,
    make_round,
    make_user,
    take_on,
)
from tests.labeling.open_coding import coded

DRAFT, OPEN, CLOSED, ROLLING = 1, 2, 3, 4
# Rounds of one issue that ask for open codes, too: one is on the board, one is open.
CODED, CODING = 5, 6
# In the open round: what is done with the first seven is said below; nobody has been at the eighth, which has gold
# answers; the ninth is dropped with a vote on it; the last two their annotators answer again.
OPEN_ISSUES = 11
GOLD, DROPPED, AGAIN, AGAIN_BY_LEAD = 8, 9, 10, 11
# Behind them stands an item of the project's own.
OWN = 12
Place = Mapping[str, object]


class Actor(Enum):
    """Who asks."""

    STRANGER = "stranger"
    OUTSIDER = "logged in, in another project"
    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"
    LEAD = "lead"
    OBSERVER = "observer"
    FORMER = "former member"
    VOTING_LEAD = "lead who votes"


class Token(Enum):
    """What the other annotator and the adjudicator wrote, and nobody blind may find."""

    NOTE = "tokennote7f3a"
    LATE_NOTE = "tokenlatenote1c9e"
    DRAFT = "tokendraft52bd"
    REASON = "tokenreason90ee"
    PASS = "tokenpass8d41"
    PROPOSAL = "tokenproposal3b7c"
    BALLOT = "tokenballot6a20"
    GOLD = "tokengold2f58"
    REPEAT = "tokenrepeat71ac"
    CODE = "tokencode1b9d"


AFTER_RELEASE = (Token.NOTE, Token.REASON, Token.LATE_NOTE, Token.CODE)
POST = "tokenpost4e15"
# What an own item says: for the project's members alone.
OWN_TEXT = "tokenown3d77"
# What a model's reader says of itself: for leads who do not vote, while the round is open.
MODEL_NOTE = "tokenmodel9b2f"


@dataclass
class World:
    """One project; `people` by role, `other` is the annotator whose work is hidden."""

    people: dict[Actor, Member]
    other: Member
    rounds: dict[int, Round] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    token: str = ""
    invitation: int = 0
    coding_act: int = 0

    @property
    def slug(self) -> str:
        """The project's short name."""
        return self.people[Actor.LEAD].project.slug

    def values(self, **chosen: str) -> dict[str, object]:
        """What stands in addresses for the things of the project; `chosen` says which of several."""
        usual: dict[str, object] = {
            "project": self.slug, "number": 1, "version": 1, "acceptance": 1, "token": self.token, "axis": "symptom",
            "format_": "long_csv", "extension": "csv", "proposal": self.proposals["vote"].pk, "node": "ranks",
            "act": self.coding_act,
        }  # fmt: skip
        return usual | {name: self.things()[thing] for name, thing in chosen.items()}

    def things(self) -> dict[str, int]:
        """Everything with a number of its own."""
        return {
            **{name: one.pk for name, one in self.proposals.items()},
            "invitation": self.invitation,
            "member": self.other.pk,
            "rule": CrossRule.objects.get(project__slug=self.slug).pk,
            "release": 1,
            "import": VoteImport.objects.get(project__slug=self.slug).pk,
            "file of items": OwnItemFile.objects.get(project__slug=self.slug).pk,
            "job": Job.objects.get(project__slug=self.slug).pk,
            "reader": Reader.objects.get(round=self.rounds[OPEN]).pk,
            "file": Reader.objects.get(round=self.rounds[DRAFT], taken_at=None).pk,
        }

    def named(self) -> list[dict[str, object]]:
        """What addresses call things of the project that are neither rounds nor issues."""
        some = sorted(set(self.things().values()))
        return [self.values() | {"pk": pk, "proposal": pk, "version": version} for pk in some for version in (1, 2)]

    def user(self, actor: Actor) -> User:
        """The account of a member."""
        return self.people[actor].user

    def item(self, number: int, position: int) -> Item:
        """An issue."""
        return Item.objects.select_related("round").get(round=self.rounds[number], position=position)

    def flag(self) -> Pass:
        """What the other annotator flagged in the open round."""
        return Pass.objects.get(member=self.other, kind=Pass.Kind.FLAG)

    def axis(self, code: str = "symptom") -> ProjectAxis:
        """An axis of the project."""
        return ProjectAxis.objects.get(project__slug=self.slug, code=code)


def make_world() -> World:
    """The project, its people and everything they did so far."""
    lead = make_project()
    project = lead.project
    people = {
        Actor.LEAD: lead,
        Actor.ANNOTATOR: make_member(project, Role.ANNOTATOR),
        Actor.ADJUDICATOR: make_member(project, Role.ADJUDICATOR),
        Actor.OBSERVER: make_member(project, Role.OBSERVER),
        Actor.FORMER: make_member(project, Role.ANNOTATOR),
        Actor.VOTING_LEAD: make_member(project, Role.LEAD, Role.ANNOTATOR),
    }
    world = World(people, make_member(project, Role.ANNOTATOR))
    write_guideline(lead=lead, text="Read the whole report.")
    write_guideline(lead=lead, text="Read the whole report, and its fix.", change="The fix too.")
    _make_rule(world)
    world.rounds[DRAFT] = make_round(lead, issues=2, is_open=False)
    world.rounds[OPEN] = make_round(lead, issues=OPEN_ISSUES, votes_wanted=3, is_open=False)
    _add_own_item(world)
    _let_a_model_assist(world)
    world.rounds[CLOSED] = make_round(lead, issues=3, votes_wanted=2)
    world.rounds[ROLLING] = make_round(lead, issues=3, votes_wanted=2, release=Round.Release.ISSUE)
    label_openly(world)
    settle(world)
    write_codes(world)
    leave(member=people[Actor.FORMER])
    write_proposals(world)
    freeze(world)
    made, world.token = invite(lead=lead, roles=[Role.ANNOTATOR], note="Ada")
    world.invitation = made.pk
    return world


def _add_own_item(world: World) -> None:
    lead, content = world.people[Actor.LEAD], f"id,text\nours,It hangs: {OWN_TEXT}.\n".encode()
    file, _ = item_intake.keep_file(lead=lead, content=content, filename="ours.csv")
    item_intake.take_file_in(lead=lead, file=file)
    add_items(world.rounds[OPEN], [("own", OwnItem.objects.get(project=lead.project).pk)], OPEN_ISSUES)


def _let_a_model_assist(world: World) -> None:
    """Half of the open round's ballots show a model's answers; the draft has a file of them that is not stored yet.

    Nobody but the other annotator (`act`) gets a ballot that shows them: `take_on` hands places out by itself.
    """
    lead = world.people[Actor.LEAD]
    notes = {OPEN: MODEL_NOTE, DRAFT: ""}
    for number, note in notes.items():
        round_, about = world.rounds[number], About("Model", note=note)
        content = csv_of(round_, dict.fromkeys(range(1, OPEN_ISSUES + 1), "hang"))
        reader, _ = keep_file(
            lead=lead, round_=round_, content=content, filename="a.csv", format_="long_csv", about=about
        )
        if number == OPEN:
            take_answers(lead=lead, reader=reader)
            set_assistance(lead=lead, round_=round_, reader=reader)
    world.rounds[OPEN] = open_round(lead=lead, round_=world.rounds[OPEN])


def _make_rule(world: World) -> None:
    nodes = {node.code: node for node in ProjectNode.objects.filter(axis__project__slug=world.slug)}
    rule = CrossRule.objects.create(
        project=world.people[Actor.LEAD].project, when=nodes["hang"], kind=CrossRule.Kind.EXCLUDES,
        reason="A question has no symptom.",
    )  # fmt: skip
    rule.others.set([nodes["question"]])


def vote(world: World, member: Member, number: int, position: int, **fields: Any) -> None:
    """Cast a member's vote."""
    item = world.item(number, position)
    cast_on(member, item, **fields)


def keep(member: Member, item: Item, note: str) -> None:
    """Take an issue and leave a draft on it."""
    take_on(member, item)
    save_draft(member=member, item=item, content={"note": note, "confidence": 2}, revision=0, active_seconds=7)


def label_openly(world: World) -> None:
    """The open rounds: what everybody has done there, but for the other annotator (`act`)."""
    annotator, voting_lead, former = (world.people[one] for one in (Actor.ANNOTATOR, Actor.VOTING_LEAD, Actor.FORMER))
    vote(world, annotator, OPEN, 1)
    keep(annotator, world.item(OPEN, 2), "mine")
    vote(world, voting_lead, OPEN, 3)
    keep(voting_lead, world.item(OPEN, 4), "mine")
    vote(world, former, OPEN, 1)
    for member in (annotator, voting_lead):
        vote(world, member, ROLLING, 1)
    vote(world, annotator, ROLLING, 2)
    vote(world, annotator, OPEN, DROPPED)
    for member, position in ((annotator, AGAIN), (voting_lead, AGAIN_BY_LEAD)):
        vote(world, member, OPEN, position)
        Repeat.objects.create(vote=world.item(OPEN, position).votes.get(), due_after=1)
    right = {world.axis(): Choice(("hang",))}
    give_gold(member=world.people[Actor.LEAD], item=world.item(OPEN, GOLD), answers=right, reason=Token.GOLD.value)
    drop_item(lead=world.people[Actor.LEAD], item=world.item(OPEN, DROPPED), reason="Its text is empty.")


def act(world: World) -> None:
    """What the other annotator does while everything is blind, all of it marked."""
    other = world.other
    vote(
        world, other, OPEN, 1, symptom=("crash",), kind="question", confidence=1, note=Token.NOTE.value,
    )  # fmt: skip
    vote(world, other, OPEN, 3, kind="question", rule_reasons=_reasons(world))
    vote(world, other, ROLLING, 3, symptom=("crash",), note=Token.LATE_NOTE.value)
    cast_in(other, world.item(OPEN, 7), is_assisted=True)
    Repeat.objects.create(vote=world.item(OPEN, 7).votes.get(member=other), due_after=1)
    skip_repeat(member=other, item=world.item(OPEN, 7), reason=Token.REPEAT.value)
    vote(world, other, OPEN, OWN, symptom=("crash",), note=Token.NOTE.value)
    code_openly(world, other, CODING, f"{Token.CODE.value} | {Token.CODE.value}")
    keep(other, world.item(OPEN, 5), Token.DRAFT.value)
    passed = world.item(OPEN, 6)
    keep(other, passed, "taken")
    pass_item(member=other, item=passed, kind=Pass.Kind.FLAG, reason=Token.PASS.value)
    axis = world.axis()
    propose(
        author=other, axis=axis, kind=Proposal.Kind.ADD, reason=Token.PROPOSAL.value, evidence=[issue_of(passed)],
        wording=[Wording("deadlock", f"Deadlock {Token.PROPOSAL.value}", "Two wait for each other.")],
    )  # fmt: skip
    vote_on(member=other, proposal=world.proposals["vote"], agrees=False, reason=Token.BALLOT.value)


def _reasons(world: World) -> dict[str, str]:
    rules = CrossRule.objects.filter(project__slug=world.slug)
    return {str(rule.pk): Token.REASON.value for rule in rules}


def settle(world: World) -> None:
    """The closed round: agreed on one issue, discussed on another, adjudicated on the third in part."""
    annotator, other, lead = world.people[Actor.ANNOTATOR], world.other, world.people[Actor.LEAD]
    for position, crashes in ((1, False), (2, True), (3, True)):
        vote(world, annotator, CLOSED, position)
        vote(world, other, CLOSED, position, symptom=("crash",) if crashes else ("hang",))
    close_round(lead=lead, round_=world.rounds[CLOSED])
    accept(lead=lead, round_=world.rounds[CLOSED], how=Decision.How.UNANIMOUS)
    say(member=other, item=world.item(CLOSED, 2), axis=world.axis(), text=f"It died: {POST}")
    revise(member=annotator, item=world.item(CLOSED, 2), axis=world.axis(), choice=Choice(("hang", "crash")))
    settled, adjudicator = world.item(CLOSED, 3), world.people[Actor.ADJUDICATOR]
    give_opinion(adjudicator=adjudicator, item=settled, axis=world.axis(), choice=Choice(("hang",)))
    adjudicate(
        adjudicator=adjudicator,
        item=settled,
        axis=world.axis(),
        choice=Choice(("hang",)),
        cause=Decision.Cause.SLIP,
        reason="The log ends in a wait.",
    )


def write_codes(world: World) -> None:
    """A round on the board of open coding, with a node, and one that is open."""
    lead, annotator = world.people[Actor.LEAD], world.people[Actor.ANNOTATOR]
    begin_coding(lead=lead)
    world.rounds[CODED] = make_round(lead, name="Coded", votes_wanted=2)
    for member, code in ((annotator, "rank mismatch"), (world.other, "wrong ranks")):
        code_openly(world, member, CODED, code)
    close_round(lead=lead, round_=world.rounds[CODED])
    node = BoardNode("Ranks", "Ranks differ.")
    world.coding_act = add_node(lead=lead, node=node, keys=["rank mismatch"]).pk
    world.rounds[CODING] = make_round(lead, name="Coding", votes_wanted=3)
    code_openly(world, annotator, CODING, "mine alone")


def code_openly(world: World, member: Member, number: int, code: str) -> None:
    """Cast a member's vote on the one issue of a round that asks for open codes."""
    choices = {**make_ballot().choices, **coded(code, f"Summary: {code}").choices}
    vote(world, member, number, 1, choices=choices)


def write_proposals(world: World) -> None:
    """One that is the annotator's still, and one that is put to the vote."""
    annotator, axis = world.people[Actor.ANNOTATOR], world.axis()
    hang = ProjectNode.objects.get(axis=axis, code="hang")
    wording = [Wording("hang", "Hang or deadlock", "Nothing goes on.")]
    for name in ("draft", "vote"):
        world.proposals[name] = propose(
            author=annotator,
            axis=axis,
            kind=Proposal.Kind.RENAME,
            nodes=[hang],
            wording=wording,
            reason="Clearer.",
            # So that one ballot decides nothing.
            rule=Proposal.Rule.MAJORITY,
        )
    world.proposals["vote"] = put_to_vote(member=annotator, proposal=world.proposals["vote"])


def freeze(world: World) -> None:
    """A release that was made, a file of votes that came in, and one of own items that waits."""
    lead = world.people[Actor.LEAD]
    job = making.ask(lead=lead, title="Faults", authors=["Doe, Jo"], licence="CC-BY-4.0", note="")
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
    url = world.item(CLOSED, 1).subject.url
    text = f"issue,annotator,axis,nodes\n{url},ada,symptom,hang\n"
    importing.keep_file(
        lead=lead, content=text.encode(), filename="votes.csv", format_="long_csv", name="Before", options=Options()
    )
    item_intake.keep_file(lead=lead, content=b"id,text\n1,It hangs.\n", filename="items.csv")


def make_outsider() -> Member:
    """Somebody with a project of their own."""
    return make_project(user=make_user())
