"""What each tool takes. The descriptions are read by models: short, and ours alone."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_QUERY, MOST_SETUP, MOST_LOG = 20_000, 1_000_000, 5_000_000
MOST_ROWS, FEW_ROWS = 20, 5

Framework = Annotated[
    str | None,
    Field(max_length=60, description="Only this framework, such as deepspeed, megatron-lm, vllm, transformers."),
]


class Arguments(BaseModel):
    """Nothing else is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    more: Annotated[bool, Field(description="A longer answer, up to 8,000 tokens.")] = False

    @property
    def is_long(self) -> bool:
        """Whether the answer may be long."""
        return self.more


class SearchFaults(Arguments):
    """Words, an error line or a stack trace."""

    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_QUERY),
        Field(description="What goes wrong: everyday words, or the error line itself."),
    ]
    framework: Framework = None
    symptom: Annotated[
        str | None, Field(max_length=60, description="Only this symptom, such as hang, crash, oom, wrong-result.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many faults; above 5 the answer is long.")] = (
        FEW_ROWS
    )
    cursor: Annotated[str | None, Field(pattern=r"^[0-9]{1,4}$", description="`next_cursor` of the last answer.")] = (
        None
    )

    @property
    def is_long(self) -> bool:
        """Whether the answer may be long."""
        return self.more or self.limit > FEW_ROWS


class GetFault(Arguments):
    """One fault."""

    id: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=400),
        Field(description="An id from an answer, such as FB-000860, an issue's web address, or owner/name#number."),
    ]


class DiagnoseLog(Arguments):
    """A failed run's log."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_LOG, description="The log, or its end, as it is.")]


class CheckSetup(Arguments):
    """A set-up, before it runs."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_SETUP,
            description="Output of pip freeze or collect_env, requirements, a lock file, a configuration or command.",
        ),
    ]


class LikelyCauses(Arguments):
    """A symptom."""

    symptom: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=60),
        Field(description="Code or name of a symptom, such as hang, crash, oom, slow."),
    ]
    framework: Framework = None
