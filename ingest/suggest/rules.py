"""What the files in `rules/` may contain, and the checks that need no codebook. Pure: YAML's values, no Django."""

import hashlib
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, model_validator

from kb.codebook.format import Code, refuse_duplicates
from kb.core.yaml_files import Strict, Text, read_yaml

HERE = Path(__file__).parent
FOLDER = HERE / "rules"
# What decides what is suggested; a change of it makes what was measured another program's.
DECIDING = ("decisions.py", "report_parts.py", "suggester.py", "phrases.py")

SuggestedAxis = Literal["issue_type", "symptom", "stage", "component"]
AXES: tuple[SuggestedAxis, ...] = get_args(SuggestedAxis)
Place = Literal["label", "tag", "title", "form", "error", "call", "last_call", "prose"]
Words = tuple[Text, ...]


class Rule(Strict):
    """Words that speak for a node where they stand in a place of the report."""

    name: Code
    why: Text = Field(description="For curators: why these words may be trusted there.")
    place: Place
    node: Code
    words: Words = Field(min_length=1)
    score: float = Field(gt=0, lt=1, description="How strong the evidence is; no probability.")
    unless: Words = Field(default=(), description="Words of the title that make the rule silent.")
    begins: bool = Field(default=False, description="Only where the title begins with one of the words.")
    follows: bool = Field(default=False, description="Only follows from another failure, which counts before it.")


class Aliases(Strict):
    """The names and aliases of all nodes of the axis, where they may speak by themselves."""

    name: Code
    why: Text
    place: Literal["title", "label"]
    score: float = Field(gt=0, lt=1)
    silent: Words = Field(default=(), description="Names and aliases that mean too much or too little there.")


class AxisRules(Strict):
    """One file: how nodes of one axis are suggested."""

    axis: SuggestedAxis
    most: int = Field(ge=1, le=3, description="Suggestions per issue at the most.")
    least: float = Field(gt=0, lt=1, description="Evidence below this score suggests nothing.")
    yields: dict[Code, tuple[Code, ...]] = Field(
        default_factory=dict, description="Node -> nodes beside which it is not suggested, as the codebook says."
    )
    margin: float = Field(default=0, ge=0, lt=1, description="By so much the best must be ahead of the next.")
    aliases: tuple[Aliases, ...] = ()
    rules: tuple[Rule, ...] = ()

    @model_validator(mode="after")
    def names_are_unique(self) -> "AxisRules":
        """A rule is known by its name."""
        names = [aliases.name for aliases in self.aliases] + [rule.name for rule in self.rules]
        refuse_duplicates(names, where=self.axis)
        return self


class FormsFile(Strict):
    """`forms.yaml`: what projects' issue forms say by themselves."""

    boilerplate: Words = Field(description="A line with one of these is nobody's own; a title with one is empty.")
    tags: Words = Field(description="Words that only say what kind of report it is, in brackets or before a colon.")


class RuleBook(Strict):
    """All files, and `version`, which changes with every word of them and with what applies them."""

    version: str
    forms: FormsFile
    axes: tuple[AxisRules, ...]


def read_rules() -> RuleBook:
    """Read and check the rules, one file per axis. Raises `pydantic.ValidationError`, `ValueError` or `OSError`."""
    files = [FOLDER / f"{axis}.yaml" for axis in AXES]
    axes = tuple(AxisRules.model_validate(read_yaml(path)) for path in files)
    for axis, path in zip(axes, files, strict=True):
        if axis.axis != path.stem:
            raise ValueError(f"{path.name} is about the axis {axis.axis}")
    forms = FormsFile.model_validate(read_yaml(FOLDER / "forms.yaml"))
    digest = hashlib.sha256()
    for path in (*files, FOLDER / "forms.yaml", *(HERE / name for name in DECIDING)):
        digest.update(path.read_bytes())
    return RuleBook(version=digest.hexdigest()[:12], forms=forms, axes=axes)
