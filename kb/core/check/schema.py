"""The JSON shape of a check: what page, API and command show. The API's serializers are derived from these types."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from kb.core.setups.judging import Verdict

SeverityName = Literal["silent", "hang", "crash", "setup", "other"]
KindName = Literal["issue", "incompatibility"]


class CheckFindingData(TypedDict):
    """A known fault, and what it means for the set-up."""

    issue: Annotated[str, Field(description="Address of the report, or of the table that says it.")]
    page: Annotated[str, Field(description="Path of its page here, or empty.")]
    kind: Annotated[KindName, Field(description="A reported fault, or versions that do not go together.")]
    title: Annotated[str, Field(description="What goes wrong.")]
    symptom: Annotated[str, Field(description="How it shows, by the house codebook; empty when not stated.")]
    severity: Annotated[
        SeverityName,
        Field(description="`silent`: a wrong result without an error. Then `hang`, `crash`, `setup` and `other`."),
    ]
    verdict: Annotated[
        Verdict,
        Field(
            description="`affects`: the version is in range and every condition holds. `may`: nothing excludes it, "
            "something is unknown. `fixed`: the installed version has the fix."
        ),
    ]
    weak: Annotated[
        bool, Field(description="Little points at it: only the version, or whether that has the fault is unknown.")
    ]
    package: Annotated[str, Field(description="The package with the fault; empty where no version is known.")]
    installed: Annotated[str, Field(description="Its version or requirement in the set-up; empty when unknown.")]
    first_fixed: Annotated[str, Field(description="First version above it with the fix; empty when unknown.")]
    reasons: Annotated[list[str], Field(description="What decided, each with its file and line.")]
    unknown: Annotated[list[str], Field(description="What to add for a certain answer.")]
    advice: Annotated[list[str], Field(description="What to change now: a version, a setting, a workaround.")]
    proof: Annotated[list[str], Field(description="Links that show the versions.")]
    file: Annotated[str, Field(description="Where the package was read; empty when it was not.")]
    line: Annotated[int | None, Field(description="Its line, from 1.")]


class CheckSourceData(TypedDict):
    """A text that was read."""

    name: Annotated[str, Field(description="Its name.")]
    form: Annotated[str, Field(description="What it was recognised as; empty when it was not.")]
    note: Annotated[str, Field(description="What to know about it.")]


class CheckCountsData(TypedDict):
    """How many findings there are, and how many faults were looked at."""

    affects: Annotated[int, Field(ge=0, description="Faults that affect the set-up.")]
    may: Annotated[int, Field(ge=0, description="Faults that may.")]
    weak: Annotated[int, Field(ge=0, description="Those of them that little points at.")]
    fixed: Annotated[int, Field(ge=0, description="Faults that the installed versions have fixed.")]
    faults: Annotated[int, Field(ge=0, description="Known faults that were compared.")]
    packages: Annotated[int, Field(ge=0, description="Packages that were read.")]


class CheckData(TypedDict):
    """The answer of a check."""

    findings: Annotated[
        list[CheckFindingData],
        Field(description="Known faults, the most pressing first; of `weak` and of `fixed` ones the first hundred."),
    ]
    looked_at: Annotated[list[CheckSourceData], Field(description="What was read.")]
    not_known: Annotated[list[str], Field(description="What this answer does not cover.")]
    counts: Annotated[CheckCountsData, Field(description="Numbers of findings.")]
