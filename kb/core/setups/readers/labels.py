"""The labels of environment dumps, and the packages that are known by name: `labels.yaml`, read once."""

from functools import cache
from pathlib import Path

from kb.core.yaml_files import Strict, read_yaml

LABELS = Path(__file__).with_name("labels.yaml")


class Labels(Strict):
    """What `labels.yaml` holds."""

    packages: dict[str, str]
    facts: dict[str, str]
    marks: dict[str, str]


@cache
def labels() -> Labels:
    """The labels. Raises `pydantic.ValidationError`."""
    return Labels.model_validate(read_yaml(LABELS))
