"""Projects that ask questions of their own, one of each kind, with ballots and rounds for tests."""

from labeling.ballots import Ballot, Choice
from labeling.models import Item, Member, Round, Vote
from labeling.questions import PlannedNode, Question
from labeling.services.projects import start_project
from labeling.services.rounds import close_round
from labeling.services.voting import submit
from labeling.wordings import Wording
from tests.labeling.factories import make_founder, make_member, make_round, take


def node(code: str) -> PlannedNode:
    """An answer to choose."""
    return PlannedNode(Wording(code, code.title(), f"It is {code}."))


WHO = Question("noticed", "Who noticed", "Who saw it first?", "one", (node("user"), node("test"), node("monitor")))
WHAT = Question("touched", "What it touched", "", "several", (node("memory"), node("disk")))
HOW_BAD = Question("severity", "Severity", "How bad?", "scale", (node("mild"), node("bad"), node("fatal")))
HOURS = Question("hours", "Hours lost", "", "number")
WORDS = Question("lesson", "Lesson", "What is learnt?", "text")
QUESTIONS = (WHO, WHAT, HOW_BAD, HOURS, WORDS)
UNTOLD = Choice(is_undecidable=True)


def found(*questions: Question) -> Member:
    """A project that asks nothing but these; its lead is returned."""
    return start_project(
        user=make_founder(), name="Our own taxonomy", question="What do we see?", axes=(), questions=questions
    )


def ballot(
    who: str = "user",
    bad: str = "mild",
    hours: str | Choice = "2",
    lesson: str | Choice = "Test it | first.\nThen run.",
    **choices: Choice,
) -> Ballot:
    """A ballot that is whole: it answers all of `QUESTIONS`."""
    filled = {
        "noticed": Choice((who,)),
        "touched": Choice(("memory", "disk")),
        "severity": Choice((bad,)),
        "hours": hours if isinstance(hours, Choice) else Choice(text=hours),
        "lesson": lesson if isinstance(lesson, Choice) else Choice(text=lesson),
    }
    return Ballot(filled | choices, confidence=3)


def vote(member: Member, round_: Round, filled: Ballot) -> Vote:
    """The member's vote on their next issue."""
    return submit(member=member, item=Item.objects.get(pk=take(member, round_).item_id), ballot=filled)


def at_work(*questions: Question) -> tuple[Round, Member]:
    """An open round of a project that asks these, and one of its two annotators."""
    lead = found(*questions)
    member, _ = make_member(lead.project), make_member(lead.project)
    return make_round(lead, votes_wanted=2), member


def voted(ballots: list[tuple[Ballot, ...]]) -> Round:
    """A closed round: for each issue the ballots of its annotators, in their order."""
    lead = found(*QUESTIONS)
    people = [make_member(lead.project) for _ in ballots[0]]
    round_ = make_round(lead, issues=len(ballots), votes_wanted=len(people))
    for place, member in enumerate(people):
        given = {}
        for item, filled in zip(Item.objects.filter(round=round_).order_by("position"), ballots, strict=True):
            given[item.pk] = filled[place]
        for _ in ballots:
            item_id = take(member, round_).item_id
            submit(member=member, item=Item.objects.get(pk=item_id), ballot=given[item_id])
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    return round_
