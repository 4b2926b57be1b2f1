"""The keys of an index's documents and of the box: `Fields`, `Keys`. `kb/filters/issues.py` declares the filters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

# Key of a filter -> axis of the house codebook.
AXIS_KEYS: Mapping[str, str] = {
    "type": "issue_type",
    "symptom": "symptom",
    "cause": "root_cause",
    "fix": "fix_pattern",
    "stage": "stage",
    "component": "component",
    "hardware": "hardware",
    "theme": "theme",
}
# Keys whose values are codes that a source holds on an issue.
CODE_KEYS = (*AXIS_KEYS, "node")
# Values key of the signals that an issue's own error lines give. Only an index holds them: nobody filters by them.
SIGNAL = "signal"


@dataclass(frozen=True)
class Fields:
    """The keys of one index, in the order of its fields.

    `values`: keys of strings; conditions on them name values, and they can be counted as facets. `numbers`: keys of
    whole numbers; conditions on them are ranges. Dates are days since 1970-01-01 (UTC).
    """

    values: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def indexed(self) -> tuple[str, ...]:
        """All keys of strings."""
        return (*self.values, SIGNAL)


@dataclass(frozen=True)
class Keys:
    """The filters that may stand in the box: their names, and what short forms stand for.

    `shorthands`: `is` or `has` -> word behind the colon -> the key of a filter and its value.
    """

    names: Collection[str] = ()
    shorthands: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)


NO_KEYS = Keys()
