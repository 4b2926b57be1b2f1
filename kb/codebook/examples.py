"""The issues that a study cites as examples of its categories, from `studies/examples/*.yaml`, read from disk. Pure.

Which of them are held here is asked in `kb.selectors.unheld`.
"""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from kb.codebook.format import Code
from kb.core.yaml_files import Strict, Text, read_yaml

HERE = Path(__file__).parent / "studies" / "examples"
CitedUrl = Annotated[
    str, StringConstraints(pattern=r"^https://github\.com/[\w.-]+/[\w.-]+/(issues|pull|discussions)/\d+$")
]


class Example(Strict):
    """One cited address: the category that the paper gives it, and the one of the same report in its rows."""

    url: CitedUrl
    code: Code
    place: Text = Field(description="Where in the paper.")
    row: Code | None = Field(
        default=None, description="The theme in the study's published rows; none where it is in none."
    )

    @property
    def name(self) -> str:
        """Such as `DeepSpeed#7`."""
        _owner, name, _word, ref = self.url.split("/")[-4:]
        return f"{name}#{ref}"

    @property
    def agrees(self) -> bool:
        """Whether the study's rows say the same theme as its paper."""
        return self.row is not None and self.code.startswith(f"{self.row}.")

    def is_at(self, full_names: Collection[str], ref: str) -> bool:
        """Whether it is this number of a repository with one of these names, in small letters."""
        owner, name, _word, number = self.url.split("/")[-4:]
        return number == ref and f"{owner}/{name}".lower() in full_names


class ExamplesFile(Strict):
    """`studies/examples/*.yaml`: one study's examples."""

    study: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    examples: tuple[Example, ...] = Field(min_length=1)


@cache
def cited() -> dict[str, tuple[Example, ...]]:
    """Every study's examples by its slug. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    files = [ExamplesFile.model_validate(read_yaml(path)) for path in sorted(HERE.glob("*.yaml"))]
    return {file.study: file.examples for file in files}


def examples_of(study: str, code: str) -> tuple[Example, ...]:
    """What a study cites for this category and those below it."""
    return tuple(each for each in cited().get(study, ()) if f"{each.code}.".startswith(f"{code}."))
