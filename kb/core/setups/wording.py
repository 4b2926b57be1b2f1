"""The words of a finding: where the installed version lies, what fixes it, and what would have to be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kb.core.setups.known_faults import BY, Bound, Row
from kb.core.setups.vocabulary import vocabulary
from kb.core.versions import Allowed

if TYPE_CHECKING:
    from kb.core.setups.judging import Standing


def first_fixed(standing: Standing) -> str:
    """The smallest fixed version above what is installed, or that it has; the last one where that is not known."""
    fixes = standing.versions.fixes
    low = standing.allowed.low if standing.allowed else None
    if not fixes or low is None:
        return str(fixes[-1]) if fixes else ""
    if standing.is_fixed:
        return str(max(version for version in fixes if version <= low))
    return str(next((version for version in fixes if version > low), ""))


def version_reasons(standing: Standing | None) -> Iterator[str]:
    """Where the installed version lies."""
    if standing is None or standing.package is None or standing.allowed is None:
        return
    name = standing.versions.name
    yield f"{name} {standing.allowed.text} ({standing.package.place}) is {_where(standing, standing.allowed)}"
    is_begun = any(row.introduced for row in standing.versions.rows)
    if standing.is_in is None and standing.is_below_fix and not is_begun:
        yield f"the version of {name} that brought the fault is unknown"


def missing_versions(standing: Standing | None) -> Iterator[str]:
    """The version, where it is not known, or not exactly enough."""
    if standing is None:
        return
    if standing.allowed is None:
        yield f"the version of {standing.versions.name}"
    elif standing.allowed.exact is None and standing.is_in is None:
        yield f"the exact version of {standing.versions.name}"


def question(name: str) -> str:
    """What to add, for what a condition misses."""
    kind = vocabulary().get(name)
    if kind is None:
        return name
    return kind.ask if kind.ask.startswith("whether") else f"{kind.ask} ({kind.name})"


def _where(standing: Standing, allowed: Allowed) -> str:
    """By the bounds next to the installed version."""
    if standing.is_fixed:
        return f"{first_fixed(standing)} or later, which has the fix"
    for row in standing.versions.rows:
        since = _since(row, allowed)
        if row.fixed is not None and not allowed.is_from(row.fixed.version):
            return f"{since}older than {row.fixed.version}, the first release with the fix{_by(row.fixed)}"
        if row.last_affected is not None:
            return f"{since}not known to be free of it: {row.last_affected.version} still has it"
    return "a version of a package with this fault; no release with a fix is known"


def _since(row: Row, allowed: Allowed) -> str:
    first = row.introduced
    if first is None or not allowed.is_from(first.version):
        return ""
    return f"{first.version} or later, which has the fault{_by(first)}, and "


def _by(bound: Bound) -> str:
    return f" ({BY[bound.by]})" if bound.by in BY else ""
