"""The file of findings that somebody decided to live with: each with a reason and a day until which that holds."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pydantic
import yaml

from kb.core.check.schema import CheckFindingData
from kb.core.yaml_faults import problems_of
from kb.core.yaml_files import Strict, Text, read_yaml


class Ignored(Strict):
    """A finding to ignore, by its `issue` (or its `title`, for versions that do not go together)."""

    issue: Text
    reason: Text
    until: dt.date


class _File(Strict):
    ignore: tuple[Ignored, ...]


class BadIgnoreFileError(Exception):
    """The file cannot be read; the message names lines."""


@dataclass(frozen=True)
class Sifted:
    """The findings that count, those that are ignored, and entries whose day is over."""

    counted: Sequence[CheckFindingData]
    ignored: Sequence[CheckFindingData]
    expired: Sequence[Ignored]


def read_ignored(path: Path) -> tuple[Ignored, ...]:
    """The entries of the file. Raises `BadIgnoreFileError`."""
    try:
        return _File.model_validate(read_yaml(path)).ignore
    except (OSError, UnicodeDecodeError, yaml.YAMLError, pydantic.ValidationError) as error:
        problems = problems_of(error, path, _File)
        raise BadIgnoreFileError("\n".join(f"{path}:{line}: {reason}" for line, reason in problems)) from error


def sifted(found: Sequence[CheckFindingData], entries: Sequence[Ignored], today: dt.date) -> Sifted:
    """The findings without those that are ignored today. What expired counts again."""
    valid = {entry.issue for entry in entries if entry.until >= today}
    names = {name for finding in found for name in (finding["issue"], finding["title"])}
    expired = [entry for entry in entries if entry.issue in names and entry.issue not in valid]
    ignored = [finding for finding in found if valid.intersection((finding["issue"], finding["title"]))]
    return Sifted([finding for finding in found if finding not in ignored], ignored, expired)
