"""Counting cause links by hand, and what tests of them share."""

from collections import Counter
from itertools import product
from typing import Any

from kb.models import CauseLink, CauseLinkChange, Issue, Kind, Label, Node, Source
from tests.support.factories import make_issue, make_label

Counts = dict[tuple[int, int, int], tuple[int, int, int, int]]


def recounted() -> Counts:
    """(source, symptom, cause) -> the four counts, from the labels alone and without SQL."""
    parents = dict(Node.objects.values_list("pk", "parent_id"))
    pulls = set(Issue.objects.filter(kind=Kind.PULL_REQUEST).values_list("pk", flat=True))
    known: dict[tuple[int, int], dict[str, set[int]]] = {}
    labels = Label.objects.by_people().order_by().values_list("source_id", "issue_id", "node_id", "axis__code")
    for source, issue, node, axis in labels:
        into = known.setdefault((source, issue), {"symptom": set(), "root_cause": set()}).get(axis)
        step: int | None = node
        while into is not None and step is not None and issue not in pulls:
            into.add(step)
            step = parents[step]
    pairs, nodes, totals = Counter[tuple[int, int, int]](), Counter[tuple[int, int]](), Counter[int]()
    for (source, _), said in known.items():
        if all(said.values()):
            totals[source] += 1
            nodes.update((source, node) for node in said["symptom"] | said["root_cause"])
            pairs.update((source, *pair) for pair in product(said["symptom"], said["root_cause"]))
    return {(s, y, c): (n, nodes[s, y], nodes[s, c], totals[s]) for (s, y, c), n in pairs.items()}


def stored() -> Counts:
    rows = CauseLink.objects.order_by().values_list(
        "source_id", "symptom_id", "cause_id", "issues", "symptom_issues", "cause_issues", "all_issues"
    )
    return {(s, y, c): (n, sn, cn, total) for s, y, c, n, sn, cn, total in rows}


def both(pair: tuple[Node, Node], source: Source | None = None, **fields: Any) -> Issue:
    """An issue that has both."""
    issue = make_issue(**fields)
    for node in pair:
        make_label(issue, node, source)
    return issue


def noted() -> list[tuple[int, int | None]]:
    return list(CauseLinkChange.objects.order_by("pk").values_list("source_id", "issue_id"))
