"""Questions of a project's own: made, answered, kept by the database, settled, and never published unless mapped."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.db import IntegrityError, transaction

from kb.models import Label
from labeling.agreement.votes import Floats
from labeling.ballots import Ballot, Choice
from labeling.exchange import export as exporting
from labeling.exchange import intake
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import (
    Answer,
    AnswerNode,
    Decision,
    Item,
    Job,
    Member,
    NodeVersion,
    ProjectAxis,
    ProjectNode,
    Release,
    Role,
    Round,
    Vote,
)
from labeling.questions import PlannedNode, Question
from labeling.refusals import RefusedError
from labeling.releases import archive
from labeling.releases import build as making
from labeling.selectors.codebooks import axes_of
from labeling.selectors.votes import all_axis_votes
from labeling.services import jobs
from labeling.services.codebooks import add_questions
from labeling.services.decisions import accept, adjudicate
from labeling.services.mapping import map_nodes
from labeling.services.projects import start_project
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion
from labeling.services.voting import as_content, submit, take_back
from labeling.tasks import WORK
from labeling.wordings import Wording
from tests.labeling.factories import make_axes, make_founder, make_member, make_round, take
from tests.labeling.results.builders import do, issues_of, lead_of, published

pytestmark = pytest.mark.django_db
raters = import_module("statsmodels.stats.inter_rater")  # it has no types


def node(code: str) -> PlannedNode:
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
    filled = {
        "noticed": Choice((who,)),
        "touched": Choice(("memory", "disk")),
        "severity": Choice((bad,)),
        "hours": hours if isinstance(hours, Choice) else Choice(text=hours),
        "lesson": lesson if isinstance(lesson, Choice) else Choice(text=lesson),
    }
    return Ballot(filled | choices, confidence=3)


def vote(member: Member, round_: Round, filled: Ballot) -> Vote:
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


def test_a_project_can_ask_questions_of_its_own_alone() -> None:
    lead = found(*QUESTIONS)
    axes = axes_of(codebook=lead.project.codebooks.get())
    assert [(each.axis.code, each.axis.kind, each.axis.axis_id) for each in axes] == [
        (question.code, question.kind, None) for question in QUESTIONS
    ]
    assert [version.node.code for version in axes[2].versions] == ["mild", "bad", "fatal"]


def test_questions_can_be_added_until_somebody_votes() -> None:
    first, member = at_work(WHO)
    lead = lead_of(first)
    add_questions(lead=lead, questions=[HOURS])
    second = make_round(lead, name="Next", is_open=False)
    assert [len(axes_of(codebook=round_.codebook)) for round_ in (first, second)] == [1, 2]
    vote(member, first, Ballot({"noticed": Choice(("user",))}, confidence=3))
    with pytest.raises(RefusedError, match="There are votes already"):
        add_questions(lead=lead, questions=[WORDS])


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ({"hours": Choice(text="two")}, "is not a number"),
        ({"hours": Choice()}, "enter a number"),
        ({"lesson": Choice(text=" ")}, "write an answer"),
        ({"lesson": Choice(text="?")}, "in words, please"),
        ({"lesson": Choice(("user",))}, "no answers to choose from"),
        ({"severity": Choice(("mild", "bad"))}, "only one answer"),
        ({"noticed": Choice(text="user")}, "no question for words"),
        ({"hours": Choice(is_undecidable=True, text="2")}, "either answer"),
    ],
)
def test_an_answer_that_is_not_of_its_kind_is_refused(choices: dict[str, Any], problem: str) -> None:
    round_, member = at_work(*QUESTIONS)
    with pytest.raises(RefusedError, match=problem):
        vote(member, round_, ballot(**choices))


def test_a_vote_taken_back_is_the_ballot_as_it_was_typed() -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot(hours="2.50"))
    before = as_content(row)
    assert Answer.objects.get(vote=row, axis__code="hours").number == Decimal("2.5")
    assert take_back(member=member, vote=row).content == before
    assert before["choices"]["hours"]["text"] == "2.50"


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("noticed", {"text": "user"}),
        ("noticed", {"number": 1}),
        ("hours", {"text": "two"}),
        ("hours", {}),
        ("hours", {"text": "2", "number": 2, "is_undecidable": True}),
        ("lesson", {"text": ""}),
        ("lesson", {"text": "2", "number": 2}),
    ],
)
def test_the_database_holds_answers_to_their_kind(code: str, fields: dict[str, object]) -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot())
    axis = ProjectAxis.objects.get(project=round_.project, code=code)
    Answer.objects.filter(vote=row, axis=axis).delete()
    with pytest.raises(IntegrityError, match="does not look like this"), transaction.atomic():
        Answer.objects.create(vote=row, axis=axis, **fields)


def test_the_database_keeps_nodes_and_kinds_apart() -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot())
    hours = ProjectAxis.objects.get(project=round_.project, code="hours")
    with pytest.raises(IntegrityError, match="has no nodes"), transaction.atomic():
        ProjectNode.objects.create(axis=hours, code="two")
    with pytest.raises(IntegrityError, match="keeps its kind"), transaction.atomic():
        ProjectAxis.objects.filter(pk=hours.pk).update(kind="text")
    severity = Answer.objects.get(vote=row, axis__code="severity")
    other = NodeVersion.objects.get(node__code="fatal", axis=severity.axis)
    with pytest.raises(IntegrityError, match="answernode_only_one"), transaction.atomic():
        AnswerNode.objects.create(answer=severity, axis=severity.axis, several=False, version=other)


def test_equal_numbers_agree_however_they_are_typed_and_texts_are_never_settled() -> None:
    round_ = voted([(ballot(hours="2.50", lesson="Yes."), ballot(hours="2.5", lesson="No."))])
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS)
    decided = {decision.axis.code: decision for decision in Decision.objects.select_related("axis")}
    assert set(decided) == {"noticed", "touched", "severity", "hours"}
    assert decided["hours"].number == Decimal("2.5")


def test_numbers_that_differ_are_adjudicated() -> None:
    round_ = voted([(ballot(hours="2"), ballot(hours="7"))])
    judge = make_member(round_.project, Role.ADJUDICATOR)
    item, axis = Item.objects.get(round=round_), ProjectAxis.objects.get(project=round_.project_id, code="hours")
    give_opinion(adjudicator=judge, item=item, axis=axis, choice=Choice(text="6.5"))
    decision = adjudicate(
        adjudicator=judge,
        item=item,
        axis=axis,
        choice=Choice(text="7.0"),
        cause=Decision.Cause.SLIP,
        reason="It says 7.",
    )
    assert (decision.number, decision.support) == (Decimal(7), 1)
    lesson = ProjectAxis.objects.get(project=round_.project_id, code="lesson")
    with pytest.raises(RefusedError, match="stand side by side"):
        give_opinion(adjudicator=judge, item=item, axis=lesson, choice=Choice(text="So it is."))


VOTES: list[tuple[Ballot, ...]] = [
    (ballot("user", "mild", "1", "a,b"), ballot("user", "bad", "2", "'=1+1"), ballot("test", "bad", "4.25", "=x")),
    (ballot("test", "fatal", "-3", '"q"'), ballot("test", "fatal", "-3", "c"), ballot("test", "bad", "0", "d: e")),
    (ballot("user", "mild", "10", "é\n\nz"), ballot("monitor", "mild", "12", "g"), ballot("user", "bad", "9", "h")),
    (ballot("monitor", "bad", lesson="i"), ballot("monitor", "fatal", hours=UNTOLD), ballot(lesson=UNTOLD)),
    (ballot("user", severity=UNTOLD), ballot("user", "mild", "3"), ballot("user", "mild", "3.5", "j\\|k")),
]


def answers(round_: Round) -> list[tuple[str, int, str, Choice]]:
    urls = dict(Item.objects.filter(round=round_).values_list("pk", "issue__url"))
    return sorted(
        ((urls[each.item], each.member, each.axis, each.choice) for each in all_axis_votes(round_=round_)), key=repr
    )


@pytest.mark.parametrize("format_", WRITERS)
def test_every_kind_goes_out_and_comes_in_again(format_: str) -> None:
    round_ = voted(VOTES)
    lead = lead_of(round_)
    text = "".join(exporting.export(member=lead, rounds=[round_], format_=format_))
    stored, _ = intake.keep_file(
        lead=lead, content=text.encode(), filename="votes", format_=format_, name="Again", options=Options()
    )
    assert stored.report["rejected"] == 0, stored.report
    job = intake.ask(lead=lead, found=stored, people=stored.people)
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.IMPORT])
    assert answers(Round.objects.get(vote_import=stored)) == answers(round_)


def released(round_: Round) -> dict[str, bytes]:
    job = making.ask(lead=lead_of(round_), title="Ours", authors=["Doe, Jo"], licence="CC-BY-4.0", note="")
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.message
    return archive.unpack(bytes(Release.objects.get(project=round_.project_id).archive))


def table(rows: list[dict[str, str]], axis: str, number: Callable[[dict[str, str]], float]) -> Floats:
    """Annotators x issues, as `krippendorff` takes them; NaN where the report does not say."""
    of_axis = [row for row in rows if row["axis"] == axis]
    people, issues = sorted({row["annotator"] for row in of_axis}), sorted({row["issue"] for row in of_axis})
    values = np.full((len(people), len(issues)), np.nan)
    for row in of_axis:
        if row["nodes"] or row["number"]:
            values[people.index(row["annotator"]), issues.index(row["issue"])] = number(row)
    return values


def test_the_coefficients_of_a_release_are_those_of_the_libraries() -> None:
    """On the released file: the alphas of krippendorff, and the kappas of statsmodels."""
    round_ = voted(VOTES)
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS)
    files = released(round_)
    rows = list(csv.DictReader(io.StringIO(files["votes/votes.csv"].decode(), newline="")))
    (measured,) = json.loads(files["agreement/agreement.json"])
    ours = {(axis, row["key"]): row["value"] for axis, of_axis in measured["axes"].items() for row in of_axis}
    whos, steps = ["user", "test", "monitor"], ["mild", "bad", "fatal"]
    who = table(rows, "noticed", lambda row: whos.index(row["nodes"]))
    bad = table(rows, "severity", lambda row: steps.index(row["nodes"]))
    hours = table(rows, "hours", lambda row: float(row["number"].lstrip("'")))
    nominal = krippendorff.alpha(reliability_data=who, level_of_measurement="nominal")
    ordinal = krippendorff.alpha(reliability_data=bad, level_of_measurement="ordinal")
    interval = krippendorff.alpha(reliability_data=hours, level_of_measurement="interval")
    alphas = ("noticed", "alpha_nominal"), ("severity", "alpha_ordinal"), ("hours", "alpha_interval")
    assert [ours[key] for key in alphas] == pytest.approx([nominal, ordinal, interval], abs=1e-6)
    counts = np.array([[list(unit).count(code) for code in range(3)] for unit in who.T])
    assert ours["noticed", "fleiss"] == pytest.approx(raters.fleiss_kappa(counts), abs=1e-6)
    kappas = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = np.zeros((3, 3))
        for pair in zip(bad[one], bad[other], strict=True):
            if not np.isnan(pair).any():
                both[int(pair[0]), int(pair[1])] += 1
        kappas.append(raters.cohens_kappa(both, wt="quadratic").kappa)
    assert ours["severity", "cohen_quadratic_mean"] == pytest.approx(np.mean(kappas), abs=1e-6)


def test_a_release_holds_the_texts_and_says_that_they_have_no_coefficient() -> None:
    files = released(voted(VOTES))
    rows = list(map(json.loads, files["votes/votes.jsonl"].decode().splitlines()))
    assert {row["text"] for row in rows if row["axis"] == "lesson"} >= {"a,b", "=x", "é\n\nz", "j\\|k"}
    assert "lesson" not in json.loads(files["agreement/agreement.json"])[0]["axes"]
    method = files["METHOD.md"].decode()
    assert "Lesson was answered in words by 14 of 15 votes" in method
    assert "Severity (a scale of 3 steps, the project's own question)" in method
    axes = json.loads(files["codebook.json"])["axes"]
    assert [(axis["code"], axis["kind"], axis["house_axis"]) for axis in axes][-2:] == [
        ("hours", "number", None),
        ("lesson", "text", None),
    ]


def test_nothing_of_it_is_published() -> None:
    round_ = voted([(ballot(), ballot())])
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    job = do(lead, Job.Kind.PUBLISH)
    assert job.state == Job.State.DONE, job.message
    assert not Label.objects.filter(source__name=lead.project.name).exists()


def test_what_is_mapped_is_published_as_the_house_nodes() -> None:
    make_axes()
    round_ = voted([(ballot("user"), ballot("user"))])
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    who = ProjectAxis.objects.get(project=lead.project, code="noticed")
    map_nodes(lead=lead, axis=who, wanted={"user": "issue_type/question", "test": ""})
    assert do(lead, Job.Kind.PUBLISH).state == Job.State.DONE
    assert published(issues_of(round_)[0]) == {"question"}


@pytest.mark.parametrize(
    ("code", "wanted", "problem"),
    [
        ("noticed", {"user": "symptom/fire"}, "is no category of the house codebook"),
        ("noticed", {"user": "symptom/hang", "test": "issue_type/bug"}, "Map a question to one house axis"),
        ("touched", {"disk": "issue_type/bug"}, "takes several answers"),
        ("noticed", {"user": "symptom/hang"}, "gets one answer"),
        ("hours", {}, "Only answers to a question"),
    ],
)
def test_a_mapping_that_would_answer_twice_is_refused(code: str, wanted: dict[str, str], problem: str) -> None:
    make_axes()
    lead = found(*QUESTIONS)
    axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=lead.project)}
    if problem == "gets one answer":
        map_nodes(lead=lead, axis=axes["touched"], wanted={"disk": "symptom/crash"})
    with pytest.raises(RefusedError, match=problem):
        map_nodes(lead=lead, axis=axes[code], wanted=wanted)
