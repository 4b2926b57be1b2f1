"""Writing many rows by one statement that takes them as JSON: the texts of SQL that this needs. Columns are ours."""

from collections.abc import Mapping


def record(columns: Mapping[str, str]) -> str:
    """The columns (name to type) as the definition of a record."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def listed(columns: Mapping[str, str], prefix: str = "") -> str:
    """The columns' names, separated by commas, each after the prefix."""
    return ", ".join(f"{prefix}{name}" for name in columns)
