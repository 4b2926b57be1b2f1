"""The JSON shape of what is told of a watched run: a diagnosis with one key more."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from kb.core.diagnosis.schema import DiagnosisData


class StallData(TypedDict):
    """A time in which the run stood still, in seconds."""

    noticed: Annotated[float, Field(description="When it was noticed, from the start of the run.")]
    quiet: Annotated[float, Field(description="For how long the run had stood still by then.")]
    limit: Annotated[float, Field(description="How long its own rhythm allowed.")]
    last_step: Annotated[int | None, Field(description="The step that came last; null where it reports none.")]
    again: Annotated[float | None, Field(description="When it moved again, from the start; null if it did not.")]


class WatchData(TypedDict):
    """What was seen from outside."""

    event: Annotated[Literal["stall", "end"], Field(description="What this was written at.")]
    command: Annotated[str, Field(description="As for a shell, with words in the places of secrets; - for a pipe.")]
    exit_code: Annotated[int | None, Field(description="As a shell shows it; null while it runs, and of a pipe.")]
    signal: Annotated[str | None, Field(description="The signal that ended it, such as SIGKILL.")]
    seconds: Annotated[float, Field(description="How long it has run, or ran.")]
    stalls: Annotated[list[StallData], Field(description="In the order of time.")]


class WatchedDiagnosis(DiagnosisData):
    """A diagnosis of a watched run."""

    watch: Annotated[WatchData, Field(description="What was seen from outside.")]
