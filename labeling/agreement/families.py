"""Percent agreement, Fleiss' kappa, Gwet's AC1 and Krippendorff's alpha over all annotators.

Each is a family of one coefficient: sums over the rows of a table, then arithmetic on the sums. For all but alpha with
a set distance, sets of nodes are either equal or not.
"""

import numpy as np

from labeling.agreement import reasons
from labeling.agreement.distances import Distance
from labeling.agreement.measure import Family, Item, Parts, corrected, quotient
from labeling.agreement.patterns import Patterns
from labeling.agreement.votes import Floats

ALPHA_NAMES: dict[Distance, str] = {
    "nominal": "Krippendorff's alpha",
    "jaccard": "Krippendorff's alpha, Jaccard distance",
    "masi": "Krippendorff's alpha, MASI distance",
}


def percent(patterns: Patterns) -> Family:
    """The share of a unit's pairs of votes that are equal, averaged over units with two votes or more.

    Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition, chapter 2; with as many votes on every unit, the
    same as over all pairs.
    """
    columns = _agreement_columns(patterns)

    def evaluate(weights: Floats) -> Parts:
        observed = _observed(weights @ columns)
        return Parts(observed, observed, np.full_like(observed, np.nan))

    item = Item("percent", "Percent agreement", patterns.sizes(all_votes=False), reasons.no_pairs(patterns))
    return Family((item,), evaluate)


def fleiss(patterns: Patterns) -> Family:
    """Fleiss' kappa (Fleiss 1971, Psychological Bulletin 76, 378-382): every unit has as many votes."""
    general = fleiss_varying(patterns)
    (item,) = general.items
    reason = reasons.no_pairs(patterns) or reasons.uneven(patterns) or item.reason
    return Family((Item("fleiss", "Fleiss' kappa", item.sizes, reason),), general.evaluate)


def fleiss_varying(patterns: Patterns) -> Family:
    """Fleiss' kappa for units with different numbers of votes (Gwet 2014, chapter 2).

    Agreement is averaged over units with two votes or more, an answer's share over units with one or more. With as
    many votes on every unit it is Fleiss' kappa.
    """
    columns = np.hstack([_agreement_columns(patterns), _share_columns(patterns)])

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        shares = quotient(sums[:, 3:], sums[:, 2:3])
        return corrected(_observed(sums), (shares**2).sum(axis=1, keepdims=True))

    reason = reasons.no_pairs(patterns) or reasons.one_answer(patterns, patterns.repeats @ patterns.counts)
    name = "Fleiss' kappa for varying numbers of votes"
    return Family((Item("fleiss_varying", name, patterns.sizes(all_votes=True), reason),), evaluate)


def ac1(patterns: Patterns) -> Family:
    """Gwet's AC1 (Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48).

    Votes may be missing; averages are over units as for `fleiss_varying`. The categories are the answers in the table.
    """
    columns = np.hstack([_agreement_columns(patterns), _share_columns(patterns)])
    totals = patterns.repeats @ patterns.counts
    others = max(1, int((totals > 0).sum()) - 1)

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        shares = quotient(sums[:, 3:], sums[:, 2:3])
        return corrected(_observed(sums), (shares * (1 - shares)).sum(axis=1, keepdims=True) / others)

    reason = reasons.no_pairs(patterns) or reasons.one_answer(patterns, totals)
    return Family((Item("ac1", "Gwet's AC1", patterns.sizes(all_votes=True), reason),), evaluate)


def alpha(patterns: Patterns, distance: Distance) -> Family:
    """Krippendorff's alpha (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections C and D).

    Votes may be missing; those on a unit without another vote are left out. `expected` is 1 minus the disagreement
    expected by chance.
    """
    apart = patterns.distances(distance)
    counts = patterns.counts * patterns.paired[:, None]
    differing = ((counts @ apart) * counts).sum(axis=1) / patterns.pairs_from
    columns = np.hstack([differing[:, None], counts])

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        answers = sums[:, 1:]
        votes = answers.sum(axis=1, keepdims=True)
        by_chance = ((answers @ apart) * answers).sum(axis=1, keepdims=True)
        return corrected(1 - quotient(sums[:, :1], votes), 1 - quotient(by_chance, votes * (votes - 1)))

    reason = reasons.no_pairs(patterns) or reasons.one_answer(patterns, patterns.repeats @ counts)
    item = Item(f"alpha_{distance}", ALPHA_NAMES[distance], patterns.sizes(all_votes=False), reason)
    return Family((item,), evaluate)


def _agreement_columns(patterns: Patterns) -> Floats:
    """Per row: the share of equal pairs, whether there are pairs, and 1."""
    equal = (patterns.counts * (patterns.counts - 1)).sum(axis=1) / (patterns.votes * patterns.pairs_from)
    return np.stack([equal, patterns.paired, np.ones_like(equal)], axis=1)


def _share_columns(patterns: Patterns) -> Floats:
    """Per row: each answer's share of the votes."""
    return patterns.counts / patterns.votes[:, None]


def _observed(sums: Floats) -> Floats:
    return quotient(sums[:, :1], sums[:, 1:2])
