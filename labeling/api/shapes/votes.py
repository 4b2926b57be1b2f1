"""Issues as annotators see them, and votes that the reader may see."""

from typing import TypedDict

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.shapes.ballots import ChoiceSerializer
from labeling.models import Evidence, Item, Member, Slot, Suggestion, Vote
from labeling.selectors.readers import suggestion_on


class ItemSerializer(serializers.Serializer[Item]):
    """An issue of a round, as it was frozen for everybody."""

    round = serializers.IntegerField(source="round.number", help_text="Number of the round.")
    position = serializers.IntegerField(help_text="Its position in the round's sample.")
    url = serializers.URLField(source="issue.url", help_text="The original issue's address.")
    text_hash = serializers.CharField(
        source="snapshot.text_hash", help_text="SHA-256 of `snapshot` as JSON with sorted keys and no blanks, in UTF-8."
    )
    snapshot = serializers.JSONField(
        source="snapshot.content",
        help_text="What its host says of it: title, body, state, dates, labels, fixes; comments where they are shown. "
        "Secrets are hidden.",
    )


class SuggestionSerializer(serializers.Serializer[Suggestion]):
    """A model's answers, which may be wrong; your vote is what you find yourself."""

    reader = serializers.CharField(source="reader.called", help_text="Name and version of the model.")
    choices = serializers.DictField(
        child=ChoiceSerializer(), source="content", help_text="Axis code -> the model's answer on it."
    )
    shown_at = serializers.DateTimeField(help_text="Since when it is shown to you.")


class SlotSerializer(serializers.Serializer[Slot]):
    """A place that is kept for you."""

    item = ItemSerializer(help_text="The issue to label.")
    reserved_until = serializers.DateTimeField(
        help_text="How long it is reserved for you; after that, others may get it."
    )
    suggestion = serializers.SerializerMethodField(
        help_text="What a model suggests, on the ballots that show it, as on the page; null on all others."
    )

    @extend_schema_field(SuggestionSerializer(allow_null=True))
    def get_suggestion(self, slot: Slot) -> object:
        """Only on one's own place, which is the only one that is ever shown."""
        suggestion = suggestion_on(member=self.context["member"], slot=slot)
        return SuggestionSerializer(suggestion).data if suggestion else None


class EvidenceSerializer(serializers.Serializer[Evidence]):
    """A passage that a vote rests on."""

    part = serializers.CharField(help_text="`title` or `body`.")
    start = serializers.IntegerField(help_text="Its first character, counted from 0 in code points.")
    end = serializers.IntegerField(help_text="The position after its last character.")
    quote = serializers.CharField(help_text="Its words.")
    axis = serializers.CharField(source="axis.code", default="", help_text="Code of the axis it is for; empty: all.")


class ChoiceContent(TypedDict):
    """The answer on one axis as JSON."""

    codes: list[str]
    is_undecidable: bool
    text: str


class VoteSerializer(serializers.Serializer[Vote]):
    """A vote: one person's blind answers about one issue."""

    round = serializers.IntegerField(source="item.round.number", help_text="Number of the round.")
    position = serializers.IntegerField(source="item.position", help_text="The issue's position in the sample.")
    url = serializers.URLField(source="item.subject.url", help_text="The original issue's address.")
    annotator = serializers.CharField(source="member.pseudonym", help_text="The person's pseudonym.")
    is_own = serializers.SerializerMethodField(help_text="Is it yours?")
    receipt = serializers.SerializerMethodField(help_text="Its receipt; null unless it is yours.")
    codebook = serializers.IntegerField(source="codebook.number", help_text="Number of the codebook it is by.")
    choices = serializers.SerializerMethodField(help_text="Axis code -> the answer on it.")
    is_assisted = serializers.BooleanField(
        source="slot.is_assisted", help_text="Did its ballot show a model's answers? Then it is in no agreement."
    )
    confidence = serializers.IntegerField(help_text="1 unsure, 2 fairly sure, 3 sure.")
    note = serializers.CharField(help_text="For the adjudicator.")
    rule_reasons = serializers.DictField(
        child=serializers.CharField(), help_text="Rule across axes -> why the answers break it."
    )
    evidence = EvidenceSerializer(many=True, help_text="Passages that it rests on.")
    active_seconds = serializers.IntegerField(help_text="Working time, without idle time.")
    submitted_at = serializers.DateTimeField(help_text="When it was cast.")

    def get_is_own(self, vote: Vote) -> bool:
        """Whether the reader cast it."""
        return vote.member_id == self._reader.pk

    def get_receipt(self, vote: Vote) -> str | None:
        """Only for whoever cast the vote: it proves it."""
        return vote.receipt if vote.member_id == self._reader.pk else None

    @extend_schema_field(serializers.DictField(child=ChoiceSerializer()))
    def get_choices(self, vote: Vote) -> dict[str, ChoiceContent]:
        """The answers by axis."""
        choices: dict[str, ChoiceContent] = {}
        for answer in vote.answers.all():
            codes = [chosen.version.node.code for chosen in answer.nodes.all()]
            choices[answer.axis.code] = {
                "codes": codes,
                "is_undecidable": answer.is_undecidable,
                "text": answer.text,
            }
        return choices

    @property
    def _reader(self) -> Member:
        reader: Member = self.context["member"]
        return reader
