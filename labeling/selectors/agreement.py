"""How far the annotators of a round agree, and whether that opens the gate of another round.

The numbers are `labeling.agreement`'s; blind votes only, whatever was revised or decided later.
"""

from collections.abc import Iterable

from labeling.agreement import SAMPLES, AxisReport, AxisVotes, report_axes
from labeling.models import Member, Round
from labeling.selectors.axes import measures_of
from labeling.selectors.votes import AxisVote, all_axis_votes, axis_votes

KEYS = {
    Round.Measure.PERCENT: ("percent",),
    Round.Measure.COHEN: ("cohen_mean",),
    Round.Measure.FLEISS: ("fleiss",),
    # Numbers, steps of a scale and sets of answers can be nearly the same: then their distance counts.
    Round.Measure.ALPHA: ("alpha_interval", "alpha_ordinal", "alpha_masi", "alpha_nominal"),
    Round.Measure.AC1: ("ac1",),
}


def agreement_of(*, member: Member, round_: Round, samples: int = SAMPLES) -> tuple[AxisReport, ...]:
    """The agreement on each axis, from the votes that the member may see; annotators are named by their ids."""
    votes = axis_votes(member=member, round_=round_, is_measured=True)
    return reports_of(votes=votes, project_id=round_.project_id, samples=samples)


def gate_misses(*, round_: Round) -> list[str]:
    """What keeps the round's gate shut, in a sentence for each axis; empty when it is open or when there is none."""
    before, wanted = round_.gate_round, round_.gate_at_least
    if before is None or wanted is None:
        return []
    if before.state != Round.State.CLOSED:
        return [f"The round “{before.name}” comes first: close it, so that its agreement is known."]
    votes = all_axis_votes(round_=before, is_measured=True)
    reports = reports_of(votes=votes, project_id=before.project_id, samples=0)
    if not reports:
        return [f"Nobody has voted in the round “{before.name}”."]
    misses = []
    for report in reports:
        coefficients = {coefficient.key: coefficient for coefficient in report.coefficients}
        keys = [key for key in KEYS[Round.Measure(round_.gate_measure)] if key in coefficients]
        # Numbers have percent and alpha only.
        measured = coefficients[keys[0]] if keys else report.alpha
        name, value = f"{report.axis}: {measured.name}", measured.value
        if value is None:
            misses.append(f"{name} is undefined. {measured.reason}")
        elif value < wanted:
            misses.append(f"{name} is {value:.3f} (n = {measured.units}); the gate asks for {wanted:g}.")
    return misses


def reports_of(*, votes: Iterable[AxisVote], project_id: int, samples: int) -> tuple[AxisReport, ...]:
    """The agreement on each axis of these votes, without intervals where `samples` is 0. Texts have none."""
    rows: dict[str, list[tuple[int, str, frozenset[str]]]] = {}
    for vote in votes:
        rows.setdefault(vote.axis, []).append((vote.item, str(vote.member), frozenset(vote.choice.values)))
    if not rows:
        return ()
    measures = measures_of(project_id=project_id)
    axes = []
    for axis, axis_rows in rows.items():
        if measures[axis].is_measured:
            axes.append(AxisVotes(axis, axis_rows, measures[axis].order, measures[axis].is_number))
    return report_axes(axes, samples=samples)
