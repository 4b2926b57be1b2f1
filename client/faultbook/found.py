"""The JSON shape of a search's answer."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class FoundFault(TypedDict):
    """A known fault."""

    id: Annotated[str, Field(description="Its public id, which holds everywhere; empty for what has none.")]
    name: Annotated[str, Field(description="Short name of the report.")]
    title: Annotated[str, Field(description="What goes wrong.")]
    url: Annotated[str, Field(description="Where it was reported.")]
    page: Annotated[str, Field(description="Its page at the server that the data is of; may be empty.")]
    framework: Annotated[str, Field(description="The framework's name.")]
    symptoms: Annotated[list[str], Field(description="Names of its symptoms.")]
    causes: Annotated[list[str], Field(description="Names of its causes.")]
    fix_line: Annotated[str, Field(description="What to do now; may be empty.")]
    certainty: Annotated[str, Field(description="How sure cause and fix are; empty for reports without a record.")]
    why: Annotated[list[str], Field(description="Why it was found.")]


class FoundData(TypedDict):
    """The answer of a search."""

    query: Annotated[str, Field(description="What was looked for.")]
    is_close: Annotated[bool, Field(description="False when nothing found comes near to it.")]
    total: Annotated[int, Field(ge=0, description="How many faults match.")]
    faults: Annotated[list[FoundFault], Field(description="The best ones, the best first.")]
