"""From who waits for whom to suspects, the strongest first. The weights say how much each kind of evidence proves.

A rank that stopped, holds the interpreter's lock or died is waited for and waits for nobody. A rank whose GPU failed
never sees the end of collectives that the others completed, and so looks busy while everybody waits for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.core.diagnosis.flight_recorder import wording as telling
from kb.core.diagnosis.flight_recorder.findings import Suspect
from kb.core.diagnosis.flight_recorder.mismatches import Mismatch
from kb.core.diagnosis.flight_recorder.wait_graph import Standing, Waits

MISMATCH, MISMATCH_OF_EQUALS = 0.95, 0.7
MISSING, ABSENT, LAGGARD, NOT_STARTED, CIRCLE = 0.9, 0.8, 0.75, 0.7, 0.6
ABSENT_OF_MANY, ABSENT_UNASKED = 0.3, 0.2
MOST_FOLLOWED = 64


@dataclass(frozen=True)
class _Evidence:
    """What speaks against a rank. `starts`: whoever waits for one of these is held up by it."""

    rank: int
    weight: float
    why: str
    starts: tuple[int, ...]


def suspects(waits: Waits, found: Iterable[Mismatch]) -> tuple[Suspect, ...]:
    """Who may hold up the others; nobody if nothing is held up, or if everybody is in what holds them up."""
    blocked = waits.blocked()
    if not blocked:
        return ()
    strongest: dict[int, _Evidence] = {}
    evidence = [*_mismatched(waits, found), *_roots(waits), *_laggards(waits), *_not_started(waits), *_circle(waits)]
    for one in [*evidence, *_absent(waits)]:
        if one.rank not in strongest or one.weight > strongest[one.rank].weight:
            strongest[one.rank] = one
    ordered = sorted(strongest.values(), key=lambda one: (-one.weight, one.rank))
    judged = [_judged(waits, one, blocked, follow=place < MOST_FOLLOWED) for place, one in enumerate(ordered)]
    return tuple(sorted(judged, key=lambda one: (-one.score, one.rank)))


def _judged(waits: Waits, evidence: _Evidence, blocked: set[int], *, follow: bool) -> Suspect:
    """A kind of evidence counts half, and how many of the blocked ranks wait for this one counts half."""
    direct = {one for op in waits.wanting.get(evidence.rank, ()) for one in waits.inside[op]}
    behind = waits.behind(evidence.starts) if follow else direct
    others = len(blocked - {evidence.rank})
    held_up = len((behind & blocked) - {evidence.rank})
    score = round(evidence.weight * (0.5 + 0.5 * (held_up / others if others else 0)), 3)
    reach = (
        f" {held_up:,} of {others:,} other blocked ranks wait for it, directly or through others." if held_up else ""
    )
    return Suspect(evidence.rank, score, telling.upper(evidence.why) + reach)


def _mismatched(waits: Waits, found: Iterable[Mismatch]) -> Iterable[_Evidence]:
    for one in found:
        starts = tuple(waits.inside.get(one.op, ()))
        weight = MISMATCH_OF_EQUALS if one.even else MISMATCH
        why = f"it enqueued {one.what}, as {telling.operation(one.unit)}."
        if one.even:
            why = f"the members enqueued different things as {telling.operation(one.unit)}."
        for rank in one.odd:
            yield _Evidence(rank, weight, why, (rank, *starts))


def _roots(waits: Waits) -> Iterable[_Evidence]:
    for rank in waits.roots():
        standings = sorted((waits.standings[op] for op in waits.wanting[rank]), key=lambda one: one.op.is_p2p)
        missed = [one for one in standings if rank in one.missing]
        shown = (missed or standings)[0]
        op, inside = telling.operation(shown.unit), telling.ranks(waits.inside[shown.op])
        if rank not in waits.world.ranks:
            why = f"it left no dump, and nobody else is missing where {inside} wait: in {op}."
            yield _Evidence(rank, ABSENT if _mostly_here(waits) else ABSENT_OF_MANY, why, (rank,))
        elif missed:
            what = f"the other end of {op}" if shown.op.is_p2p else op
            lags = " and did not see the end of what the others completed" if rank in waits.laggards else ""
            yield _Evidence(rank, MISSING, f"it never enqueued {what}{lags}, while {inside} wait in it.", (rank,))
        elif rank not in waits.laggards:
            yield _Evidence(rank, LAGGARD, f"it is the one for whom {inside} wait in {op}.", (rank,))


def _laggards(waits: Waits) -> Iterable[_Evidence]:
    for rank, standing in waits.laggards.items():
        done = telling.ranks(standing.done)
        why = f"it never saw the end of {telling.operation(standing.unit)}, which {done} completed."
        yield _Evidence(rank, LAGGARD, why, (rank,))


def _not_started(waits: Waits) -> Iterable[_Evidence]:
    for standing in waits.full():
        for rank in not_started(waits, standing):
            why = f"it enqueued {telling.operation(standing.unit)} but did not start it, as others did."
            yield _Evidence(rank, NOT_STARTED, why, tuple(standing.inside))


def not_started(waits: Waits, standing: Standing) -> list[int]:
    """Those inside who did not start the operation, where others did; nobody if none was seen to start."""
    heads = {rank: waits.world.ranks[rank].head for rank in standing.inside}
    idle = [rank for rank, head in heads.items() if head is not None and not head.started]
    return idle if len(idle) < len(heads) else []


def _circle(waits: Waits) -> Iterable[_Evidence]:
    circle = waits.circle()
    for rank in circle:
        why = f"it is one of {telling.ranks(circle)}, which wait for one another in a circle."
        yield _Evidence(rank, CIRCLE, why, (rank,))


def _absent(waits: Waits) -> Iterable[_Evidence]:
    """Ranks without a dump that nobody must wait for: a sign of death, unless the dumps are only a part."""
    if _mostly_here(waits):
        for rank in waits.world.absent:
            yield _Evidence(
                rank, ABSENT_UNASKED, "it left no dump, though nobody is seen to wait for it alone.", (rank,)
            )


def _mostly_here(waits: Waits) -> bool:
    """Whether most ranks left a dump. Else only some were handed in, and that one is missing says little."""
    return len(waits.world.absent) <= len(waits.world.ranks)
