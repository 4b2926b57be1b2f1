"""How often each annotator differs from the majority of the others, and towards which nodes."""

from dataclasses import dataclass

import numpy as np

from labeling.agreement.patterns import Patterns
from labeling.agreement.votes import MISSING, Floats

# A majority needs at least so many other voters.
OTHERS = 2


@dataclass(frozen=True)
class Towards:
    """A node, and the number of differing votes that chose it, or left it out."""

    code: str
    votes: int


@dataclass(frozen=True)
class Dissent:
    """An annotator compared with the majority of the others.

    Of `votes`, `compared` are on units where two others or more voted and more than half of them gave one answer;
    `differing` of these give another. `rate` is their share, or None with a `reason`. `towards` are the nodes chosen
    that the majority did not choose, `away_from` those left out; most frequent first.
    """

    annotator: str
    votes: int
    compared: int
    differing: int
    rate: float | None
    reason: str
    towards: tuple[Towards, ...]
    away_from: tuple[Towards, ...]


def dissent_of(patterns: Patterns, column: int) -> Dissent:
    """The profile of the annotator in one column."""
    mine = patterns.cells[:, column]
    voted = np.flatnonzero(mine != MISSING)
    own, repeats = mine[voted], patterns.repeats[voted]
    others = patterns.counts[voted]
    others[np.arange(len(voted)), own] -= 1
    voters = patterns.votes[voted] - 1
    decided = (voters >= OTHERS) & (2 * others.max(axis=1, initial=0) > voters)
    own, most, repeats_of = own[decided], others[decided].argmax(axis=1), repeats[decided]
    differs = own != most
    compared, differing = int(repeats_of.sum()), int(repeats_of[differs].sum())
    name, codes = patterns.table.annotators[column], patterns.table.nodes
    chosen, usual = patterns.membership[own[differs]], patterns.membership[most[differs]]
    return Dissent(
        annotator=name,
        votes=int(repeats.sum()),
        compared=compared,
        differing=differing,
        rate=differing / compared if compared else None,
        reason="" if compared else f"On no issue of {name}'s do most of two other votes or more say the same.",
        towards=_ranked(codes, repeats_of[differs] @ (chosen * (1 - usual))),
        away_from=_ranked(codes, repeats_of[differs] @ (usual * (1 - chosen))),
    )


def _ranked(codes: tuple[str, ...], votes: Floats) -> tuple[Towards, ...]:
    rows = [Towards(code, int(number)) for code, number in zip(codes, votes, strict=True) if number]
    return tuple(sorted(rows, key=lambda row: (-row.votes, row.code)))
