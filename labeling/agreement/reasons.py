"""Reasons why a coefficient is undefined, as sentences; empty when it is defined."""

import numpy as np

from labeling.agreement.patterns import Patterns
from labeling.agreement.votes import Answer, Floats


def said(answer: Answer) -> str:
    """An answer as text: its codes in order."""
    return " + ".join(sorted(answer))


def no_pairs(patterns: Patterns) -> str:
    """The reason where no vote can be compared with another's."""
    voted = int((patterns.counts.sum(axis=0) > 0).sum())
    annotators = len(patterns.table.annotators)
    if not voted:
        return "Nobody has voted yet."
    if annotators == 1:
        return f"Only {patterns.table.annotators[0]} has voted; agreement needs two."
    if not patterns.paired.any():
        return "No issue has two votes."
    return ""


def one_answer(patterns: Patterns, totals: Floats) -> str:
    """The reason where all votes are the same; `totals` is the number of votes of each answer."""
    used = np.flatnonzero(totals)
    if len(used) > 1:
        return ""
    return (
        f"Every vote that can be compared says '{said(patterns.table.answers[used[0]])}': chance alone would agree "
        "as well, so that agreement beyond chance is undefined."
    )


def uneven(patterns: Patterns) -> str:
    """The reason where units have different numbers of votes."""
    fewest, most = int(patterns.votes.min()), int(patterns.votes.max())
    if fewest == most:
        return ""
    return f"Fleiss' kappa needs the same number of votes on every issue; here they have {fewest} to {most}."
