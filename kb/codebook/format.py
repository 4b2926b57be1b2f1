"""What a codebook file and a study file may contain, and the checks that need no database.

Pure: knows YAML's values, not Django. Loading into the database lives in `load.py`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field, StringConstraints, field_validator, model_validator

from kb.core.yaml_files import Strict, Text, read_yaml

Code = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.*-]*$", max_length=64)]
Relation = Literal["exact", "close", "broad", "narrow"]
Trust = Literal["primary", "secondary", "derived", "inferred"]
AxisCode = Literal["issue_type", "symptom", "root_cause", "fix_pattern", "stage", "component", "theme"]
AXIS_CODES: tuple[AxisCode, ...] = get_args(AxisCode)


class NodeFile(Strict):
    """One answer on an axis of the house codebook."""

    code: Code
    name: Text
    definition: Text = Field(description="One sentence.")
    include: tuple[Text, ...] = ()
    exclude: tuple[Text, ...] = ()
    examples: tuple[Text, ...] = Field(default=(), max_length=4)
    aliases: tuple[Text, ...] = ()
    specific_to_distributed: bool | None = None
    status: Literal["active", "retired", "merged"] = "active"
    merged_into: Code | None = None
    children: tuple["NodeFile", ...] = ()

    @field_validator("definition")
    @classmethod
    def one_sentence(cls, value: str) -> str:
        """Refuse a definition that is several sentences: it belongs in the rules."""
        if ". " in value.replace("e.g. ", "").replace("i.e. ", ""):
            raise ValueError("write one sentence; put the rest under include / exclude")
        return value

    @model_validator(mode="after")
    def merged_has_target(self) -> "NodeFile":
        """A merged node names the node that took its place, and only a merged node does."""
        if (self.status == "merged") != (self.merged_into is not None):
            raise ValueError("status 'merged' and merged_into go together")
        return self


class AxisFile(Strict):
    """A question that the scheme answers about an issue."""

    code: AxisCode
    name: Text
    question: Text
    several: bool = Field(default=True, description="May an issue carry several nodes of this axis?")
    rules: tuple[Text, ...] = Field(default=(), description="How to choose, whichever the node.")
    nodes: tuple[NodeFile, ...] = Field(min_length=1)


class HouseFile(Strict):
    """`house.yaml`."""

    scheme: Literal["house"]
    name: Text
    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    axes: tuple[AxisFile, ...] = Field(min_length=len(AXIS_CODES))


class CrosswalkFile(Strict):
    """SKOS mapping of a study's node to a house node, read as: the study's node has a `relation` match `to`."""

    to: Annotated[str, StringConstraints(pattern=r"^[a-z_]+/[A-Za-z0-9][A-Za-z0-9.*-]*$")]
    relation: Relation
    note: Text | None = None


class StudyNodeFile(Strict):
    """One category of a published study: its name, our wording of what it means, what was counted."""

    code: Code
    name: Text
    definition: Text
    definition_by: Literal["us", "paper-paraphrased"] = "us"
    count: int | None = Field(default=None, ge=0)
    percent: float | None = Field(default=None, ge=0, le=100)
    percent_of: Text | None = None
    trust: Trust | None = None
    note: Text | None = None
    crosswalk: tuple[CrosswalkFile, ...] = ()
    no_crosswalk: Text | None = Field(default=None, description="Why this node has no relation to the house codebook.")
    children: tuple["StudyNodeFile", ...] = ()

    @model_validator(mode="after")
    def related_or_reasoned(self) -> "StudyNodeFile":
        """Every study node is related to the house codebook or says why not; a number says how far to trust it."""
        if bool(self.crosswalk) == (self.no_crosswalk is not None):
            raise ValueError(f"{self.code}: give either crosswalk relations or a no_crosswalk reason")
        if (self.count is not None or self.percent is not None) and self.trust is None:
            raise ValueError(f"{self.code}: a count or percent needs a trust mark")
        return self


class StudyAxisFile(Strict):
    """An axis of a published study."""

    code: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")]
    name: Text
    nodes: tuple[StudyNodeFile, ...] = Field(min_length=1)


class FactFile(Strict):
    """One published or recomputed number of a study."""

    name: Text
    value: Text
    trust: Trust
    note: Text | None = None


class StudyFile(Strict):
    """`studies/*.yaml`: a published data set or paper and its scheme."""

    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    code: Code
    title: Text
    authors: Text | None = None
    year: int
    venue: Text | None = None
    url: Text
    doi: Text | None = None
    data_url: Text | None = None
    licence: Text
    sample_total: int | None = Field(default=None, ge=0)
    sample: dict[str, int] = Field(default_factory=dict)
    period: Text | None = None
    method: Text
    completeness: Text
    trust_note: Text
    not_found: tuple[Text, ...] = ()
    facts: tuple[FactFile, ...] = ()
    overlaps: tuple[Text, ...] = Field(default=(), description="Slugs of studies that share issues with this one.")
    axes: tuple[StudyAxisFile, ...] = Field(min_length=1)


AnyNode = TypeVar("AnyNode", NodeFile, StudyNodeFile)


def walk(nodes: tuple[AnyNode, ...], parent: str | None = None) -> Iterator[tuple[AnyNode, str | None]]:
    """Yield every node with its parent's code, parents first."""
    for node in nodes:
        yield node, parent
        yield from walk(node.children, node.code)


def parents_of(house: "HouseFile") -> dict[tuple[str, str], str | None]:
    """Of each (axis, code) that is in use, the code above it."""
    return {
        (axis.code, node.code): parent
        for axis in house.axes
        for node, parent in walk(axis.nodes)
        if node.status == "active"
    }


def read_house(path: Path) -> HouseFile:
    """Read and check the house codebook. Raises `pydantic.ValidationError` or `ValueError`."""
    house = HouseFile.model_validate(read_yaml(path))
    for axis in house.axes:
        refuse_duplicates([node.code for node, _ in walk(axis.nodes)], where=axis.code)
    return house


def read_study(path: Path) -> StudyFile:
    """Read and check one study's file. Raises `pydantic.ValidationError` or `ValueError`."""
    study = StudyFile.model_validate(read_yaml(path))
    refuse_duplicates([node.code for axis in study.axes for node, _ in walk(axis.nodes)], where=study.slug)
    return study


def dangling_crosswalks(study: StudyFile, house: HouseFile) -> list[str]:
    """Return one sentence per crosswalk of `study` that points at no active node of `house`."""
    known = {
        f"{axis.code}/{node.code}" for axis in house.axes for node, _ in walk(axis.nodes) if node.status == "active"
    }
    return [
        f"{study.slug} {node.code}: {relation.to} is not an active node of the house codebook"
        for axis in study.axes
        for node, _ in walk(axis.nodes)
        for relation in node.crosswalk
        if relation.to not in known
    ]


def dangling_overlaps(studies: Sequence[StudyFile]) -> list[str]:
    """Return one sentence per overlap that names no other study of these."""
    slugs = {study.slug for study in studies}
    return [
        f"{study.slug}: overlaps with {other}, which is no other study"
        for study in studies
        for other in study.overlaps
        if other not in slugs - {study.slug}
    ]


def refuse_duplicates(codes: list[str], *, where: str) -> None:
    """Raise `ValueError` naming every code that occurs twice."""
    twice = sorted({code for code in codes if codes.count(code) > 1})
    if twice:
        raise ValueError(f"{where}: code used twice: {', '.join(twice)}")
