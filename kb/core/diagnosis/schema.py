"""A diagnosis as plain data: what the command prints and other programs rely on. Its shape is versioned."""

from dataclasses import asdict
from typing import Any

from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.signals.catalogue import VERSION
from kb.core.diagnosis.signature import signature

# Raise it when a field goes away or changes its meaning; new fields may come without.
SCHEMA = 1


def as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    """Lists, dicts, texts and numbers alone; `line` counts physical lines from 1, `rank` is a number."""
    data = asdict(diagnosis)
    data["ranks"] = [{"rank": int(one.name), "score": one.score, "why": one.why} for one in diagnosis.ranks]
    sign = signature(diagnosis)
    data["signature"] = asdict(sign) if sign is not None else None
    return {"schema": SCHEMA, "signals_version": VERSION, **data}
