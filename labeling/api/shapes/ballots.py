"""What somebody fills in: drafts and ballots, as they come in and as they are shown."""

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from labeling.ballots import MOST_EVIDENCE, Ballot, Choice, Passage
from labeling.models import Draft, Pass

MOST_CODES = 100
MOST_TEXT = 20_000
MOST_PLACE = 10_000_000
MOST_SECONDS = 24 * 3600
MOST_REVISION = 2_000_000_000
NAME = RegexValidator(r"^[\w.-]{1,64}\Z", "Use a code of the project.")


class NamedField(serializers.DictField):
    """An object whose keys are codes; keys are kept as they come, so they are checked as they come."""

    def to_internal_value(self, data: Any) -> dict[Any, Any]:
        """The object, if every key could be a code."""
        for key in data if isinstance(data, dict) else ():
            NAME(str(key))
        return dict(super().to_internal_value(data))


class ChoiceSerializer(serializers.Serializer[Any]):
    """The answer on one axis."""

    codes = serializers.ListField(
        child=serializers.CharField(max_length=64), default=list, max_length=MOST_CODES, help_text="Codes of nodes."
    )
    is_undecidable = serializers.BooleanField(default=False, help_text="The report does not say.")
    text = serializers.CharField(
        default="", allow_blank=True, max_length=MOST_TEXT, help_text="The answer in words, or the number."
    )


class PassageSerializer(serializers.Serializer[Any]):
    """A passage of the frozen text that an answer rests on."""

    part = serializers.ChoiceField(choices=["title", "body"], help_text="Which part of the text.")
    start = serializers.IntegerField(
        min_value=0, max_value=MOST_PLACE, help_text="Its first character, counted from 0 in code points."
    )
    end = serializers.IntegerField(
        min_value=1, max_value=MOST_PLACE, help_text="The position after its last character."
    )
    axis = serializers.CharField(
        max_length=30, default="", allow_blank=True, help_text="Code of the axis it is for; empty: for all."
    )


class FilledInSerializer(serializers.Serializer[Any]):
    """What is filled in so far; everything may still be missing."""

    choices = NamedField(child=ChoiceSerializer(), default=dict, help_text="Axis code -> the answer on it.")
    confidence = serializers.IntegerField(
        min_value=1, max_value=3, allow_null=True, default=None, help_text="1 unsure, 2 fairly sure, 3 sure."
    )
    note = serializers.CharField(
        max_length=MOST_TEXT, default="", allow_blank=True, trim_whitespace=False, help_text="For the adjudicator."
    )
    evidence = serializers.ListField(
        child=PassageSerializer(), default=list, max_length=MOST_EVIDENCE, help_text="Passages it rests on."
    )
    rule_reasons = NamedField(
        child=serializers.CharField(max_length=MOST_TEXT, allow_blank=True),
        default=dict,
        help_text="Rule across axes -> why the answers break it anyway.",
    )


class BallotSerializer(FilledInSerializer):
    """A whole ballot: every axis answered."""

    confidence = serializers.IntegerField(
        min_value=1, max_value=3, help_text="How sure: 1 unsure, 2 fairly sure, 3 sure."
    )


class DraftSerializer(serializers.Serializer[Draft]):
    """Your draft on an issue."""

    content = serializers.JSONField(help_text="The draft's content.")
    revision = serializers.IntegerField(
        help_text="Increases with every change of the content, never by time alone; send it with the next one."
    )
    active_seconds = serializers.IntegerField(help_text="Working time, without idle time.")
    updated_at = serializers.DateTimeField(help_text="When it was saved last.")


class DraftSentSerializer(serializers.Serializer[Any]):
    """A draft to be kept."""

    content = FilledInSerializer(help_text="The draft's content.")
    revision = serializers.IntegerField(
        min_value=0, max_value=MOST_REVISION, help_text="The revision you saw last; 0 for the first."
    )
    active_seconds = serializers.IntegerField(
        min_value=0, max_value=MOST_SECONDS, default=0, help_text="Seconds at work since the last save."
    )


class PassSentSerializer(serializers.Serializer[Any]):
    """Why an issue is passed on."""

    kind = serializers.ChoiceField(choices=Pass.Kind.choices, help_text="Skip the issue or flag it for the lead.")
    reason = serializers.CharField(max_length=2_000, help_text="Briefly.")


class PassSerializer(serializers.Serializer[Pass]):
    """An issue that you passed on."""

    kind = serializers.ChoiceField(choices=Pass.Kind.choices, help_text="Skipped, or flagged for the lead.")
    reason = serializers.CharField(help_text="Why.")
    created_at = serializers.DateTimeField(help_text="When.")


def ballot_of(sent: dict[str, Any]) -> Ballot:
    """The ballot in a validated body."""
    choices = {}
    for axis, choice in sent["choices"].items():
        choices[axis] = Choice(tuple(choice["codes"]), choice["is_undecidable"], choice["text"])
    evidence = [Passage(**passage) for passage in sent["evidence"]]
    return Ballot(choices, sent["confidence"], sent["note"], evidence, sent["rule_reasons"])
