"""The format of the playbooks' files, one for each group of fix patterns, and its checks without a database. Pure."""

import ast
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field, model_validator

from kb.codebook.format import Code, HouseFile, walk
from kb.core.yaml_files import Strict, Text, read_yaml

MOST_LINES, MOST_CHARACTERS = 14, 88
Language = Literal["python", "cpp", "bash", "yaml", "json", "toml", "ini", "dockerfile", "markdown", "text"]
READERS: Mapping[str, Callable[[str], Any]] = {
    "python": ast.parse,
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
}


def _fits_beside(code: str) -> str:
    """The code without surrounding blank lines and trailing spaces. Raises `ValueError` when it is too long or wide."""
    lines = [line.rstrip() for line in code.strip("\n").splitlines()]
    if not any(lines):
        raise ValueError("write some code")
    if len(lines) > MOST_LINES:
        raise ValueError(f"has {len(lines)} lines; {MOST_LINES} at most")
    for line in lines:
        if len(line) > MOST_CHARACTERS:
            raise ValueError(f"a line has {len(line)} characters; {MOST_CHARACTERS} at most: {line.strip()[:30]}")
    return "\n".join(lines)


Side = Annotated[str, AfterValidator(_fits_beside)]


class ExampleFile(Strict):
    """Code or settings of our own before and after the pattern, which differ as little as possible."""

    note: Text = Field(description="What the example shows: one or two sentences.")
    language: Language
    before: Side
    after: Side

    @model_validator(mode="after")
    def shows_a_change(self) -> "ExampleFile":
        """Both sides are valid in their language, and they differ."""
        if self.before == self.after:
            raise ValueError("before and after are the same")
        for name, side in (("before", self.before), ("after", self.after)):
            fault = fault_of(side, self.language)
            if fault:
                raise ValueError(f"{name} is no {self.language}: {fault}")
        return self


def fault_of(code: str, language: str) -> str:
    """The syntax error of the code; empty when it has none, or when we have no parser for the language."""
    reader = READERS.get(language)
    if reader is None:
        return ""
    try:
        reader(code)
    except (SyntaxError, ValueError, yaml.YAMLError) as error:
        return str(error)
    return ""


class PlaybookFile(Strict):
    """A fix pattern's page: when it applies, what to do, what to beware of, and an example."""

    applies_when: Text
    steps: tuple[Text, ...] = Field(min_length=2)
    caveats: tuple[Text, ...] = Field(min_length=1)
    example: ExampleFile


class PlaybooksFile(Strict):
    """`playbooks/*.yaml`: the playbooks of a group of fix patterns by the patterns' codes."""

    playbooks: dict[Code, PlaybookFile] = Field(min_length=1)


def read_playbooks(path: Path) -> dict[str, PlaybookFile]:
    """Read and check one group's playbooks. Raises `pydantic.ValidationError` or `ValueError`."""
    return PlaybooksFile.model_validate(read_yaml(path)).playbooks


def misplaced_playbooks(files: Mapping[str, Iterable[str]], house: HouseFile) -> list[str]:
    """One sentence for each playbook (codes by file name) of no fix pattern, or that another file has, too."""
    (patterns,) = (axis for axis in house.axes if axis.code == "fix_pattern")
    known = {node.code for node, _ in walk(patterns.nodes)}
    owners: dict[str, str] = {}
    problems = []
    for file, codes in files.items():
        for code in codes:
            if code not in known:
                problems.append(f"{file}: {code} is not a fix pattern of the house codebook")
            owner = owners.setdefault(code, file)
            if owner != file:
                problems.append(f"{file}: {code} has a playbook in {owner} already")
    return problems
