"""The causes of a diagnosis beside what issues show: names, how often a cause goes with the symptom, what fixes it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb.models import CauseLink, Node
from kb.selectors.cause_links import links_of_node
from kb.selectors.fix_patterns import patterns_of_causes
from kb.selectors.known_signatures import Confirmed
from kb.selectors.playbooks import playbooks

MOST_PLAYBOOKS = 3
# Fewer issues than this are an accident.
LEAST_ISSUES = 2


def likely_causes(
    said: Iterable[Mapping[str, Any]], symptom: str | None, confirmed: Iterable[Confirmed]
) -> list[dict[str, Any]]:
    """The causes with name, address and probability, the best first.

    A probability is of the most trusted source that has counted the cause with the symptom; sources are not pooled.
    First stand causes that staff confirmed for failures of this signature; one that no line speaks for has a likelihood
    of 0. Then the order is by likelihood times (1 + the low end of the probability): counts can lift a cause that the
    lines speak for, but never bring in one that they do not.
    """
    seen = {row.cause.code: row.sentence for row in reversed([*confirmed]) if row.cause is not None}
    causes = _with_confirmed(said, seen)
    if not causes:
        return []
    nodes = {node.code: node for node in _house("root_cause", [cause["code"] for cause in causes])}
    links = _links(symptom)
    named = [_cause(cause, nodes.get(cause["code"]), links.get(cause["code"])) for cause in causes]
    return sorted(named, key=lambda cause: (cause["code"] not in seen, -_worth(cause)))


def _with_confirmed(said: Iterable[Mapping[str, Any]], seen: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """What the lines say, and what was confirmed before: its sentence comes before the lines' reason."""
    causes = {cause["code"]: cause for cause in said}
    for code, sentence in seen.items():
        cause = causes.get(code, {"code": code, "likelihood": 0.0, "why": ""})
        causes[code] = {**cause, "why": f"{sentence} {cause['why']}".strip()}
    return list(causes.values())


def playbooks_of(causes: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Playbooks of the patterns that fixed most issues with these causes: `{name, url, why}`."""
    found: dict[int, dict[str, str]] = {}
    with_playbook = {one.node_id: one for one in playbooks()} if causes else {}
    uses = patterns_of_causes(codes=[cause["code"] for cause in causes]) if with_playbook else {}
    for cause in causes:
        for use in uses.get(cause["code"], ()):
            if use.pattern in with_playbook and use.issues >= LEAST_ISSUES and use.pattern not in found:
                node = with_playbook[use.pattern].node
                why = (
                    f"Of {use.of} issues with the cause “{cause['name']}” and a known fix, {use.issues} were fixed so."
                )
                found[use.pattern] = {"name": node.name, "url": node.get_absolute_url(), "why": why}
        if len(found) >= MOST_PLAYBOOKS:
            break
    return list(found.values())[:MOST_PLAYBOOKS]


def _house(axis: str, codes: Sequence[str]) -> list[Node]:
    return list(Node.objects.house().filter(axis__code=axis, code__in=codes).select_related("axis__scheme"))


def _links(symptom: str | None) -> dict[str, CauseLink]:
    """By a cause's code, the link of the most trusted source."""
    links: dict[str, CauseLink] = {}
    for node in _house("symptom", [symptom]) if symptom else ():
        for source in links_of_node(node=node):
            for row in source.rows:
                links.setdefault(row.other.code, row.link)
    return links


def _cause(cause: Mapping[str, Any], node: Node | None, link: CauseLink | None) -> dict[str, Any]:
    probability = None
    if link is not None:
        probability = {
            "value": link.probability,
            "low": link.probability_low,
            "high": link.probability_high,
            "n": link.symptom_issues,
            "source": link.source.name,
        }
    name, url = (node.name, node.get_absolute_url()) if node else (cause["code"], "")
    return {**cause, "name": name, "url": url, "probability": probability}


def _worth(cause: Mapping[str, Any]) -> float:
    counted = cause["probability"]
    return float(cause["likelihood"]) * (1 + (float(counted["low"]) if counted else 0))
