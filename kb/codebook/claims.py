"""The format of a file of claims: what one study found or advises, and how our number beside it is counted. Pure.

A claim has a `measure` or says why it `cannot` have one. Codes, frameworks and filters are checked by
`kb.codebook.claim_checks`; numbers of ours are counted by `kb.charts.claims`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints, model_validator

from kb.codebook.format import Code, StudyFile, Trust, refuse_duplicates
from kb.core.yaml_files import Strict, Text, read_yaml

ClaimKind = Literal["finding", "share", "challenge", "recommendation", "optimization", "requirement", "accuracy"]
Bound = Literal["at_least", "at_most", "about"]
By = Literal["symptom", "cause", "fix", "stage", "component", "theme", "type", "hardware"]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
# A query string with the filters of a search; empty for every issue.
Query = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^([^?\s]\S*)?$", max_length=500)]
HERE = Path(__file__).parent
KINDS: tuple[ClaimKind, ...] = get_args(ClaimKind)


class PublishedFile(Strict):
    """What the study printed: exactly one of a percentage, a ratio to 1, an order of codes, "never", a number."""

    percent: float | None = Field(default=None, ge=0, le=100)
    n: int | None = Field(default=None, ge=1, description="Of how many.")
    cases: int | None = Field(default=None, ge=0)
    bound: Bound | None = None
    ratio: float | None = Field(default=None, gt=0, description="So many to one.")
    order: tuple[Code, ...] = Field(default=(), description="House codes, the most frequent first.")
    any_order: bool = False
    never: bool = False
    number: float | None = None
    unit: Text | None = None

    @model_validator(mode="after")
    def one_value(self) -> "PublishedFile":
        """One value, with what belongs to it alone."""
        given = [name for name in ("percent", "ratio", "number") if getattr(self, name) is not None]
        given += [name for name in ("order", "never") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError("published: give exactly one of percent, ratio, order, never, number")
        for name, owners in BELONGS.items():
            if getattr(self, name) not in (None, False) and given[0] not in owners:
                raise ValueError(f"published: {name} does not go with {given[0]}")
        if self.cases is not None and self.n is not None and self.cases > self.n:
            raise ValueError("published: more cases than n")
        if (self.number is None) != (self.unit is None):
            raise ValueError("published: number and unit go together")
        refuse_duplicates(list(self.order), where="published order")
        return self

    @property
    def value(self) -> str:
        """The name of the one value."""
        if self.order:
            return "order"
        if self.never:
            return "never"
        return "percent" if self.percent is not None else "ratio" if self.ratio is not None else "number"


BELONGS = {
    "n": ("percent", "never", "order", "ratio", "number"),
    "cases": ("percent",),
    "bound": ("percent", "ratio", "number"),
    "any_order": ("order",),
    "unit": ("number",),
}


class ShareMeasure(Strict):
    """How many issues of `base` are also `part`."""

    kind: Literal["share"]
    base: Query
    part: Query


class RatioMeasure(Strict):
    """How many issues of `base` are `first` for each that is `second`."""

    kind: Literal["ratio"]
    base: Query
    first: Query
    second: Query


class OrderMeasure(Strict):
    """The `top` uppermost codes of an axis that most issues of `base` carry."""

    kind: Literal["order"]
    base: Query
    by: By
    top: int = Field(ge=1, le=10)


class CauseMeasure(Strict):
    """How often the symptom alone tells the group of the cause."""

    kind: Literal["symptom_tells_cause"]


class EvaluationMeasure(Strict):
    """A figure of our own measured evaluation."""

    kind: Literal["evaluation"]
    of: Literal["diagnosis"]
    name: Literal[
        "f1",
        "precision",
        "recall",
        "hit_1",
        "node_top_1",
        "node_top_3",
        "node_top_5",
        "node_top_8",
        "below_error_share",
    ]


Measure = Annotated[
    ShareMeasure | RatioMeasure | OrderMeasure | CauseMeasure | EvaluationMeasure, Field(discriminator="kind")
]
# What may be printed beside a number of ours of each kind.
BESIDE = {
    "share": ("percent", "never"),
    "ratio": ("ratio",),
    "order": ("order",),
    "symptom_tells_cause": ("percent",),
    "evaluation": ("percent", "number"),
}


class PlaceFile(Strict):
    """A page of this site that does what a study asks for."""

    path: Annotated[str, StringConstraints(pattern=r"^/[^\s]*$")]
    name: Text


class ClaimFile(Strict):
    """One statement of a study in our own words."""

    slug: Slug
    kind: ClaimKind
    says: Text = Field(description="One sentence.")
    place: Text = Field(description="Where the study states it.")
    trust: Trust
    published: PublishedFile | None = Field(default=None, description="Left out where nothing is printed.")
    measure: Measure | None = None
    why: Text | None = Field(default=None, description="Why ours may differ.")
    cannot: Text | None = Field(default=None, description="Why no number of ours can be compared with it.")
    served_by: tuple[PlaceFile, ...] = ()

    @model_validator(mode="after")
    def asked_or_reasoned(self) -> "ClaimFile":
        """A measure that fits what is printed and says why ours may differ, or a reason for having none."""
        if (self.measure is None) == (self.cannot is None):
            raise ValueError(f"{self.slug}: give either a measure or a reason in cannot")
        if (self.measure is None) != (self.why is None):
            raise ValueError(f"{self.slug}: why goes with every measure, and with nothing else")
        if self.measure and self.published:
            if self.published.value not in BESIDE[self.measure.kind]:
                raise ValueError(
                    f"{self.slug}: the measure {self.measure.kind} cannot be compared with {self.published.value}"
                )
            if isinstance(self.measure, OrderMeasure) and self.measure.top != len(self.published.order):
                raise ValueError(f"{self.slug}: top is {self.measure.top}, the order has {len(self.published.order)}")
        return self

    @property
    def anchor(self) -> str:
        """Its place on the study's page."""
        return f"claim-{self.slug}"


class ClaimsFile(Strict):
    """`studies/claims/*.yaml`: what one study claims."""

    study: Slug
    claims: tuple[ClaimFile, ...] = Field(min_length=1)


def read_claims(path: Path) -> ClaimsFile:
    """Read and check one file. Raises `pydantic.ValidationError` or `ValueError`."""
    file = ClaimsFile.model_validate(read_yaml(path))
    refuse_duplicates([claim.slug for claim in file.claims], where=f"claims of {file.study}")
    return file


def misplaced_claims(files: Sequence[ClaimsFile], studies: Sequence[StudyFile]) -> Iterator[str]:
    """One sentence for each file of no study, or of one that has another file already."""
    known = {study.slug for study in studies}
    seen: set[str] = set()
    for file in files:
        if file.study not in known:
            yield f"claims of {file.study}: there is no such study"
        if file.study in seen:
            yield f"claims of {file.study}: in more than one file"
        seen.add(file.study)


@cache
def claims_by_study() -> Mapping[str, tuple[ClaimFile, ...]]:
    """The claims that ship, by the slug of their study: they are in no table of the database."""
    files = [read_claims(path) for path in sorted(HERE.glob("studies/claims/*.yaml"))]
    return {file.study: file.claims for file in files}
