"""Screening: an issue is out only if everybody excludes it, and a round goes on with what stays."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.models import Issue
from labeling.models import Member, ProjectAxis, ProjectNode, Role, Round
from labeling.outcomes import is_excluded
from labeling.refusals import RefusedError
from labeling.selectors.screening import Screened, screened
from labeling.services.preparation import Plan, plan_round
from labeling.services.rounds import close_round, fill_round, open_round
from labeling.services.sampling import fill_from_screening
from labeling.services.settling import take_answer
from tests.labeling.factories import cast_on, issue_of, make_member, make_project, make_round
from tests.support.factories import make_issue

OUT = {("type", "question"), ("type", "requirement")}
ANSWERS = st.sets(st.sampled_from([("type", "bug"), ("symptom", "hang"), *sorted(OUT)]))


@pytest.mark.parametrize(
    ("votes", "out"),
    [
        ([], False),
        ([{("type", "question")}], True),
        ([{("type", "question")}, {("type", "requirement"), ("symptom", "hang")}], True),
        ([{("type", "question")}, {("type", "bug")}], False),
        ([{("type", "question")}, set()], False),
        ([{("symptom", "question")}], False),
    ],
)
def test_only_everybody_together_excludes(votes: list[set[tuple[str, str]]], out: bool) -> None:
    assert is_excluded(votes, OUT) is out


@pytest.mark.parametrize(
    ("votes", "out"),
    [
        ([], False),
        ([{("type", "question")}, {("type", "bug")}], False),
        ([{("type", "question")}, {("type", "bug")}, {("type", "requirement")}], True),
    ],
)
def test_by_majority_more_than_half_exclude(votes: list[set[tuple[str, str]]], out: bool) -> None:
    assert is_excluded(votes, OUT, by_majority=True) is out


@given(st.lists(ANSWERS, min_size=1), ANSWERS)
def test_what_everybody_excludes_the_majority_excludes_too(
    votes: list[set[tuple[str, str]]], more: set[tuple[str, str]]
) -> None:
    if is_excluded([*votes, more], OUT):
        assert is_excluded([*votes, more], OUT, by_majority=True)


@given(st.lists(ANSWERS, min_size=1), ANSWERS)
def test_one_more_vote_never_excludes_what_stays(votes: list[set[tuple[str, str]]], more: set[tuple[str, str]]) -> None:
    if is_excluded([*votes, more], OUT):
        assert is_excluded(votes, OUT)
    assert is_excluded([*votes, more], OUT) == is_excluded([more, *votes], OUT)


@dataclass
class Screening:
    """Three issues, two annotators: both exclude the first, one excludes the second, nobody the third."""

    lead: Member
    people: list[Member]
    round: Round


@pytest.fixture
def screening(db: None) -> Screening:
    lead = make_project()
    people = [make_member(lead.project) for _ in range(2)]
    question = ProjectNode.objects.get(axis__project=lead.project, code="question")
    plan = Plan(kind=Round.Kind.SCREENING, name="Screening", votes_wanted=2, excluding=[question])
    round_ = plan_round(lead=lead, plan=plan)
    fill_round(
        lead=lead, round_=round_, urls=[make_issue(title="It hangs").url for _ in range(3)], sample={"kind": "urls"}
    )
    round_ = open_round(lead=lead, round_=round_)
    votes = (("question", "question"), ("question", "bug"), ("bug", "bug"))
    for item, kinds in zip(round_.items.order_by("position"), votes, strict=True):
        for member, kind in zip(people, kinds, strict=True):
            cast_on(member, item, kind=kind)
    return Screening(lead, people, round_)


def by_rule(rule: Round.Rule, screening: Screening) -> Screened:
    Round.objects.filter(pk=screening.round.pk).update(rule=rule)
    screening.round.refresh_from_db()
    if screening.round.state == Round.State.OPEN:
        close_round(lead=screening.lead, round_=screening.round)
        screening.round.refresh_from_db()
    found = screened(member=screening.lead, round_=screening.round)
    assert found
    return found


def test_a_revised_answer_counts_after_a_discussion(screening: Screening) -> None:
    first = by_rule(Round.Rule.DISCUSSION, screening)
    assert [item.position for item in first.excluded] == [1]
    kind = ProjectAxis.objects.get(project=screening.round.project, code="issue_type")
    take_answer(member=screening.people[1], item=first.kept[0], axis=kind, voter=screening.people[0], revision=0)
    second = by_rule(Round.Rule.DISCUSSION, screening)
    assert [item.position for item in second.excluded] == [1, 2]


def test_no_round_goes_on_with_what_is_still_discussed(screening: Screening) -> None:
    by_rule(Round.Rule.DISCUSSION, screening)
    main = plan_round(lead=screening.lead, plan=Plan(kind=Round.Kind.MAIN, name="Main", votes_wanted=2))
    with pytest.raises(RefusedError, match="not over: 1 open"):
        fill_from_screening(lead=screening.lead, round_=main, screening=screening.round)


def test_the_share_excluded_is_known_by_framework(screening: Screening) -> None:
    (share,) = by_rule(Round.Rule.UNANIMOUS, screening).by_framework
    assert (share.excluded, share.of) == (1, 3)
    assert 0 < share.interval.low < 1 / 3 < share.interval.high < 1


def test_what_stays_is_known_once_the_round_is_closed(screening: Screening) -> None:
    assert screened(member=screening.lead, round_=screening.round) is None
    close_round(lead=screening.lead, round_=screening.round)
    screening.round.refresh_from_db()
    for reader in (screening.lead, screening.people[0]):
        found = screened(member=reader, round_=screening.round)
        assert found
        assert [item.position for item in found.kept] == [2, 3]
        assert [item.position for item in found.excluded] == [1]
    adjudicator = make_member(screening.lead.project, Role.ADJUDICATOR)
    assert screened(member=adjudicator, round_=screening.round) is None


def test_the_next_round_goes_on_with_what_stays(screening: Screening) -> None:
    main = plan_round(lead=screening.lead, plan=Plan(kind=Round.Kind.MAIN, name="Main", votes_wanted=2))
    with pytest.raises(RefusedError, match="open for votes"):
        fill_from_screening(lead=screening.lead, round_=main, screening=screening.round)
    close_round(lead=screening.lead, round_=screening.round)
    assert fill_from_screening(lead=screening.lead, round_=main, screening=screening.round).issues == 2
    main.refresh_from_db()
    assert main.sample == {"kind": "screened", "round": 1, "kept": 2, "excluded": 1, "unmirrored": 0}
    wanted = list(screening.round.items.order_by("position").values_list("issue__url", flat=True))[1:]
    assert list(main.items.order_by("position").values_list("issue__url", flat=True)) == wanted


def test_what_stays_without_a_thread_is_left_out_and_counted(screening: Screening) -> None:
    main = plan_round(lead=screening.lead, plan=Plan(kind=Round.Kind.MAIN, name="Main", votes_wanted=2))
    close_round(lead=screening.lead, round_=screening.round)
    kept = issue_of(screening.round.items.get(position=2))
    Issue.objects.filter(pk=kept.pk).update(title="", body="")
    assert fill_from_screening(lead=screening.lead, round_=main, screening=screening.round).issues == 1
    main.refresh_from_db()
    assert (main.sample["kept"], main.sample["unmirrored"]) == (2, 1)


def test_other_rounds_screen_nothing(screening: Screening) -> None:
    lead = screening.lead
    other = make_round(lead)
    close_round(lead=lead, round_=other)
    main = plan_round(lead=lead, plan=Plan(kind=Round.Kind.MAIN, name="Main", votes_wanted=2))
    with pytest.raises(RefusedError, match="not a screening"):
        fill_from_screening(lead=lead, round_=main, screening=other)
