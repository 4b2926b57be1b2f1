"""What the YAML files of the project share: how they are read, and the kinds of values in them."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """Base of every part of a file: unknown keys are mistakes, not extras."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def read_yaml(path: Path) -> Any:
    """The file's values. Raises `OSError`, `UnicodeDecodeError` or `yaml.YAMLError`."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
