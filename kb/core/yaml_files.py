"""What the YAML files of the project share: how they are read, kinds of values, and how faults are told."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """Base of every part of a file: unknown keys are mistakes, not extras."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Rejection:
    """An error in a file, which is not loaded: where it is, and what to correct."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def read_yaml(path: Path) -> Any:
    """The file's values. Raises `OSError`, `UnicodeDecodeError` or `yaml.YAMLError`."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def unreadable(path: Path, error: Exception) -> Rejection:
    """What `read_yaml` raised, as a fault of the file."""
    if isinstance(error, yaml.MarkedYAMLError):
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return Rejection(path, line, f"not readable as YAML: {error.problem}")
    return Rejection(path, 1, f"not readable as YAML: {error}")


def line_of(path: Path, loc: Iterable[int | str]) -> int:
    """The line of the key or list item at `loc`, or of the last part of `loc` that exists; 1 when none does."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    line = 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
            if part not in pairs:
                return line
            key, node = pairs[str(part)]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def repeated_keys(path: Path) -> Iterator[Rejection]:
    """Keys that stand twice in one mapping: YAML would silently take the last."""
    waiting = [yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in node.value:
                waiting.append(value)
                line = key.start_mark.line + 1
                if key.value in seen:
                    yield Rejection(path, line, f"{key.value}: stands in line {seen[key.value]} already: keep one")
                seen.setdefault(key.value, line)


def in_plain_words(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """The errors of a file of this model, each with its place, for who wrote the file and has never seen Pydantic."""
    for details in error.errors():
        context = details.get("ctx", {})
        # A list that is long enough is called too short when its items are wrong: those are told.
        if details["type"] != "too_short" or len(details["input"]) < context["min_length"]:
            yield details["loc"], _told(details, context, model)


def _told(details: ErrorDetails, context: Mapping[str, Any], model: type[BaseModel]) -> str:
    match details["type"]:
        case "extra_forbidden":
            return f"unknown key.{did_you_mean(str(details['loc'][-1]), _keys(model))}"
        case "missing":
            return "is missing"
        case "model_type":
            return "must be keys with values: write `key: value`"
        case "string_type":
            return "must be a text: put it in quotes"
        case "tuple_type":
            return "must be a list: write [one, another]"
        case "too_short":
            return f"give at least {context['min_length']}"
        case "string_pattern_mismatch":
            return f"'{details['input']}' has not the form {context['pattern']}"
        case "value_error":
            return str(context["error"])
        case "literal_error":
            expected = str(context["expected"])
            near = did_you_mean(str(details["input"]), expected.replace(" or ", ", ").replace("'", "").split(", "))
            return f"'{details['input']}' is not {expected}.{near}"
    return details["msg"]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that names the known word nearest to this one; empty if none is near."""
    near = get_close_matches(word, [one for one in known if one != word], n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def _keys(model: type[BaseModel]) -> set[str]:
    schema = model.model_json_schema()
    return {key for part in (schema, *schema.get("$defs", {}).values()) for key in part.get("properties", ())}
