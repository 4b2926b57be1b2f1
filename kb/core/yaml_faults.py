"""What is wrong in a YAML file, in words for whoever wrote it, and the line where it is.

Pydantic finds the faults; its own messages speak of types and inputs, which are the programmer's words.
"""

import datetime as dt
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import pydantic
import yaml

Place = tuple[int | str, ...]
PLAIN: Mapping[str, str] = {
    "missing": "is missing",
    "list_type": "must be a list: start each entry with '- ', or write [] for none",
    "tuple_type": "must be a list: start each entry with '- ', or write [] for none",
    "dict_type": "must be keys with values, such as 'key: value'",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "date_type": "is not a date: write it as 2024-01-31",
    "date_parsing": "is not a date: write it as 2024-01-31",
    "date_from_datetime_parsing": "is not a date: write it as 2024-01-31",
    "date_from_datetime_inexact": "has a time of day: write only the date, as 2024-01-31",
    "int_type": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "string_pattern_mismatch": "has a character that may not stand there: '{input}'",
    "too_long": "has {actual_length} entries: keep at most {max_length}",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
}
# YAML's own words, and what usually is wrong then.
YAML_HINTS = (
    ("mapping values are not allowed", "put text with a colon in quotes, or correct the indentation"),
    ("tab character", "indent with blanks, not tabs"),
    ("cannot start any token", "indent with blanks, not tabs; put text that starts with @, % or ` in quotes"),
    ("did not find expected hex", "put text with backslashes in single quotes"),
    ("unknown escape", "put text with backslashes in single quotes"),
    ("expected ',' or '}'", "close the { with a }, and put text with a colon, comma, quote or bracket in quotes"),
    ("expected ',' or ']'", "close the [ with a ], and put text with a colon, comma, quote or bracket in quotes"),
    ("did not find expected", "a bracket or quote is not closed, or a line is not indented as its neighbours"),
    ("found unexpected ':'", "leave a blank after each colon"),
    ("unexpected end of stream", "a quote is not closed"),
)
# What YAML makes of text without quotes.
NOT_TEXT: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (dt.date, "a date"),
)


@dataclass(frozen=True)
class Rejection:
    """An error in a file, which is not loaded: where it is, and what to correct."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class Fault(NamedTuple):
    """What is wrong, and the keys and positions that lead to it."""

    place: Place
    reason: str


class Problem(NamedTuple):
    """What is wrong, and in which line."""

    line: int
    reason: str


def problems_of(error: Exception, path: Path, model: type[pydantic.BaseModel]) -> list[Problem]:
    """Why a file could not be read as a `model`, from the error that reading it raised."""
    if isinstance(error, pydantic.ValidationError):
        return [Problem(line_of(path, fault.place), fault.reason) for fault in faults_of(error, model)]
    if isinstance(error, OSError):
        return [Problem(1, f"cannot be read: {error.strerror}")]
    if isinstance(error, UnicodeDecodeError):
        return [Problem(1, "is not UTF-8: save the file as UTF-8")]
    problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
    hint = next((f" ({hint})" for words, hint in YAML_HINTS if words in problem), "")
    reason = f"not readable as YAML: {problem}{hint}"
    mark = getattr(error, "problem_mark", None)
    return [Problem(mark.line + 1 if mark else 1, reason)]


def faults_of(error: pydantic.ValidationError, model: type[pydantic.BaseModel]) -> Iterator[Fault]:
    """Every fault that was found when a file's values were made a `model`."""
    for details in error.errors():
        place = details["loc"]
        if details["type"] == "too_short" and len(details["input"]) >= details["ctx"]["min_length"]:
            continue  # Its entries are there, and each has its own fault.
        if details["type"] == "extra_forbidden":
            *above, key = place
            known = _keys_at(model, above)
            hint = suggestion(str(key), known) or f"; the keys here are {', '.join(known)}"
            yield Fault(place, f"{named(above) or 'the file'} has an unknown key '{key}'{hint}")
        elif details["type"] == "invalid_key":
            yield Fault(place[:-1], f"{named(place[:-1]) or 'the file'} has an unknown key '{details['input']}'")
        elif details["type"] == "model_type" and details["input"] is not None:
            keys = ", ".join(f"{key}: ..." for key in _keys_at(model, place, required=True))
            yield Fault(place, f"{named(place) or 'the file'} must be keys with values, such as {{{keys}}}")
        elif details["type"] == "value_error":
            yield Fault(place, f"{named(place)}: {details['ctx']['error']}".removeprefix(": "))
        else:
            yield Fault(place, f"{named(place) or 'the file'} {_wording(details['type'], details)}")


def _wording(kind: str, details: Any) -> str:
    """What is wrong with a value, to be read behind its name."""
    value, limits = details["input"], details.get("ctx", {})
    if kind != "missing" and (value is None or (isinstance(value, str) and not value.strip())):
        return "is empty"
    if kind == "string_type":
        for types, name in NOT_TEXT:
            if isinstance(value, types):
                return f"is {name} to YAML: put it in quotes"
        return "must be text, not a list or keys with values"
    if kind == "literal_error":
        known = limits["expected"].replace("'", "").replace(" or ", ", ")
        return f"is not one of: {known}; it is '{value}'"
    if kind in ("string_too_short", "string_too_long"):
        least = limits.get("min_length")
        bound = f"at least {least}" if least else f"at most {limits['max_length']}"
        return f"has {len(value.strip())} characters: write {bound}"
    if kind == "too_short":
        return f"has too few entries: write at least {limits['min_length']}"
    if kind in PLAIN:
        return PLAIN[kind].format(**limits, input=value)
    return f"cannot be read ({details['msg']})"


def named(place: Iterable[int | str]) -> str:
    """A place in words: `labels.symptom.why`, `entry 2 of recognise`. The line says which entry a key belongs to."""
    parts = list(place)
    name = ".".join(part for part in parts if isinstance(part, str))
    return f"entry {parts[-1] + 1} of {name}" if parts and isinstance(parts[-1], int) else name


def suggestion(word: str, known: Collection[str]) -> str:
    """The end of a sentence about an unknown word: the known one that it is most like, if one is."""
    by_small = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_small, n=1)
    return f"; did you mean '{by_small[close[0]]}'?" if close else ""


def _keys_at(model: type[pydantic.BaseModel], place: Iterable[int | str], *, required: bool = False) -> list[str]:
    """The keys that may stand at a place, or must."""
    part_model: type[pydantic.BaseModel] | None = model
    is_mapping = False
    for part in place:
        if not isinstance(part, str) or part_model is None:
            continue
        if is_mapping:
            is_mapping = False  # The part is a key of the file's own.
            continue
        field = part_model.model_fields.get(part)
        part_model = _model_in(field.annotation) if field else None
        is_mapping = field is not None and get_origin(field.annotation) is dict
    fields = part_model.model_fields if part_model else {}
    return [key for key, field in fields.items() if field.is_required() or not required]


def _model_in(annotation: Any) -> type[pydantic.BaseModel] | None:
    """The model in an annotation such as `tuple[Model, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def line_of(path: Path, place: Place) -> int:
    """The line of the key or list item at a place, or of the last part of it that exists; 1 when none does."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    line = 1
    for part in place:
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
