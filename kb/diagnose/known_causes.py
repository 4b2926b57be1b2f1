"""The causes of a diagnosis beside what issues show: names, how often a cause goes with the symptom, what fixes it."""

from collections.abc import Iterable, Sequence

from kb.core.diagnosis.schema import CauseProbability, DiagnosedCause, FittingPlaybook
from kb.models import CauseLink, Node
from kb.selectors.cause_links import links_of_node
from kb.selectors.fix_patterns import patterns_of_causes
from kb.selectors.known_signatures import Confirmed
from kb.selectors.playbooks import playbooks

MOST_PLAYBOOKS = 3
# Fewer issues than this are an accident.
LEAST_ISSUES = 2


def likely_causes(
    causes: Iterable[DiagnosedCause], symptom: str | None, confirmed: Sequence[Confirmed]
) -> list[DiagnosedCause]:
    """The causes with name, address and probability, the best first. `confirmed`: the newest first.

    A probability is of the most trusted source that has counted the cause with the symptom; sources are not pooled.
    First stand causes that staff confirmed for failures of this signature; one that no line speaks for has a likelihood
    of 0. Then the order is by likelihood times (1 + the low end of the probability): counts can lift a cause that the
    lines speak for, but never bring in one that they do not.
    """
    sentences = {row.cause.code: row.sentence for row in reversed(confirmed) if row.cause is not None}
    by_code = {cause["code"]: cause for cause in causes}
    for code, sentence in sentences.items():
        cause = by_code.get(code, {"code": code, "likelihood": 0.0, "why": ""})
        by_code[code] = {**cause, "why": f"{sentence} {cause['why']}".strip()}
    if not by_code:
        return []
    nodes = {node.code: node for node in house_nodes("root_cause", list(by_code))}
    links = _links_by_cause(symptom)
    named = [_named(cause, nodes.get(code), links.get(code)) for code, cause in by_code.items()]

    def order(cause: DiagnosedCause) -> tuple[bool, float]:
        probability = cause["probability"]
        low = probability["low"] if probability else 0.0
        return cause["code"] not in sentences, -cause["likelihood"] * (1 + low)

    return sorted(named, key=order)


def playbooks_of(causes: Sequence[DiagnosedCause]) -> list[FittingPlaybook]:
    """Playbooks of the patterns that fixed most issues with these causes."""
    if not causes:
        return []
    pages = {page.node_id: page for page in playbooks()}
    if not pages:
        return []
    uses = patterns_of_causes(codes=[cause["code"] for cause in causes])
    fitting: dict[int, FittingPlaybook] = {}
    for cause in causes:
        for use in uses.get(cause["code"], ()):
            if use.pattern in fitting or use.pattern not in pages or use.issues < LEAST_ISSUES:
                continue
            node = pages[use.pattern].node
            why = (
                f"{use.issues} of {use.of} issues with the cause “{cause['name']}” and a known fix were fixed this way."
            )
            fitting[use.pattern] = {"name": node.name, "url": node.get_absolute_url(), "why": why}
            if len(fitting) == MOST_PLAYBOOKS:
                return list(fitting.values())
    return list(fitting.values())


def house_nodes(axis: str, codes: Sequence[str]) -> list[Node]:
    """The house codebook's nodes with these codes."""
    return list(Node.objects.house().filter(axis__code=axis, code__in=codes).select_related("axis__scheme"))


def _links_by_cause(symptom: str | None) -> dict[str, CauseLink]:
    """By a cause's code, the link of the most trusted source."""
    links: dict[str, CauseLink] = {}
    for node in house_nodes("symptom", [symptom]) if symptom else ():
        for source in links_of_node(node=node):
            for row in source.rows:
                links.setdefault(row.other.code, row.link)
    return links


def _named(cause: DiagnosedCause, node: Node | None, link: CauseLink | None) -> DiagnosedCause:
    name, url = cause["code"], ""
    if node is not None:
        name, url = node.name, node.get_absolute_url()
    probability: CauseProbability | None = None
    if link is not None:
        probability = {
            "value": link.probability,
            "low": link.probability_low,
            "high": link.probability_high,
            "n": link.symptom_issues,
            "source": link.source.name,
        }
    return {**cause, "name": name, "url": url, "probability": probability}
