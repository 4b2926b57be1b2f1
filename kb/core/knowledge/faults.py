"""Known faults as rows of a data file, and back: texts for versions, nothing for what is not known."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from packaging.version import Version

from kb.core.setups.known_faults import Bound, KnownFault, Row, Severity

BOUNDS = ("introduced", "fixed", "last_affected")
NO_FAULT = KnownFault("", "", ())
TEXTS = tuple(field.name for field in fields(KnownFault) if field.name not in ("rows", "severity", "family"))


def fault_row(fault: KnownFault) -> dict[str, Any]:
    """The fault as it is written."""
    texts = {name: getattr(fault, name) for name in TEXTS if getattr(fault, name) != getattr(NO_FAULT, name)}
    rows = [_range_row(row) for row in fault.rows]
    return {**texts, "severity": fault.severity.value, "family": fault.family, "rows": rows}


def fault_of(values: Mapping[str, Any]) -> KnownFault:
    """The fault that `fault_row` wrote."""
    texts = {name: values[name] for name in TEXTS if name in values}
    rows = tuple(map(_range_of, values["rows"]))
    family = (values["family"][0], values["family"][1])
    return KnownFault(**texts, severity=Severity(values["severity"]), family=family, rows=rows)


def _range_row(row: Row) -> dict[str, Any]:
    values: dict[str, Any] = {"package": row.package, "of_record": row.is_of_record}
    for name in BOUNDS:
        if bound := getattr(row, name):
            values[name] = (str(bound.version), bound.by, bound.evidence)
    if row.oldest is not None:
        values["oldest"] = str(row.oldest)
    if row.reported:
        values["reported"] = [str(version) for version in row.reported]
    return values


def _range_of(values: Mapping[str, Any]) -> Row:
    bounds = {name: Bound(Version(values[name][0]), *values[name][1:]) for name in BOUNDS if name in values}
    return Row(
        package=values["package"],
        is_of_record=values["of_record"],
        oldest=Version(values["oldest"]) if "oldest" in values else None,
        reported=tuple(map(Version, values.get("reported", ()))),
        **bounds,
    )
