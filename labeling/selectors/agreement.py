"""How far the annotators of a round agree, and whether that opens the gate of another round.

The numbers are `labeling.agreement`'s; blind votes only, whatever was revised or decided later.
"""

from collections.abc import Iterable

from labeling.agreement import SAMPLES, AxisReport, AxisVotes, Coefficient, report_axes
from labeling.models import Member, Round
from labeling.selectors.votes import AxisVote, all_axis_votes, axis_votes

KEYS = {
    Round.Measure.PERCENT: ("percent",),
    Round.Measure.COHEN: ("cohen_mean",),
    Round.Measure.FLEISS: ("fleiss",),
    # With several answers to an issue, two sets can be nearly the same: then MASI's distance counts.
    Round.Measure.ALPHA: ("alpha_masi", "alpha_nominal"),
    Round.Measure.AC1: ("ac1",),
}


def agreement_of(*, member: Member, round_: Round, samples: int = SAMPLES) -> tuple[AxisReport, ...]:
    """The agreement on each axis, from the votes that the member may see; annotators are named by their ids."""
    return _reports(axis_votes(member=member, round_=round_), samples)


def gate_misses(*, round_: Round) -> list[str]:
    """What keeps the round's gate shut, in a sentence for each axis; nothing when it is open or when there is none."""
    before, wanted = round_.gate_round, round_.gate_at_least
    if before is None or wanted is None:
        return []
    if before.state != Round.State.CLOSED:
        return [f"The round “{before.name}” comes first: close it, so that its agreement is known."]
    reports = _reports(all_axis_votes(round_=before), samples=0)
    if not reports:
        return [f"Nobody has voted in the round “{before.name}”."]
    return [miss for report in reports if (miss := _miss(report, round_.gate_measure, wanted))]


def _reports(votes: Iterable[AxisVote], samples: int) -> tuple[AxisReport, ...]:
    rows: dict[str, list[tuple[int, str, frozenset[str]]]] = {}
    for vote in votes:
        rows.setdefault(vote.axis, []).append((vote.item, str(vote.member), frozenset(vote.choice.codes)))
    return report_axes([AxisVotes(axis, some) for axis, some in rows.items()], samples=samples)


def _miss(report: AxisReport, measure: str, wanted: float) -> str:
    found = _coefficient(report, measure)
    if found.value is None:
        return f"{report.axis}: {found.name} cannot be told. {found.reason}"
    if found.value < wanted:
        return f"{report.axis}: {found.name} is {found.value:.3f} (n = {found.units}); the gate asks for {wanted:g}."
    return ""


def _coefficient(report: AxisReport, measure: str) -> Coefficient:
    known = {one.key: one for one in report.coefficients}
    return next(known[key] for key in KEYS[Round.Measure(measure)] if key in known)
