"""Models beside people in a closed round, and what suggestions did to the votes that were shown them.

A model is never among the people whose agreement is measured. Votes are compared with it from the blind arm alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.cache import cache
from django.db.models import Count, Max

from labeling.agreement.influence import Agreed, Difference, Observed, Scale, agreed, medians, shares
from labeling.agreement.votes import Row
from labeling.ballots import Choice, number_in, number_text
from labeling.models import Decision, Member, Reader, ReaderAnswer, Round, Vote
from labeling.selectors import visible
from labeling.selectors.axes import AxisMeasure, measures_of
from labeling.selectors.readers import assisting
from labeling.selectors.results import KEPT_SECONDS
from labeling.selectors.votes import AxisVote, answers_of, choice_of

DECISION = "the decisions"
Answers = Mapping[tuple[int, str], Choice]


@dataclass(frozen=True)
class Beside:
    """A reader beside one annotator, or beside the decisions, on one axis."""

    axis: str
    other: str
    agreed: Agreed


@dataclass(frozen=True)
class ReaderReport:
    """A reader beside everybody."""

    reader: str
    answers: int
    rows: tuple[Beside, ...]


@dataclass(frozen=True)
class AxisInfluence:
    """One axis of an assisted round. `followed`: votes equal to the suggestion; `misled`: of these, where it is wrong.

    Wrong is what the decision in force says; assisted votes had a part in that.
    """

    axis: str
    blind: Agreed
    assisted: Agreed
    together: Agreed
    followed: Difference
    misled: Difference


@dataclass(frozen=True)
class Influence:
    """What suggestions did in a round: by axis, and to the seconds per vote."""

    reader: Reader
    votes: int
    assisted_votes: int
    seconds: Difference
    axes: tuple[AxisInfluence, ...]


@dataclass(frozen=True)
class Report:
    """All of a round."""

    readers: tuple[ReaderReport, ...]
    influence: Influence | None


def has_readers(*, round_: Round) -> bool:
    """Whether there is anything to report; that a round has readers is no secret."""
    return Reader.objects.filter(round=round_, taken_at__isnull=False).exists()


def report(*, member: Member, round_: Round) -> Report | None:
    """The report of a closed round; None where the member may not see all of its votes."""
    if round_.state != Round.State.CLOSED or not visible.sees_whole(member=member, round_=round_):
        return None
    return whole_report(round_=round_)


def whole_report(*, round_: Round) -> Report:
    """The same for releases; cached under what it is made of. Not to be shown to anybody while the round is open."""
    decisions = Decision.objects.filter(item__round=round_, reopened_at=None)
    state = decisions.aggregate(number=Count("pk"), last=Max("pk"))
    readers = list(Reader.objects.filter(round=round_, taken_at__isnull=False).defer("content"))
    parts = [round_.pk, *state.values(), *(reader.pk for reader in readers)]
    key = f"labeling:influence:1:{':'.join(map(str, parts))}"
    cached: Report | None = cache.get(key)
    if cached is None:
        cached = _measure(round_, readers)
        cache.set(key, cached, KEPT_SECONDS)
    return cached


def _measure(round_: Round, readers: Sequence[Reader]) -> Report:
    measures = measures_of(project_id=round_.project_id)
    cast = Vote.objects.filter(item__round=round_, item__released_at__isnull=False)
    votes = [vote for vote in answers_of(votes=cast) if measures[vote.axis].is_measured]
    arms = {
        (item, who): is_assisted for item, who, is_assisted in cast.values_list("item", "member", "slot__is_assisted")
    }
    scales = _scales(votes, measures)
    decided = _decided(round_)
    people = dict(Member.objects.filter(project=round_.project_id).values_list("pk", "pseudonym"))
    blind = [vote for vote in votes if not arms[vote.item, vote.member]]
    reports = []
    for reader in readers:
        answers = _answers(reader)
        others: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for vote in blind:
            others[vote.axis, people[vote.member]].append((vote.item, "other", _values(vote.choice)))
        for (item, axis), choice in decided.items():
            others[axis, DECISION].append((item, "other", _values(choice)))
        rows = []
        for (axis, other), given in sorted(others.items(), key=lambda pair: (pair[0][0], pair[0][1] == DECISION)):
            own: list[Row] = [
                (item, "model", _values(choice)) for (item, code), choice in answers.items() if code == axis
            ]
            if axis in scales and {row[0] for row in own} & {row[0] for row in given}:
                rows.append(Beside(axis, other, agreed([*own, *given], scales[axis], is_pair=True)))
        reports.append(ReaderReport(reader.called, len(answers), tuple(rows)))
    return Report(tuple(reports), _influence(round_, cast, votes, arms, scales, decided))


def _influence(
    round_: Round, cast: Iterable[Vote], votes: Sequence[AxisVote], arms: Mapping[tuple[int, int], bool],
    scales: Mapping[str, Scale], decided: Answers,
) -> Influence | None:  # fmt: skip
    reader = assisting(round_=round_)
    if reader is None:
        return None
    suggested = _answers(reader)
    seconds = []
    for row in cast:
        if row.active_seconds:
            seconds.append(Observed(row.item_id, arms[row.item_id, row.member_id], row.active_seconds))
    axes = []
    for axis, scale in scales.items():
        of_axis = [vote for vote in votes if vote.axis == axis]
        assisted = [vote for vote in of_axis if arms[vote.item, vote.member]]
        blind = [vote for vote in of_axis if not arms[vote.item, vote.member]]
        followed, misled = [], []
        for vote in of_axis:
            suggestion = suggested.get((vote.item, axis))
            if suggestion is None:
                continue
            is_equal = _values(vote.choice) == _values(suggestion)
            seen = Observed(vote.item, arms[vote.item, vote.member], float(is_equal))
            followed.append(seen)
            if (vote.item, axis) in decided and _values(decided[vote.item, axis]) != _values(suggestion):
                misled.append(seen)
        axes.append(
            AxisInfluence(
                axis, _agreed(blind, scale), _agreed(assisted, scale), _agreed(of_axis, scale), shares(followed),
                shares(misled),
            )
        )  # fmt: skip
    return Influence(reader, len(arms), sum(arms.values()), medians(seconds), tuple(axes))


def _agreed(votes: Sequence[AxisVote], scale: Scale) -> Agreed:
    return agreed([(vote.item, str(vote.member), _values(vote.choice)) for vote in votes], scale)


def _scales(votes: Sequence[AxisVote], measures: Mapping[str, AxisMeasure]) -> dict[str, Scale]:
    """The axes with votes. One distance for all comparisons: of sets where any vote names several."""
    found: dict[str, Scale] = {}
    for vote in votes:
        measure = measures[vote.axis]
        scale = found.setdefault(vote.axis, Scale(measure.order, measure.is_number))
        if len(vote.choice.codes) > 1 and not scale.has_sets:
            found[vote.axis] = replace(scale, has_sets=True)
    return found


def _decided(round_: Round) -> Answers:
    rows = Decision.objects.filter(item__round=round_, reopened_at=None).select_related("axis")
    return {(row.item_id, row.axis.code): choice_of(row) for row in rows.prefetch_related("versions__node")}


def _answers(reader: Reader) -> Answers:
    rows = ReaderAnswer.objects.filter(reader=reader, item__dropped_at=None)
    answers = {}
    for item, axis, codes, is_undecidable, text in rows.values_list(
        "item", "axis__code", "codes", "is_undecidable", "text"
    ):
        number = number_in(text)
        words = text if number is None else number_text(number)
        answers[item, axis] = Choice(tuple(codes), is_undecidable, words)
    return answers


def _values(choice: Choice) -> frozenset[str]:
    return frozenset(choice.values)
