"""The JSON shape of what is like a report, as page, API and client show it. Which issues are: `kb.core.search`."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class SimilarMatchData(TypedDict):
    """A known issue, and how surely it is what the report tells of."""

    url: Annotated[str, Field(description="The original issue's address.")]
    page: Annotated[str, Field(description="Address of our page about it.")]
    name: Annotated[str, Field(description="Such as `DeepSpeed#860`.")]
    title: Annotated[str, Field(description="Our own title, else the host's.")]
    framework: Annotated[str, Field(description="Slug of its framework.")]
    described: Annotated[bool, Field(description="Does Faultbook describe it?")]
    same_fault: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Calibrated probability that the same mechanism fails in the same component; null where it is "
            "not known, as while the search index is not ready.",
        ),
    ]
    same_kind: Annotated[
        float | None,
        Field(ge=0, le=1, description="Probability that it is the same fault or one of its kind, worth reading."),
    ]
    reasons: Annotated[list[str], Field(description="What the two share, the most telling first.")]
    line: Annotated[str | None, Field(description="The issue's error line that the report has; null where none.")]
    measures: Annotated[
        dict[str, float], Field(description="What the probabilities rest on, each from 0 to 1; see the documentation.")
    ]
    symptoms: Annotated[list[str], Field(description="Names of its symptoms in the house codebook.")]
    causes: Annotated[list[str], Field(description="Names of its root causes.")]
    fix_line: Annotated[str | None, Field(description="What to do now; null when not stated.")]


class SimilarReportData(TypedDict):
    """What is like a report."""

    matches: Annotated[
        list[SimilarMatchData], Field(description="The most probable first; empty where nothing is near.")
    ]
    frameworks: Annotated[list[str], Field(description="Slugs of the frameworks that the report was taken to be of.")]
    basis: Annotated[str, Field(description="What the probabilities were fitted and measured on.")]
    not_known: Annotated[list[str], Field(description="What would tell more, in sentences.")]
