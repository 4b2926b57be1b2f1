"""All dumps of a run together: who holds up the others, what shows it, and one sentence."""

from collections.abc import Collection, Iterator, Sequence

from kb.core.diagnosis.flight_recorder.findings import (
    DUMPS,
    Analysis,
    Finding,
    Kind,
    Suspect,
    Words,
    capitalised,
    ranks_text,
)
from kb.core.diagnosis.flight_recorder.mismatches import mismatches
from kb.core.diagnosis.flight_recorder.progress import Unit, World
from kb.core.diagnosis.flight_recorder.shapes import Dump
from kb.core.diagnosis.flight_recorder.suspects import not_started, suspects
from kb.core.diagnosis.flight_recorder.wait_graph import Standing, Waits

__all__ = ["Analysis", "Finding", "Suspect", "analyse"]

ORDER: tuple[Kind, ...] = ("mismatch", "missing", "late", "p2p", "never_started", "no_dump")
SURE = 0.6


def analyse(dumps: Sequence[Dump], unread: Collection[int] = (), words: Words = DUMPS) -> Analysis:
    """What the dumps of one run, one of each rank, say together. Takes time in proportion to entries and waits.

    `unread`: ranks whose dump could not be read, so that nothing is known of them. `words`: how it is put, where what
    is handed in as dumps was read off something else.
    """
    world = World.of(dumps, unread, words)
    waits = Waits(world)
    mismatched = list(mismatches(world))
    ranked = suspects(waits, mismatched)
    findings = list(_of_standings(waits))
    for mismatch in mismatched:
        difference = "differ in it" if mismatch.is_even else f"enqueued {mismatch.difference}"
        text = f"{ranks_text(mismatch.odd)} {difference}: {mismatch.unit.title}."
        findings.append(_finding("mismatch", mismatch.unit, text, mismatch.odd))
    if world.absent:
        text = f"The groups name {ranks_text(world.absent)}, of which there is no {words.record}."
        findings.append(Finding("no_dump", "", text, ranks=world.absent))
    suspected = {suspect.rank for suspect in ranked[:3]}

    def order(finding: Finding) -> tuple[int, bool, tuple[int, ...], int]:
        return ORDER.index(finding.kind), suspected.isdisjoint(finding.ranks), finding.ranks, finding.sequence or 0

    sentence = _sentence(world, waits, ranked)
    if world.unread:
        sentence += f" The dumps of {ranks_text(world.unread)} could not be read: nothing is known of them."
    if world.unplaced:
        sentence += f" {world.unplaced} of the dumps do not say whose they are."
    return Analysis(
        sentence=sentence,
        suspects=ranked,
        findings=tuple(sorted(findings, key=order)),
        waits={rank: targets for rank, targets in sorted(waits.targets.items()) if targets},
    )


def _of_standings(waits: Waits) -> Iterator[Finding]:
    """What each operation that holds up somebody shows. One that waits in a queue behind another shows nothing."""
    for op, standing in waits.standings.items():
        if not op.is_p2p:
            if standing.inside or standing.missing or standing.laggards:
                yield _of_collective(waits, standing)
        elif standing.missing:
            owner, others = ranks_text(standing.inside[:1]), ranks_text(standing.missing)
            text = f"{owner} is held up in {standing.unit.title}: {others} enqueued no other end."
            yield _finding("p2p", standing.unit, text, standing.missing)


def _of_collective(waits: Waits, standing: Standing) -> Finding:
    unit, title = standing.unit, standing.unit.title
    held_up = sorted(standing.inside + standing.elsewhere)
    if standing.laggards:
        text = f"{ranks_text(standing.done)} completed {title}; {ranks_text(held_up)} never saw its end."
        return _finding("late", unit, text, held_up)
    if standing.missing and not standing.proven:
        text = f"{ranks_text(held_up)} enqueued {title}; {ranks_text(standing.missing)} {waits.world.words.never_did}."
        return _finding("missing", unit, text, standing.missing)
    if standing.elsewhere:
        text = f"all enqueued {title}; {ranks_text(standing.elsewhere)} are held up in something before it."
        return _finding("late", unit, text, standing.elsewhere)
    idle = not_started(waits, standing)
    if idle:
        text = f"all enqueued {title}; {ranks_text(idle)} did not start it, as others did."
        return _finding("never_started", unit, text, idle)
    rest = ", with nobody missing"
    if standing.unknown:
        rest = f"; no {waits.world.words.record} tells about {ranks_text(standing.unknown)}"
    text = f"{ranks_text(held_up)} are in {title} and did not see its end{rest}."
    return _finding("late", unit, text, standing.unknown or held_up)


def _finding(kind: Kind, unit: Unit, text: str, ranks: Sequence[int]) -> Finding:
    sequence = None if unit.op.is_p2p else unit.op.sequence
    ordered = tuple(sorted(ranks))
    return Finding(kind, unit.op.group.label, capitalised(text), sequence, unit.name, ordered, unit.top_frame)


def _sentence(world: World, waits: Waits, ranked: Sequence[Suspect]) -> str:
    blocked, record = waits.blocked(), world.words.record
    if not world.ranks:
        return f"There is no {record} of a known rank to look at."
    if not blocked:
        return f"Nothing is held up: all that the {record}s show was completed by all ranks that left one."
    if not ranked:
        full = waits.full()
        place = f" in {full[0].unit.title}" if full else ""
        held_up = capitalised(ranks_text(sorted(blocked)))
        return f"Held up{place}, and nobody is missing: {held_up}. The {record}s do not tell who is at fault."
    best = [suspect for suspect in ranked if suspect.score == ranked[0].score]
    ranks = ranks_text([suspect.rank for suspect in best])
    doubt = "" if best[0].score >= SURE else f", though the {record}s prove little"
    why = best[0].why if len(best) == 1 else f"Of rank {best[0].rank}: {best[0].why}"
    return f"Look at {ranks} first{doubt}: {len(blocked):,} of {len(world.ranks):,} ranks are held up. {why}"
