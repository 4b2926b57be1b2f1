"""How often each annotator differs from what most of the others say, and towards which nodes."""

from dataclasses import dataclass

import numpy as np

from labeling.agreement.patterns import Patterns, fold
from labeling.agreement.votes import MISSING, Floats, Ints, VoteTable

OTHERS = 2


@dataclass(frozen=True)
class Towards:
    """A node, and in how many differing votes it was chosen or left out."""

    code: str
    votes: int


@dataclass(frozen=True)
class Dissent:
    """An annotator against the majority of the others.

    Of `votes`, `compared` are on units where two others or more voted and more than half of them gave one answer;
    `differing` of these are another answer. `rate` is their share, or None with a `reason`. `towards` are the nodes
    chosen that the majority did not choose, `away_from` those left out; most often first.
    """

    annotator: str
    votes: int
    compared: int
    differing: int
    rate: float | None
    reason: str
    towards: tuple[Towards, ...]
    away_from: tuple[Towards, ...]


def dissent_profiles(table: VoteTable) -> tuple[Dissent, ...]:
    """Each annotator's profile, in the order of `table.annotators`."""
    patterns = fold(table)
    return tuple(dissent_of(patterns, column) for column in range(len(table.annotators)))


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
    name = patterns.table.annotators[column]
    towards, away_from = _directions(patterns, own[differs], most[differs], repeats_of[differs])
    return Dissent(
        annotator=name,
        votes=int(repeats.sum()),
        compared=compared,
        differing=differing,
        rate=differing / compared if compared else None,
        reason="" if compared else f"On no issue of {name}'s do most of two other votes or more say the same.",
        towards=towards,
        away_from=away_from,
    )


def _directions(
    patterns: Patterns, own: Ints, most: Ints, repeats: Ints
) -> tuple[tuple[Towards, ...], tuple[Towards, ...]]:
    """Nodes added and nodes left out against the majority's answer."""
    chosen, usual = patterns.membership[own], patterns.membership[most]
    codes = patterns.table.nodes
    return _ranked(codes, repeats @ (chosen * (1 - usual))), _ranked(codes, repeats @ (usual * (1 - chosen)))


def _ranked(codes: tuple[str, ...], votes: Floats) -> tuple[Towards, ...]:
    found = [Towards(code, int(number)) for code, number in zip(codes, votes, strict=True) if number]
    return tuple(sorted(found, key=lambda one: (-one.votes, one.code)))
