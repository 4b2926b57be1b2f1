"""All dumps of a run together: who holds up the others, what shows it, and one sentence. Reading them is not here."""

from collections.abc import Iterator, Sequence

from kb.core.diagnosis.flight_recorder import wording as telling
from kb.core.diagnosis.flight_recorder.findings import Analysis, Finding, Kind, Suspect
from kb.core.diagnosis.flight_recorder.mismatches import Mismatch, mismatches
from kb.core.diagnosis.flight_recorder.progress import Unit, World
from kb.core.diagnosis.flight_recorder.shapes import Dump
from kb.core.diagnosis.flight_recorder.suspects import not_started, suspects
from kb.core.diagnosis.flight_recorder.wait_graph import Standing, Waits, plain_name

__all__ = ["Analysis", "Finding", "Suspect", "analyse"]

_ORDER: tuple[Kind, ...] = ("mismatch", "missing", "late", "p2p", "never_started", "no_dump")
SURE = 0.6


def analyse(dumps: Sequence[Dump]) -> Analysis:
    """What the dumps of one run, one of each rank, say together. Takes time in proportion to entries and waits."""
    world = World.of(dumps)
    waits = Waits(world)
    odd = list(mismatches(world))
    judged = suspects(waits, odd)
    findings = [*_mismatched(odd), *_standings(waits), *_without_dump(world)]
    named = {one.rank for one in judged[:3]}
    findings.sort(key=lambda one: (_ORDER.index(one.kind), not named & set(one.ranks), one.ranks, one.sequence or 0))
    return Analysis(
        sentence=_sentence(world, waits, judged),
        suspects=judged,
        findings=tuple(findings),
        waits={rank: targets for rank, targets in sorted(waits.targets.items()) if targets},
    )


def _mismatched(found: list[Mismatch]) -> Iterator[Finding]:
    for one in found:
        who = telling.upper(telling.ranks(one.odd))
        what = "differ in it" if one.even else f"enqueued {one.what}"
        text = f"{who} {what}: {telling.operation(one.unit)}."
        yield _finding("mismatch", one.unit, text, one.odd)


def _standings(waits: Waits) -> Iterator[Finding]:
    """What each operation that holds up somebody shows. One that waits in a queue behind another shows nothing."""
    for op, standing in waits.standings.items():
        if not op.is_p2p:
            if standing.inside or standing.missing or standing.laggards:
                yield _of_collective(waits, standing)
        elif standing.missing:
            one, others = telling.ranks(standing.inside[:1]), telling.ranks(standing.missing)
            text = f"{one} is held up in {telling.operation(standing.unit)}: {others} enqueued no other end."
            yield _finding("p2p", standing.unit, text, standing.missing)


def _of_collective(waits: Waits, standing: Standing) -> Finding:
    op, held_up = telling.operation(standing.unit), sorted(standing.inside + standing.elsewhere)
    if standing.laggards:
        text = f"{telling.ranks(standing.done)} completed {op}; {telling.ranks(held_up)} never saw its end."
        return _finding("late", standing.unit, text, held_up)
    if standing.missing and not standing.proven:
        text = f"{telling.ranks(held_up)} enqueued {op}; {telling.ranks(standing.missing)} never did."
        return _finding("missing", standing.unit, text, standing.missing)
    if standing.elsewhere:
        text = f"all enqueued {op}; {telling.ranks(standing.elsewhere)} are held up in something before it."
        return _finding("late", standing.unit, text, standing.elsewhere)
    if idle := not_started(waits, standing):
        text = f"all enqueued {op}; {telling.ranks(idle)} did not start it, as others did."
        return _finding("never_started", standing.unit, text, idle)
    text = f"{telling.ranks(held_up)} are in {op} and did not see its end"
    text += (
        f"; the dumps do not tell about {telling.ranks(standing.unknown)}."
        if standing.unknown
        else ", with nobody missing."
    )
    return _finding("late", standing.unit, text, standing.unknown or held_up)


def _finding(kind: Kind, unit: Unit, text: str, ranks: Sequence[int]) -> Finding:
    sequence = None if unit.op.is_p2p else unit.op.sequence
    where = telling.where(unit)
    return Finding(
        kind, unit.op.group.label, telling.upper(text), sequence, plain_name(unit), tuple(sorted(ranks)), where
    )


def _without_dump(world: World) -> Iterator[Finding]:
    if world.absent:
        who = telling.ranks(world.absent)
        yield Finding("no_dump", "", f"The groups name {who}, of which there is no dump.", ranks=world.absent)


def _sentence(world: World, waits: Waits, judged: tuple[Suspect, ...]) -> str:
    unplaced = f" {world.unplaced} of the dumps do not say whose they are." if world.unplaced else ""
    return _summary(world, waits, judged) + unplaced


def _summary(world: World, waits: Waits, judged: tuple[Suspect, ...]) -> str:
    blocked = waits.blocked()
    if not world.ranks:
        return "There is no dump of a known rank to look at."
    if not blocked:
        return "Nothing is held up: all that the dumps show was completed by all ranks that left one."
    if not judged:
        place = "".join(f" in {telling.operation(one.unit)}" for one in waits.full()[:1])
        who = telling.upper(telling.ranks(sorted(blocked)))
        return f"Held up{place}, and nobody is missing: {who}. The dumps do not tell who is at fault."
    best = [one for one in judged if one.score == judged[0].score]
    who = telling.ranks([one.rank for one in best])
    sure = "" if best[0].score >= SURE else ", though the dumps prove little"
    which = f"Of rank {best[0].rank}: " if len(best) > 1 else ""
    return (
        f"Look at {who} first{sure}: {len(blocked):,} of {len(world.ranks):,} ranks are held up. {which}{best[0].why}"
    )
