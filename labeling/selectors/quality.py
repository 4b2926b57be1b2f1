"""How annotators do against the gold answers of a round, and against themselves where they met an issue again.

Coefficients are `labeling.agreement`'s, with a person's first and second answers as two raters. Numbers of fewer than
`ENOUGH` answers are not computed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median

from django.db.models import QuerySet

from kb.core.intervals import Interval, wilson
from labeling.agreement import AxisVotes, Coefficient, report_axes
from labeling.ballots import Choice, ballot_of, number_in
from labeling.models import GoldAnswer, Member, Repeat, Role, Round, Vote
from labeling.outcomes import same
from labeling.selectors import visible
from labeling.selectors.axes import AxisMeasure, measures_of
from labeling.selectors.votes import answers_of, blind_arm, choice_of

ENOUGH = 5
FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class Pair:
    """Two answers to one question about one item: the right one or the first one, and the one that is compared."""

    item: int
    member: int
    axis: str
    before: Choice
    given: Choice


@dataclass(frozen=True)
class AxisCheck:
    """Pairs on one axis: how many are equal, and how far apart they are; what needs more of them is None.

    `distance`: the mean of the steps of a scale, or of the difference of numbers, without answers that the report does
    not say.
    """

    axis: str
    number: int
    same: int
    interval: Interval | None = None
    distance: float | None = None
    alpha: Coefficient | None = None
    kappa: Coefficient | None = None


@dataclass(frozen=True)
class PersonCheck:
    """One annotator, or all together where `member` is 0. `skipped`: the reasons of repeats that were skipped.

    The seconds are medians of the same issues: at their vote, and at its repeat; None where they were not measured.
    """

    member: int
    gold: Sequence[AxisCheck]
    repeats: Sequence[AxisCheck]
    repeated: int
    skipped: Sequence[str]
    first_seconds: float | None
    second_seconds: float | None


@dataclass(frozen=True)
class Checks:
    """The checks of a round: `everybody`, and each annotator who met any; None where there is nothing to tell."""

    everybody: PersonCheck | None
    people: Sequence[PersonCheck]


def is_told(*, member: Member, round_: Round) -> bool:
    """Whether the member may read any of the round's checks now: at the latest once it is closed."""
    return not visible.is_blind(member) or round_.state == Round.State.CLOSED


def checks_of(*, member: Member, round_: Round) -> Checks:
    """The checks that the member may see: everybody's for leads and observers, an annotator's own."""
    if not is_told(member=member, round_=round_):
        return Checks(None, ())
    votes = visible.votes(member=member)
    if not visible.watches(member):
        if not member.has(Role.ANNOTATOR):
            return Checks(None, ())
        votes = votes.filter(member=member)
    gold = visible.gold_answers(member=member).filter(item__round=round_)
    repeats = visible.repeats(member=member).filter(vote__item__round=round_)
    return checks(votes=votes.filter(item__round=round_), gold=gold, repeats=repeats, project_id=round_.project_id)


def checks(*, votes: QuerySet[Vote], gold: QuerySet[GoldAnswer], repeats: QuerySet[Repeat], project_id: int) -> Checks:
    """The checks of these votes; not to be shown to anybody without a look at who they are."""
    votes = votes.filter(item__dropped_at=None)
    measures = {axis: each for axis, each in measures_of(project_id=project_id).items() if each.is_measured}
    right: dict[tuple[int, str], Choice] = {}
    for answer in gold.select_related("axis").prefetch_related("versions__node"):
        right[answer.item_id, answer.axis.code] = choice_of(answer)
    against_gold = []
    for vote in answers_of(votes=blind_arm(votes).filter(item__in={item for item, _ in right})):
        if (vote.item, vote.axis) in right:
            against_gold.append(Pair(vote.item, vote.member, vote.axis, right[vote.item, vote.axis], vote.choice))
    rows = list(repeats.select_related("vote").order_by("vote__member", "pk"))
    against_self = _repeat_pairs([row for row in rows if row.submitted_at], measures)
    people = sorted({pair.member for pair in against_gold} | {row.vote.member_id for row in rows})
    if not people:
        return Checks(None, ())
    persons = []
    for person in people:
        persons.append(
            _person(
                person,
                [pair for pair in against_gold if pair.member == person],
                [pair for pair in against_self if pair.member == person],
                [row for row in rows if row.vote.member_id == person],
                measures,
            )
        )
    return Checks(_person(0, against_gold, against_self, rows, measures), persons)


def repeat_choices(repeat: Repeat) -> Mapping[str, Choice]:
    """The second answers by axis code."""
    return ballot_of(repeat.content).choices


def _repeat_pairs(repeats: Sequence[Repeat], measures: Mapping[str, AxisMeasure]) -> list[Pair]:
    second = {(repeat.vote.item_id, repeat.vote.member_id): repeat_choices(repeat) for repeat in repeats}
    pairs = []
    for first in answers_of(votes=Vote.objects.filter(repeat__in=repeats)):
        choice = second[first.item, first.member].get(first.axis)
        if choice is not None and first.axis in measures:
            pairs.append(Pair(first.item, first.member, first.axis, first.choice, choice))
    return pairs


def _person(
    member: int, gold: Sequence[Pair], again: Sequence[Pair], repeats: Sequence[Repeat],
    measures: Mapping[str, AxisMeasure],
) -> PersonCheck:  # fmt: skip
    timed = [row for row in repeats if row.submitted_at and row.active_seconds and row.vote.active_seconds]
    return PersonCheck(
        member=member,
        gold=[_check(axis, pairs, measures[axis]) for axis, pairs in _by_axis(gold, measures)],
        repeats=[
            _with_coefficients(_check(axis, pairs, measures[axis]), pairs, measures[axis])
            for axis, pairs in _by_axis(again, measures)
        ],
        repeated=len([row for row in repeats if row.submitted_at]),
        skipped=[row.skip_reason for row in repeats if row.skipped_at],
        first_seconds=median(row.vote.active_seconds for row in timed) if len(timed) >= ENOUGH else None,
        second_seconds=median(row.active_seconds for row in timed) if len(timed) >= ENOUGH else None,
    )


def _by_axis(pairs: Iterable[Pair], axes: Iterable[str]) -> list[tuple[str, list[Pair]]]:
    grouped: dict[str, list[Pair]] = {axis: [] for axis in axes}
    for pair in pairs:
        grouped[pair.axis].append(pair)
    return [(axis, group) for axis, group in grouped.items() if group]


def _check(axis: str, pairs: Sequence[Pair], measure: AxisMeasure) -> AxisCheck:
    equal = sum(same(pair.before, pair.given) for pair in pairs)
    if len(pairs) < ENOUGH:
        return AxisCheck(axis, len(pairs), equal)
    distances = [gap for pair in pairs if (gap := _gap(pair, measure)) is not None]
    distance = mean(distances) if len(distances) >= ENOUGH else None
    return AxisCheck(axis, len(pairs), equal, wilson(equal, len(pairs)), distance)


def _gap(pair: Pair, measure: AxisMeasure) -> float | None:
    """How many steps, or how much, the two answers are apart; None where they are no steps or numbers."""
    if measure.is_number:
        numbers = number_in(pair.before.text), number_in(pair.given.text)
        return None if numbers[0] is None or numbers[1] is None else float(abs(numbers[0] - numbers[1]))
    steps = [measure.order.index(code) for code in (*pair.before.codes, *pair.given.codes) if code in measure.order]
    return abs(steps[0] - steps[1]) if len(steps) == 2 else None


def _with_coefficients(check: AxisCheck, pairs: Sequence[Pair], measure: AxisMeasure) -> AxisCheck:
    """The check with alpha and kappa; numbers have no kappa."""
    if check.number < ENOUGH:
        return check
    rows = []
    for pair in pairs:
        unit = (pair.item, pair.member)
        rows += [(unit, FIRST, frozenset(pair.before.values)), (unit, SECOND, frozenset(pair.given.values))]
    (report,) = report_axes([AxisVotes(check.axis, rows, measure.order, measure.is_number)])
    kappas = [coefficient for coefficient in report.coefficients if coefficient.key == "cohen_mean"]
    return replace(check, alpha=report.alpha, kappa=kappas[0] if kappas else None)
