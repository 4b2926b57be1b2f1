"""Krippendorff's alpha for answers that are more or less than one another: steps of a scale, and numbers.

That the report does not say is no step and no number: such votes are missing here.
"""

from collections.abc import Callable

import numpy as np

from labeling.agreement import reasons
from labeling.agreement.measure import Family, Item, Parts, corrected, quotient
from labeling.agreement.patterns import Patterns
from labeling.agreement.votes import MISSING, Floats


def ordinal_alpha(patterns: Patterns) -> Family:
    """Alpha with the ordinal distance (Krippendorff 2011, section E): by the ranks between two steps.

    The table's answers are the steps in their order. A step's rank is the middle of those that its votes take up, so
    that the distances are other ones in every sample.
    """
    counts = patterns.counts * patterns.paired[:, None]
    steps = counts.shape[1]
    # Patterns x pairs of steps: votes on one unit, each counted once.
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(steps)
    columns = np.hstack([counts, (pairs / patterns.pairs_from[:, None, None]).reshape(len(counts), steps * steps)])

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        answers, coincident = sums[:, :steps], sums[:, steps:].reshape(-1, steps, steps)
        ranks = np.cumsum(answers, axis=1) - answers / 2
        apart = (ranks[:, :, None] - ranks[:, None, :]) ** 2
        widest = apart.max(axis=(1, 2))[:, None]
        votes = answers.sum(axis=1, keepdims=True)
        differing = (coincident * apart).sum(axis=(1, 2))[:, None]
        by_chance = (answers[:, :, None] * answers[:, None, :] * apart).sum(axis=(1, 2))[:, None]
        observed = 1 - quotient(quotient(differing, widest), votes)
        return corrected(observed, 1 - quotient(quotient(by_chance, widest), votes * (votes - 1)))

    return _family(patterns, "alpha_ordinal", "Krippendorff's alpha, ordinal", evaluate)


def interval_alpha(patterns: Patterns) -> Family:
    """Alpha with the interval distance (Krippendorff 2011, section E): by the squares of differences.

    The table's answers are numbers as text.
    """
    numbers = np.array([float(code) for answer in patterns.table.answers for code in answer])
    middle, width = (numbers.mean(), np.ptp(numbers) or 1.0) if len(numbers) else (0.0, 1.0)
    # The last entry is for `MISSING`, which is -1. Neither zero nor unit of the scale counts.
    scaled = np.append((numbers - middle) / width, 0.0)
    values = scaled[patterns.cells] * patterns.paired[:, None]
    votes = (patterns.cells != MISSING).sum(axis=1) * patterns.paired
    total, squares = values.sum(axis=1), (values**2).sum(axis=1)
    # Over all ordered pairs of n values, the squared differences add up to 2 (n Σx² - (Σx)²).
    differing = 2 * (votes * squares - total**2) / patterns.pairs_from
    columns = np.stack([votes, total, squares, differing], axis=1)

    def evaluate(weights: Floats) -> Parts:
        of, sums, of_squares, apart = (column[:, None] for column in (weights @ columns).T)
        by_chance = 2 * (of * of_squares - sums**2)
        return corrected(1 - quotient(apart, of), 1 - quotient(by_chance, of * (of - 1)))

    return _family(patterns, "alpha_interval", "Krippendorff's alpha, interval", evaluate)


def _family(patterns: Patterns, key: str, name: str, evaluate: Callable[[Floats], Parts]) -> Family:
    compared = patterns.repeats @ (patterns.counts * patterns.paired[:, None])
    reason = reasons.no_pairs(patterns) or reasons.one_answer(patterns, compared)
    return Family((Item(key, name, patterns.sizes(all_votes=False), reason),), evaluate)
