"""The label audit: checks whether the annotators of a label set look independent, and the set consistent.

A panel in, findings out, without Django (but for `kb.audit.cached`). What each check is and is not: `docs/audit.md`.
"""

from kb.audit import (
    counts,
    dissent,
    dissenters,
    final_labels,
    host_labels,
    kinds,
    order,
    pairs,
    prevalence,
    repeats,
    spread,
)
from kb.audit.findings import Check, Finding, Line, Reading, Share, Table, Verdict
from kb.audit.panels import Panel
from kb.core.chances import holm

__all__ = ["Finding", "Line", "Share", "Table", "Verdict", "audit"]

LEVEL = 0.05
CHECKS: tuple[Check, ...] = (
    dissent.check,
    final_labels.check,
    pairs.check,
    dissenters.check,
    spread.check,
    counts.check,
    order.check,
    prevalence.check,
    kinds.check,
    host_labels.check,
    repeats.check,
)


def audit(panel: Panel) -> tuple[Finding, ...]:
    """Every check of the panel; together those with a chance accuse an honest one in at most 5 % (Holm)."""
    readings = [check(panel) for check in CHECKS]
    adjusted_chances = iter(holm([reading.p for reading in readings if reading.p is not None]))
    findings = []
    for reading in readings:
        adjusted = None if reading.p is None else next(adjusted_chances)
        findings.append(_finding(reading, adjusted))
    return tuple(findings)


def _finding(reading: Reading, adjusted: float | None) -> Finding:
    verdict, sentence = reading.alarm, reading.quiet
    if adjusted is not None and adjusted <= LEVEL:
        sentence = reading.loud
    elif adjusted is not None:
        verdict = Verdict.FINE
    return Finding(reading.about, verdict, sentence, reading.measured, reading.p, adjusted, reading.tables)
