"""How labels became known: answers of labeling projects, and the two readings of a curated record."""

from rest_framework import serializers

from kb.api.examples import JsonObject
from kb.api.serializers.base import NodeRefSerializer, Shape, SourceRefSerializer, Stated
from kb.models import Issue, Node, Provenance, Source
from kb.selectors.issues import became_known


class VotedAnswerSerializer(Shape):
    """One of the answers that were voted for."""

    answer = serializers.CharField(help_text="The answer in words.")
    votes = serializers.IntegerField(help_text="How many gave it.")

    def to_representation(self, instance: tuple[str, int]) -> JsonObject:
        """The pair that `Provenance.answers` holds, as an object."""
        return dict(zip(self.keys(), instance, strict=True))


class ChainNodes(serializers.ListField):
    """The nodes of an answer."""

    child = NodeRefSerializer()

    def get_attribute(self, instance: Provenance) -> list[Node]:
        """The nodes of the labels that the answer led to."""
        answer = (instance.source_id, instance.axis_id)
        return [label.node for label in instance.issue.labels.all() if (label.source_id, label.axis_id) == answer]


class ChainSerializer(Shape):
    """How a labeling project came to its answer to one question: from independent votes to the outcome."""

    axis = serializers.CharField(source="axis.code", help_text="Axis of the house codebook.")
    nodes = ChainNodes(help_text="The answer; empty when the report does not say.")
    report_does_not_tell = serializers.BooleanField(
        source="is_undecidable", help_text="Is the answer that the report does not say?"
    )
    source = SourceRefSerializer(help_text="Who holds the answer.")  # type: ignore[assignment]
    project = serializers.CharField(help_text="Name of the labeling project.")
    round = serializers.CharField(help_text="Name of the round that was voted in.")
    rule = serializers.CharField(help_text="By what rule votes were to become an answer.")
    codebook = serializers.IntegerField(help_text="Version of the project's codebook.")
    votes = serializers.IntegerField(help_text="How many voted, each blind to the others.")
    support = serializers.IntegerField(help_text="How many of them gave exactly this answer.")
    answers = VotedAnswerSerializer(many=True, help_text="Every answer with its number of votes, the most first.")
    agreement = serializers.FloatField(
        allow_null=True, help_text="Share of pairs of votes that are equal; null below two."
    )
    posts = serializers.IntegerField(help_text="Contributions to the discussion.")
    revised = serializers.IntegerField(help_text="How many changed their answer in it.")
    how = serializers.ChoiceField(choices=Provenance.How.choices, help_text="What settled it.")
    cause = Stated(help_text="Why votes differed, in the adjudicator's eyes; null when not stated.")
    reason = Stated(help_text="The adjudicator's reason; null when not stated.")
    decided_on = serializers.DateField(help_text="Day of the decision (UTC).")
    confidence = serializers.ChoiceField(
        choices=Source.Confidence.choices,
        help_text="How far this answer can be trusted, by the agreement in its round and its own votes.",
    )
    is_pilot = serializers.BooleanField(help_text="Was it decided in a pilot round?")
    is_from_file = serializers.BooleanField(
        help_text="Were the votes cast elsewhere and imported, so not made blind here?"
    )
    release = Stated(help_text="The newest frozen release that holds it; null when there is none.")
    people = serializers.ListField(
        child=serializers.CharField(), help_text="Who worked on it and let their names be shown."
    )


class Chains(serializers.ListField):
    """How labeling projects came to their answers, by project and question."""

    child = ChainSerializer()

    def get_attribute(self, instance: Issue) -> list[Provenance]:
        """The answers of all projects."""
        answers: list[Provenance] = []
        for project in became_known(instance):
            answers += project.answers
        return answers


class ReadAnswersSerializer(Shape):
    """What two readers of a curated record answered to one question."""

    axis = serializers.CharField(help_text="Axis of the house codebook.")
    first = serializers.ListField(child=serializers.CharField(), help_text="Codes of the record as first written.")
    second = serializers.ListField(child=serializers.CharField(), help_text="Codes of the second, blind reader.")
    why = Stated(help_text="Why what is kept was kept; null where both say the same and no later reading changed it.")


class TwoReadingsSerializer(Shape):
    """Two passes over a curated record by automated readers (language models); its labels are what was settled."""

    read_on = serializers.DateField(help_text="Day of the second reading.")
    read_extent = serializers.CharField(help_text="How much of the thread the second reader saw.")
    is_pilot = serializers.BooleanField(help_text="Was it before the codebook's rules were corrected?")
    answers = ReadAnswersSerializer(many=True, help_text="By axis; those that all left open are not listed.")
