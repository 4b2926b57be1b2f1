"""The causes of a diagnosis beside what issues show: names, how often a cause goes with the symptom, what fixes it."""

from collections.abc import Iterable, Sequence

from kb.core.diagnosis.schema import CauseProbability, DiagnosedCause, FittingPlaybook
from kb.core.knowledge.sources import Confirmed, Known, NodePage

MOST_PLAYBOOKS = 3
# Fewer issues than this are an accident.
LEAST_ISSUES = 2


def likely_causes(
    causes: Iterable[DiagnosedCause], symptom: str | None, confirmed: Sequence[Confirmed], known: Known
) -> list[DiagnosedCause]:
    """The causes with name, address and probability, the best first. `confirmed`: the newest first.

    A probability is of the most trusted source that has counted the cause with the symptom; sources are not pooled.
    First stand causes that staff confirmed for failures of this signature; one that no line speaks for has a likelihood
    of 0. Then the order is by likelihood times (1 + the low end of the probability): counts can lift a cause that the
    lines speak for, but never bring in one that they do not.
    """
    sentences = {row.cause: row.sentence for row in reversed(confirmed) if row.cause}
    by_code = {cause["code"]: cause for cause in causes}
    for code, sentence in sentences.items():
        cause = by_code.get(code, {"code": code, "likelihood": 0.0, "why": ""})
        by_code[code] = {**cause, "why": f"{sentence} {cause['why']}".strip()}
    if not by_code:
        return []
    nodes = known.causes(list(by_code))
    links = known.probabilities(symptom) if symptom else {}
    named = [_named(cause, nodes.get(code), links.get(code)) for code, cause in by_code.items()]

    def order(cause: DiagnosedCause) -> tuple[bool, float]:
        probability = cause["probability"]
        low = probability["low"] if probability else 0.0
        return cause["code"] not in sentences, -cause["likelihood"] * (1 + low)

    return sorted(named, key=order)


def playbooks_of(causes: Sequence[DiagnosedCause], known: Known) -> list[FittingPlaybook]:
    """Playbooks of the patterns that fixed most issues with these causes."""
    if not causes:
        return []
    uses = known.pattern_uses([cause["code"] for cause in causes])
    fitting: dict[str, FittingPlaybook] = {}
    for cause in causes:
        for use in uses.get(cause["code"], ()):
            if use.code in fitting or use.issues < LEAST_ISSUES:
                continue
            why = (
                f"{use.issues} of {use.of} issues with the cause “{cause['name']}” and a known fix were fixed this way."
            )
            fitting[use.code] = {"name": use.name, "url": use.url, "why": why}
            if len(fitting) == MOST_PLAYBOOKS:
                return list(fitting.values())
    return list(fitting.values())


def _named(cause: DiagnosedCause, node: NodePage | None, probability: CauseProbability | None) -> DiagnosedCause:
    name, url = node or NodePage(cause["code"], "")
    return {**cause, "name": name, "url": url, "probability": probability}
