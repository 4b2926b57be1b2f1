"""The formats of the codebook's file and of a study's file, and their checks that need no database. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field, StringConstraints, field_validator, model_validator

from kb.core.yaml_files import Strict, Text, read_yaml

Code = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.*-]*$", max_length=64)]
Relation = Literal["exact", "close", "broad", "narrow"]
Trust = Literal["primary", "secondary", "derived", "inferred"]
AxisCode = Literal["issue_type", "symptom", "root_cause", "fix_pattern", "stage", "component", "hardware", "theme"]
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
        """Refuse a definition of several sentences: the others belong in the rules."""
        if ". " in value.replace("e.g. ", "").replace("i.e. ", ""):
            raise ValueError("write one sentence; put the rest under include / exclude")
        return value

    @model_validator(mode="after")
    def merged_has_target(self) -> "NodeFile":
        """A merged node names its successor, and no other node does."""
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
    """SKOS mapping of a study's node to a house node: the study's node has a `relation` match in `to`."""

    to: Annotated[str, StringConstraints(pattern=r"^[a-z_]+/[A-Za-z0-9][A-Za-z0-9.*-]*$")]
    relation: Relation
    note: Text | None = None


class StudyNodeFile(Strict):
    """One category of a published study: its name, its meaning in our words, the published numbers."""

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
        """A study's node has a crosswalk or a reason for having none; a number has a trust mark."""
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
    """The parent's code of each active (axis, code)."""
    parents: dict[tuple[str, str], str | None] = {}
    for axis in house.axes:
        for node, parent in walk(axis.nodes):
            if node.status == "active":
                parents[axis.code, node.code] = parent
    return parents


def read_house(path: Path) -> HouseFile:
    """Read and check the house codebook. Raises `pydantic.ValidationError` or `ValueError`."""
    house = HouseFile.model_validate(read_yaml(path))
    for axis in house.axes:
        refuse_duplicates([node.code for node, _ in walk(axis.nodes)], where=axis.code)
    return house


def read_study(path: Path) -> StudyFile:
    """Read and check one study's file. Raises `pydantic.ValidationError` or `ValueError`."""
    study = StudyFile.model_validate(read_yaml(path))
    refuse_duplicates([node.code for node in study_nodes(study)], where=study.slug)
    return study


def study_nodes(study: StudyFile) -> Iterator[StudyNodeFile]:
    """All categories of a study, parents first."""
    for axis in study.axes:
        for node, _ in walk(axis.nodes):
            yield node


def dangling_crosswalks(study: StudyFile, house: HouseFile) -> list[str]:
    """One sentence for each crosswalk of the study to something else than an active house node."""
    active = {f"{axis}/{code}" for axis, code in parents_of(house)}
    problems = []
    for node in study_nodes(study):
        for relation in node.crosswalk:
            if relation.to not in active:
                problems.append(f"{study.slug} {node.code}: {relation.to} is not an active node of the house codebook")
    return problems


def dangling_overlaps(studies: Sequence[StudyFile]) -> list[str]:
    """One sentence for each overlap with something else than another of these studies."""
    slugs = {study.slug for study in studies}
    problems = []
    for study in studies:
        for other in study.overlaps:
            if other == study.slug or other not in slugs:
                problems.append(f"{study.slug}: overlaps with {other}, which is not another study")
    return problems


def refuse_duplicates(codes: list[str], *, where: str) -> None:
    """Raise `ValueError` with every code that occurs more than once."""
    duplicates = sorted(code for code, count in Counter(codes).items() if count > 1)
    if duplicates:
        raise ValueError(f"{where}: code used twice: {', '.join(duplicates)}")
