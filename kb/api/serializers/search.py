"""The shapes of the search's short results: rows as `kb.api.search_rows` makes them, documented key by key."""

import datetime as dt
from typing import Annotated

from pydantic import Field
from rest_framework import serializers
from typing_extensions import TypedDict

from kb.api.serializers.base import Shape, SourceKindField
from kb.api.serializers.diagnose import serializer_of
from kb.models import Kind, Source, State
from kb.search import Alike, Piece
from kb.starter import example


class ResultNodeData(TypedDict):
    """A node of the house codebook."""

    code: Annotated[str, Field(description="Code, unique on its axis.")]
    name: Annotated[str, Field(description="Name.")]
    page: Annotated[str, serializers.URLField(help_text="Our page about it.")]


class ResultFixData(TypedDict):
    """What closed the issue."""

    url: Annotated[str, serializers.URLField(help_text="The pull request's or commit's address.")]
    name: Annotated[str, Field(description="Such as `deepspeedai/DeepSpeed#5008`.")]
    lines: Annotated[int | None, Field(description="Lines added and deleted; null when not known.")]
    is_small: Annotated[
        bool | None,
        Field(description="At most 10 changed lines; null when not known."),
    ]


class ResultSourceData(TypedDict):
    """Who holds labels on the issue."""

    slug: Annotated[str, Field(description="Slug of the source.")]
    name: Annotated[str, Field(description="Name.")]
    kind: Annotated[str, SourceKindField()]
    study: Annotated[str | None, Field(description="Short code of the study; null when it is none.")]
    confidence: Annotated[
        str,
        serializers.ChoiceField(
            choices=Source.Confidence.choices, help_text="How far labels of this source can be trusted."
        ),
    ]


class PassagePieceSerializer(Shape):
    """A part of a passage."""

    text = serializers.CharField(help_text="The text, to be joined with its neighbours as it is.")
    is_hit = serializers.BooleanField(help_text="Is it one of the search words?")


class AlikeSerializer(Shape):
    """A word that was looked for, and what stands in its place."""

    wanted = serializers.CharField(help_text="The search.")
    there = serializers.CharField(help_text="The text there.")


class WhyData(TypedDict):
    """Where the search words occur."""

    title: Annotated[tuple[str, ...], Field(description="Words in the title.")]
    elsewhere: Annotated[tuple[str, ...], Field(description="Words near the beginning.")]
    alike: Annotated[tuple[Alike, ...], AlikeSerializer(many=True, help_text="Words found by a synonym.")]


class ResultAnswerData(TypedDict):
    """A record that answers another report besides its own."""

    page: Annotated[str, serializers.URLField(help_text="Our page about it.")]
    name: Annotated[str, Field(description=f"Such as `{example.NAME}`.")]
    title: Annotated[str, Field(description="Title.")]
    fix_line: Annotated[str | None, Field(description="What to do now; null when not stated.")]


class ResultData(TypedDict):
    """An issue at a glance, and why it was found."""

    id: Annotated[int, Field(description="Id of the issue in this database; never changes.")]
    public_id: Annotated[
        str | None, Field(description="Such as `FB-000860`, the same on every server; null where nobody described it.")
    ]
    url: Annotated[str, serializers.URLField(help_text="The original issue's address.")]
    page: Annotated[str, serializers.URLField(help_text="Our page about it.")]
    name: Annotated[str, Field(description=f"Such as `{example.NAME}`.")]
    title: Annotated[str, Field(description="Our own title, else the host's.")]
    framework: Annotated[str, Field(description="Slug of its framework.")]
    framework_name: Annotated[str, Field(description="Name of the framework.")]
    repository: Annotated[str, Field(description="Owner and name of the repository.")]
    kind: Annotated[str, serializers.ChoiceField(choices=Kind.choices, help_text="Whether it is known to be an issue.")]
    state: Annotated[str, serializers.ChoiceField(choices=State.choices, help_text="Open or closed on its host.")]
    opened_at: Annotated[dt.datetime | None, Field(description="When it was opened (UTC).")]
    closed_at: Annotated[dt.datetime | None, Field(description="When it was closed (UTC).")]
    comments: Annotated[int | None, Field(description="Comments on its host; null when not known.")]
    curated: Annotated[bool, Field(description="Does Faultbook describe it?")]
    resolved: Annotated[bool, Field(description="Does Faultbook state its fix?")]
    start: Annotated[str | None, Field(description="How our summary, or else the report, begins.")]
    fix_line: Annotated[str | None, Field(description="What to do now; null when not stated.")]
    certainty: Annotated[
        str | None,
        Field(description="`confirmed`, `likely` or `unsettled`: cause and fix as a whole; null when not stated."),
    ]
    answered_by: Annotated[
        ResultAnswerData | None,
        Field(description="The record that answers this report; mostly null."),
    ]
    symptoms: Annotated[list[ResultNodeData], Field(description="What a person sees.")]
    causes: Annotated[list[ResultNodeData], Field(description="Root causes.")]
    patterns: Annotated[list[ResultNodeData], Field(description="Fix patterns.")]
    suggested: Annotated[
        list[ResultNodeData],
        Field(description="Symptoms that rules suggest where nobody has named any."),
    ]
    fix: Annotated[
        ResultFixData | None,
        Field(description="One fix; null when none is known."),
    ]
    more_fixes: Annotated[int, Field(ge=0, description="How many more fixes are known.")]
    sources: Annotated[list[ResultSourceData], Field(description="Who holds labels on it.")]
    passage: Annotated[
        tuple[Piece, ...],
        PassagePieceSerializer(many=True, help_text="The passage with most of the words; empty without one."),
    ]
    score: Annotated[
        float | None,
        Field(description="What its place rests on, for one search only; null where the order has no scores."),
    ]
    measures: Annotated[
        dict[str, float],
        Field(description="What went into the score, each about 0 to 1 but for `engine`."),
    ]
    why: Annotated[WhyData, Field(description="Where the search words occur.")]


ResultSerializer = serializer_of(ResultData)


class CompletionSerializer(Shape):
    """One way to go on."""

    insert = serializers.CharField(help_text="Replaces the text from `start` to `end`.")
    start = serializers.IntegerField(min_value=0, help_text="Where it begins, in characters (code points).")
    end = serializers.IntegerField(min_value=0, help_text="Where it ends.")
    name = serializers.CharField(help_text="Display text.")
    note = serializers.CharField(allow_null=True, help_text="A short note; null when there is none.")


class CompletionsSerializer(Shape):
    """What the box can offer."""

    completions = CompletionSerializer(many=True, help_text="At most ten, best first.")
