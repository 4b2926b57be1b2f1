"""Agreement about one node: each vote either names it or does not, whatever else it names."""

from dataclasses import dataclass

import numpy as np

from labeling.agreement.measure import Coefficient, Family, Item, Parts, corrected, quotient
from labeling.agreement.patterns import Patterns
from labeling.agreement.reasons import no_pairs
from labeling.agreement.votes import Floats


@dataclass(frozen=True)
class NodeAgreement:
    """Agreement about one node.

    `votes` name it, on `units`; the coefficients are over the `compared` of these that have two votes or more.
    `chosen_again` is how often a second vote names it where a first one does.
    """

    code: str
    votes: int
    units: int
    compared: int
    alpha: Coefficient
    ac1: Coefficient
    chosen_again: Coefficient


def node_families(patterns: Patterns) -> list[Family]:
    """Alpha, AC1 and how often a node is chosen again; one item per node each."""
    return [_alpha(patterns), _ac1(patterns), _chosen_again(patterns)]


def gather(patterns: Patterns, measured: list[tuple[Coefficient, ...]]) -> tuple[NodeAgreement, ...]:
    """The results of `node_families`, node by node."""
    named = _named(patterns)
    votes, units = patterns.repeats @ named, patterns.repeats @ (named > 0)
    compared = (patterns.repeats * patterns.paired) @ (named > 0)
    nodes = []
    for at, code in enumerate(patterns.table.nodes):
        alpha, ac1, chosen_again = (family[at] for family in measured)
        nodes.append(NodeAgreement(code, int(votes[at]), int(units[at]), int(compared[at]), alpha, ac1, chosen_again))
    return tuple(nodes)


def _alpha(patterns: Patterns) -> Family:
    """Krippendorff's alpha, nominal, over two values: named or not."""
    named = _named(patterns) * patterns.paired[:, None]
    votes = (patterns.votes * patterns.paired)[:, None]
    columns = np.hstack([votes, named, 2 * named * (votes - named) / patterns.pairs_from[:, None]])
    nodes = named.shape[1]

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        of, name = sums[:, :1], sums[:, 1 : nodes + 1]
        by_chance = quotient(2 * name * (of - name), of * (of - 1))
        return corrected(1 - quotient(sums[:, nodes + 1 :], of), 1 - by_chance)

    items = _items(patterns, "alpha_node", "Krippendorff's alpha, this node or not", all_votes=False)
    return Family(items, evaluate)


def _ac1(patterns: Patterns) -> Family:
    """Gwet's AC1 over two values: named or not."""
    named, votes = _named(patterns), patterns.votes[:, None]
    unnamed = votes - named
    equal = (named * (named - 1) + unnamed * (unnamed - 1)) / (votes * patterns.pairs_from[:, None])
    columns = np.hstack([patterns.paired[:, None], np.ones_like(votes), named / votes, equal])
    nodes = named.shape[1]

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        share = quotient(sums[:, 2 : nodes + 2], sums[:, 1:2])
        return corrected(quotient(sums[:, nodes + 2 :], sums[:, :1]), 2 * share * (1 - share))

    return Family(_items(patterns, "ac1_node", "Gwet's AC1, this node or not", all_votes=True), evaluate)


def _chosen_again(patterns: Patterns) -> Family:
    """The chance that a second vote on a unit names the node if a first one does.

    Fleiss 1971, the conditional probability of a category; with two annotators the positive agreement of Cicchetti and
    Feinstein 1990 (Journal of Clinical Epidemiology 43, 551-558).
    """
    named = _named(patterns) * patterns.paired[:, None]
    columns = np.hstack([named, named * (named - 1) / patterns.pairs_from[:, None]])
    nodes = named.shape[1]

    def evaluate(weights: Floats) -> Parts:
        sums = weights @ columns
        share = quotient(sums[:, nodes:], sums[:, :nodes])
        return Parts(share, share, np.full_like(share, np.nan))

    name, sizes = "Share of votes for it that another vote repeats", patterns.sizes(all_votes=False)
    items = []
    for code, votes in zip(patterns.table.nodes, patterns.repeats @ named, strict=True):
        items.append(Item("chosen_again", name, sizes, no_pairs(patterns) or _never(code, votes)))
    return Family(tuple(items), evaluate)


def _named(patterns: Patterns) -> Floats:
    """Patterns x nodes: how many votes of the row name the node."""
    return patterns.counts @ patterns.membership


def _items(patterns: Patterns, key: str, name: str, *, all_votes: bool) -> tuple[Item, ...]:
    """One item per node; undefined if no vote that can be compared names the node, or if every one does."""
    sizes = patterns.sizes(all_votes=all_votes)
    rows = patterns.repeats if all_votes else patterns.repeats * patterns.paired
    items = []
    for code, votes in zip(patterns.table.nodes, rows @ _named(patterns), strict=True):
        reason = no_pairs(patterns) or _never(code, votes)
        if not reason and votes >= sizes.votes:
            reason = f"Every vote that can be compared names '{code}': agreement beyond chance is undefined."
        items.append(Item(key, name, sizes, reason))
    return tuple(items)


def _never(code: str, votes: float) -> str:
    return "" if votes else f"No vote that can be compared names '{code}'."
