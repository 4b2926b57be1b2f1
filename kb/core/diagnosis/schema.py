"""The JSON shape of a diagnosis: what page, API, command and clients read, and what shared results and jobs store.

The API's serializers are derived from these types: a description here is the one in the API's documentation, and the
order of keys is the documented one. Keys that are not required are added by `kb.diagnose`, or are missing in results
that were stored before there were such keys.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from kb.core.diagnosis.report import Fault, Helps, Verdict

# Raise it when a field goes away or changes its meaning; new fields may come without.
# 2: `indicated` is true of the first line of each event alone. In 1 it was true of its repeats and its traceback, too.
SCHEMA = 2

EventRole: TypeAlias = Literal["first", "root", "follows", "other"]
RowKind: TypeAlias = Literal["rank", "node", "file"]

# `from` is a keyword: it cannot be written as a field of a class.
_Stretch = TypedDict("_Stretch", {"from": Annotated[float, Field(description="Where it begins.")]})


class NearbyLine(TypedDict):
    """A line around one that matters."""

    line: Annotated[int, Field(ge=1, description="Physical line, from 1.")]
    text: Annotated[str, Field(description="The line, cut where it is very long.")]


class DiagnosedLine(TypedDict):
    """A line that matters."""

    file: Annotated[str, Field(description="The file's name, within an archive with the archive's before it.")]
    line: Annotated[int, Field(ge=1, description="Physical line, from 1.")]
    text: Annotated[str, Field(description="The line, cut where it is very long.")]
    role: Annotated[str, Field(description="What it is to the failure: `root`, `cascade`, `repeat`, ...")]
    score: Annotated[float, Field(description="How much speaks for it; it means something within one diagnosis only.")]
    signal: Annotated[str | None, Field(description="The signal of the catalogue that knows it.")]
    indicated: Annotated[bool, Field(description="It says what failed first: one line of each event.")]
    why: Annotated[list[str], Field(description="What speaks for and against it.")]
    context: NotRequired[
        Annotated[list[NearbyLine], Field(description="Up to three lines before and after, for the first lines.")]
    ]


class DiagnosedNode(TypedDict):
    """A node that may be at fault."""

    name: Annotated[str, Field(description="Its name in the log.")]
    score: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    why: Annotated[str, Field(description="What speaks for it.")]


class DiagnosedRank(TypedDict):
    """A rank that may be at fault."""

    rank: Annotated[int, Field(ge=0, description="Global rank.")]
    score: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    why: Annotated[str, Field(description="What speaks for it.")]


class CauseProbability(TypedDict):
    """How often issues with the run's symptom have this cause."""

    value: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    low: Annotated[float, Field(ge=0, le=1, description="Low end of the 95 % interval (Wilson).")]
    high: Annotated[float, Field(ge=0, le=1, description="High end of it.")]
    n: Annotated[int, Field(ge=1, description="How many issues with the symptom it rests on.")]
    source: Annotated[str, Field(description="Who counted; sources are never pooled.")]


class DiagnosedCause(TypedDict):
    """A likely root cause."""

    code: Annotated[str, Field(description="Code in the house codebook.")]
    name: NotRequired[Annotated[str, Field(description="Its name; the code, where the knowledge base was not asked.")]]
    url: NotRequired[Annotated[str, Field(description="Path of its page, or empty.")]]
    probability: NotRequired[Annotated[CauseProbability | None, Field(description="Null where nobody counted it.")]]
    likelihood: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Share of the signals' scores, no frequency; 0 where only staff confirmed it before.",
        ),
    ]
    why: Annotated[str, Field(description="What speaks for it.")]


class TimelineEvent(TypedDict):
    """Lines that stand out, close to each other."""

    at: Annotated[float, Field(description="Where on the scale.")]
    role: Annotated[EventRole, Field(description="What they are.")]
    file: Annotated[str, Field(description="File of the first of them.")]
    line: Annotated[int, Field(ge=1, description="Line of the first of them.")]
    count: Annotated[int, Field(ge=1, description="How many there are.")]


class TimelineRow(TypedDict):
    """What somebody wrote that stands out."""

    name: Annotated[str, Field(description="Empty for the row of all the others.")]
    kind: Annotated[RowKind, Field(description="What the name is of.")]
    members: Annotated[int, Field(ge=1, description="How many the row stands for.")]
    first: Annotated[float, Field(description="Where it is first known to have written.")]
    last: Annotated[float, Field(description="Where it is last known to have written.")]
    lines: Annotated[int, Field(ge=0, description="How many lines it wrote.")]
    events: Annotated[list[TimelineEvent], Field(description="At most 400 in all rows.")]
    behind: Annotated[bool, Field(description="It stopped at an earlier iteration than the others.")]
    suspect: Annotated[bool, Field(description="It is among the suspects.")]


class Pause(_Stretch):
    """A stretch without a line."""

    until: Annotated[float, Field(description="Where it ends.")]


class Timeline(_Stretch):
    """What happened when, and to whom."""

    unit: Annotated[
        Literal["seconds", "lines"],
        Field(description="The scale: seconds since 1970, or lines where no clock is written."),
    ]
    until: Annotated[float, Field(description="Where it ends.")]
    onset: Annotated[float | None, Field(description="Where what failed first stands.")]
    bins: Annotated[int, Field(description="Into how many parts the scale is divided.")]
    pauses: Annotated[list[Pause], Field(description="The longest stretches without a line.")]
    rows: Annotated[list[TimelineRow], Field(description="At most 24.")]


class KnownIssue(TypedDict):
    """A known issue that is like the failure."""

    title: Annotated[str, Field(description="Its title.")]
    url: Annotated[str, Field(description="Path of its page here.")]
    source_url: Annotated[str, Field(description="Where it was reported.")]
    relation: NotRequired[
        Annotated[
            Literal["confirmed", "same_error", "same_kind"],
            Field(description="Confirmed by staff for this failure; the same error line; or the same kind of failure."),
        ]
    ]
    why: Annotated[str, Field(description="What speaks for it.")]
    score: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    resolution: Annotated[str, Field(description="What fixed it, in short; empty where not known.")]
    fix_url: Annotated[str, Field(description="Its fix, or empty.")]
    fix_line: NotRequired[Annotated[str, Field(description="What to do now, in one sentence; empty where not stated.")]]
    certainty: NotRequired[
        Annotated[
            str,
            Field(description="How sure its cause and fix are: confirmed, likely, unsettled; empty where not stated."),
        ]
    ]


class FittingPlaybook(TypedDict):
    """A playbook of a common fault, or of a fix pattern for faults with such causes."""

    name: Annotated[str, Field(description="The fault, or the fix pattern.")]
    url: Annotated[str, Field(description="Path of its page here.")]
    why: Annotated[str, Field(description="Why it fits: the line that failed, or how often it fixed such faults.")]


class SignatureData(TypedDict):
    """What failed first, the same in every run with this failure."""

    version: Annotated[int, Field(description="Of the rule that makes keys: those of two versions differ.")]
    key: Annotated[str, Field(description="The same for the same failure.")]
    text: Annotated[str, Field(description="What the key was made from, for people.")]


class RightShareData(TypedDict):
    """How often something was told right on logs that nobody had seen."""

    value: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    low: Annotated[float, Field(ge=0, le=1, description="Low end of the 95 % interval (Wilson).")]
    high: Annotated[float, Field(ge=0, le=1, description="High end of it.")]
    n: Annotated[int, Field(ge=1, description="How many logs it rests on.")]


class RecurrenceData(TypedDict):
    """Whether the failure came before, in earlier jobs."""

    of: Annotated[int, Field(ge=1, description="How many earlier jobs that failed were compared.")]
    same: Annotated[int, Field(ge=0, description="How many of them have the same signature.")]
    last: Annotated[str | None, Field(description="Name of the newest of these; null where there is none.")]


class RestartData(TypedDict):
    """Whether to start the run again."""

    fault: Annotated[Fault, Field(description="What is at fault; none where the run was only ended.")]
    helps: Annotated[Helps, Field(description="Is a restart likely to help?")]
    without: Annotated[list[str], Field(description="Nodes to leave out.")]
    why: Annotated[str, Field(description="What it rests on, and what to do.")]
    right: Annotated[
        RightShareData | None, Field(description="How often this fault was told right; null: not measured.")
    ]
    recurs: NotRequired[
        Annotated[RecurrenceData | None, Field(description="Null where no earlier failed jobs are known.")]
    ]


class StackEntry(TypedDict):
    """A framework that the log names."""

    slug: Annotated[str, Field(description="As the knowledge base has it, where it has it.")]
    name: Annotated[str, Field(description="Its name.")]
    version: Annotated[str | None, Field(description="Null where the log does not tell it.")]


class DiagnosisData(TypedDict):
    """A diagnosis."""

    schema: Annotated[int, Field(description="Version of this shape; raised when a key changes its meaning.")]
    signals_version: Annotated[int, Field(description="Number of the catalogue of signals, made from its content.")]
    verdict: Annotated[Verdict, Field(description="What the logs show of the run.")]
    sentence: Annotated[str, Field(description="The verdict in a sentence.")]
    lines: Annotated[
        list[DiagnosedLine],
        Field(description="What failed first, then what else stands out, then repeats and tracebacks."),
    ]
    nodes: Annotated[list[DiagnosedNode], Field(description="Suspect nodes, most suspect first.")]
    ranks: Annotated[list[DiagnosedRank], Field(description="Suspect ranks, most suspect first.")]
    stage: Annotated[str | None, Field(description="Where in the run it failed, such as `init` or `train`.")]
    iteration: Annotated[int | None, Field(description="The iteration that was under way.")]
    symptom: Annotated[str | None, Field(description="Symptom of the run, such as `crash` or `hang`.")]
    symptom_code: Annotated[str | None, Field(description="The symptom's code in the house codebook.")]
    causes: Annotated[list[DiagnosedCause], Field(description="Likely causes, best first.")]
    checks: Annotated[list[str], Field(description="What to check next.")]
    restart: NotRequired[
        Annotated[RestartData | None, Field(description="Whether to start it again; null where nothing failed.")]
    ]
    recorded: Annotated[list[str], Field(description="What collectives show, by dumps of theirs or watchdogs.")]
    unknown: Annotated[list[str], Field(description="What was not read, or what the logs cannot tell.")]
    stats: Annotated[dict[str, int], Field(description="What was read: files, lines, templates, emitters.")]
    stack: NotRequired[Annotated[list[StackEntry], Field(description="The frameworks that the log names.")]]
    is_of_models: NotRequired[
        Annotated[bool, Field(description="False for the log of something else, such as a web server or a build.")]
    ]
    signature: Annotated[SignatureData | None, Field(description="What failed first; null without a failure.")]
    issues: NotRequired[
        Annotated[list[KnownIssue], Field(description="At most eight known issues like it, the nearest first.")]
    ]
    playbooks: NotRequired[
        Annotated[
            list[FittingPlaybook],
            Field(description="Playbooks of the failure itself, then at most three that fit the causes."),
        ]
    ]
    timeline: NotRequired[
        Annotated[Timeline | None, Field(description="What happened when; null where nothing tells.")]
    ]
