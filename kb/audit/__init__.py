"""The label audit: do the annotators of a label set look independent, and does the set say what it seems to say?

Pure: a panel in, findings out. What each check is and is not: `docs/audit.md`.
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
from kb.audit.chances import holm
from kb.audit.findings import Check, Finding, Line, Reading, Share, Table, Verdict
from kb.audit.panels import Panel

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
    tested = [one for one in readings if one.p is not None]
    adjusted = dict(zip(map(id, tested), holm([one.p for one in tested if one.p is not None]), strict=True))
    return tuple(_weighed(one, adjusted.get(id(one))) for one in readings)


def _weighed(one: Reading, adjusted: float | None) -> Finding:
    is_loud = adjusted is not None and adjusted <= LEVEL
    verdict = one.alarm if is_loud or adjusted is None else Verdict.FINE
    said = one.loud if is_loud else one.quiet
    return Finding(one.about, verdict, said, one.measured, one.p, adjusted, one.tables)
