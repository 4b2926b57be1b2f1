"""What the YAML files of the project share: how they are read, and the kinds of values in them."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """Base of every part of a file: unknown keys are mistakes, not extras."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Loader(yaml.CSafeLoader):
    """Refuses what YAML itself takes, or stumbles over, without saying where."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The node's value. Raises `yaml.constructor.ConstructorError`, also for a date or number that cannot be."""
        try:
            return super().construct_object(node, deep=deep)
        except ValueError as error:
            problem = f"'{node.value}' is no date, time or number that exists: correct it, or put it in quotes"
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The mapping's values. Raises `ConstructorError` for a key that stands twice: YAML would keep the last."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problem = "a key must be plain text: put text that starts with { or [ in quotes"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
            if key.value in seen and key.value != "<<":
                problem = f"'{key.value}' stands here twice: keep one"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def read_yaml(path: Path) -> Any:
    """The file's values. Raises `OSError`, `UnicodeDecodeError` or `yaml.YAMLError`."""
    # A subclass of the safe loader.
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506
