"""The facts that conditions speak of and readers fill: `vocabulary.yaml`, read once."""

from functools import cache
from pathlib import Path
from typing import Literal

from kb.core.setups.facts import Value
from kb.core.versions import as_version
from kb.core.yaml_files import Strict, Text, read_yaml

VOCABULARY = Path(__file__).with_name("vocabulary.yaml")

Kind = Literal["bool", "int", "number", "version", "text"]


class FactKind(Strict):
    """What pages call a fact, what it may be, what it means, and what is asked for when it is not known."""

    name: Text
    type: Kind | tuple[Text, ...]
    meaning: Text
    ask: Text

    def problem_with(self, value: Value) -> str:
        """Why the value cannot be this fact's; empty if it can."""
        if isinstance(self.type, tuple):
            return "" if value in self.type else f"is one of {', '.join(self.type)}"
        if self.type == "bool":
            return "" if isinstance(value, bool) else "is true or false: write the name alone, or not before it"
        if self.type == "version":
            is_version = isinstance(value, str) and as_version(value) is not None
            return "" if is_version else 'is a version: write it in quotes, such as "2.3"'
        if self.type == "text":
            return "" if isinstance(value, str) and value == value.lower() else "is text in lower case"
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return "" if is_number else "is a number"


class _Vocabulary(Strict):
    facts: dict[str, FactKind]


@cache
def vocabulary() -> dict[str, FactKind]:
    """All facts by name. Raises `pydantic.ValidationError` if the file is wrong, which a test would have told."""
    return _Vocabulary.model_validate(read_yaml(VOCABULARY)).facts
