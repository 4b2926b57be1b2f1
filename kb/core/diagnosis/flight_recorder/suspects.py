"""From who waits for whom to suspects, the strongest first. The weights say how much each kind of evidence proves.

A rank that stopped, holds the interpreter's lock or died is waited for and waits for nobody. A rank whose GPU failed
never sees the end of collectives that the others completed, and so looks busy while everybody waits for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.core.diagnosis.flight_recorder.findings import Suspect, capitalised, ranks_text, waiting_text
from kb.core.diagnosis.flight_recorder.mismatches import Mismatch
from kb.core.diagnosis.flight_recorder.wait_graph import Standing, Waits

MISMATCH, MISMATCH_OF_EQUALS = 0.95, 0.7
MISSING, ABSENT, LAGGARD, NOT_STARTED, CIRCLE = 0.9, 0.8, 0.75, 0.7, 0.6
ABSENT_OF_MANY, ABSENT_UNASKED = 0.3, 0.2
MOST_FOLLOWED = 64


@dataclass(frozen=True)
class Evidence:
    """What speaks against a rank. `starts`: whoever waits for one of these is held up by it."""

    rank: int
    weight: float
    why: str
    starts: tuple[int, ...]


def suspects(waits: Waits, mismatched: Iterable[Mismatch]) -> tuple[Suspect, ...]:
    """The ranks that may hold up the others; none if nothing is held up, or if everybody is in what holds them up."""
    blocked = waits.blocked()
    if not blocked:
        return ()
    collected = _Collector(waits)
    evidence = [
        *collected.of_mismatches(mismatched),
        *collected.of_roots(),
        *collected.of_laggards(),
        *collected.of_idle(),
        *collected.of_circle(),
        *collected.of_absent(),
    ]
    strongest: dict[int, Evidence] = {}
    for piece in evidence:
        if piece.rank not in strongest or piece.weight > strongest[piece.rank].weight:
            strongest[piece.rank] = piece
    ranked: list[Suspect] = []
    for number, piece in enumerate(sorted(strongest.values(), key=lambda piece: (-piece.weight, piece.rank))):
        behind = waits.behind(piece.starts) if number < MOST_FOLLOWED else waits.directly_behind(piece.rank)
        ranked.append(_suspect(piece, behind & blocked, blocked))
    return tuple(sorted(ranked, key=lambda suspect: (-suspect.score, suspect.rank)))


def _suspect(evidence: Evidence, behind: set[int], blocked: set[int]) -> Suspect:
    """A kind of evidence counts half, and how many of the blocked ranks wait for this one counts half."""
    others = len(blocked - {evidence.rank})
    held_up = len(behind - {evidence.rank})
    share = held_up / others if others else 0
    why = capitalised(evidence.why)
    if held_up:
        why += f" {held_up:,} of {others:,} other blocked ranks wait for it, directly or through others."
    return Suspect(evidence.rank, round(evidence.weight * (0.5 + 0.5 * share), 3), why)


class _Collector:
    """Collects the evidence of each kind."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits
        # Else only some dumps were handed in, and that one is missing says little.
        self._are_most_here = len(waits.world.absent) <= len(waits.world.ranks)

    def of_mismatches(self, mismatched: Iterable[Mismatch]) -> Iterator[Evidence]:
        for mismatch in mismatched:
            weight, why = MISMATCH, f"it enqueued {mismatch.difference}, as {mismatch.unit.title}."
            if mismatch.is_even:
                weight, why = MISMATCH_OF_EQUALS, f"the members enqueued different things as {mismatch.unit.title}."
            starts = self._waits.inside.get(mismatch.op, ())
            for rank in mismatch.odd:
                yield Evidence(rank, weight, why, (rank, *starts))

    def of_roots(self) -> Iterator[Evidence]:
        """Those who are waited for and wait for nobody."""
        waits, words = self._waits, self._waits.world.words
        for rank in waits.roots():
            standings = sorted(
                (waits.standings[op] for op in waits.wanting[rank]), key=lambda standing: standing.op.is_p2p
            )
            missed = [standing for standing in standings if rank in standing.missing]
            shown = (missed or standings)[0]
            title, inside = shown.unit.title, waiting_text(waits.inside[shown.op])
            if rank in waits.world.unread:
                continue
            if rank not in waits.world.ranks:
                why = f"it {words.left_none}, and nobody else is missing where {inside}: in {title}."
                yield Evidence(rank, ABSENT if self._are_most_here else ABSENT_OF_MANY, why, (rank,))
            elif missed:
                missing = f"the other end of {title}" if shown.op.is_p2p else title
                lags = " and did not see the end of what the others completed" if rank in waits.laggards else ""
                why = f"it {words.never_enqueued} {missing}{words.doubt}{lags}, while {inside} in it."
                yield Evidence(rank, MISSING, why, (rank,))
            elif rank not in waits.laggards:
                yield Evidence(rank, LAGGARD, f"{inside} for it in {title}.", (rank,))

    def of_laggards(self) -> Iterator[Evidence]:
        for rank, standing in self._waits.laggards.items():
            why = f"it never saw the end of {standing.unit.title}, which {ranks_text(standing.done)} completed."
            yield Evidence(rank, LAGGARD, why, (rank,))

    def of_idle(self) -> Iterator[Evidence]:
        """Those who did not start what they enqueued."""
        for standing in self._waits.full():
            for rank in not_started(self._waits, standing):
                why = f"it enqueued {standing.unit.title} but did not start it, as others did."
                yield Evidence(rank, NOT_STARTED, why, tuple(standing.inside))

    def of_circle(self) -> Iterator[Evidence]:
        circle = self._waits.circle()
        for rank in circle:
            why = f"it is one of {ranks_text(circle)}, which wait for one another in a circle."
            yield Evidence(rank, CIRCLE, why, (rank,))

    def of_absent(self) -> Iterator[Evidence]:
        """Ranks without a dump that nobody must wait for: a sign of death, unless the dumps are only a part."""
        if self._are_most_here:
            why = f"it {self._waits.world.words.left_none}, though nobody is seen to wait for it alone."
            for rank in self._waits.world.absent:
                yield Evidence(rank, ABSENT_UNASKED, why, (rank,))


def not_started(waits: Waits, standing: Standing) -> list[int]:
    """Those inside who did not start the operation, where others did; nobody if none was seen to start."""
    heads = {rank: waits.world.ranks[rank].head for rank in standing.inside}
    idle = [rank for rank, head in heads.items() if head is not None and not head.started]
    return idle if len(idle) < len(heads) else []
