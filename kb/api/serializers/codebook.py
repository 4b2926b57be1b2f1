"""Schemes, nodes, crosswalks, cause links, studies and sources."""

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.api.examples import JsonObject
from kb.api.serializers.base import NodeRefSerializer, PageAddress, Shape, Slugs, SourceRefSerializer, Stated
from kb.codebook.claims import claims_by_study
from kb.http.site import absolute
from kb.models import Crosswalk, Node, Study, Trust
from kb.selectors.codebook import node_issue_count
from kb.selectors.listed import UNITS, published_number


class AxisSerializer(Shape):
    """A question that a scheme answers about an issue."""

    code = serializers.CharField(help_text="Code, unique in its scheme.")
    name = serializers.CharField(help_text="Name.")
    question = Stated(help_text="The question in words; null when not stated.")
    several = serializers.BooleanField(help_text="May an issue carry several nodes of this axis?")
    rules = serializers.ListField(child=serializers.CharField(), help_text="How to choose, whichever the node.")


class SchemeSerializer(Shape):
    """A set of nodes: the house codebook, or one study's categories."""

    slug = serializers.CharField(help_text="`house`, or a study's slug.")
    name = serializers.CharField(help_text="Name.")
    version = serializers.CharField(help_text="Version.")
    is_house = serializers.BooleanField(help_text="Is it our own codebook?")
    study = serializers.CharField(source="study.slug", allow_null=True, help_text="The study it belongs to.")
    axes = AxisSerializer(many=True, help_text="Its axes, in order.")


class PublishedSerializer(Shape):
    """A number that a study published, with how far it can be trusted."""

    count = serializers.IntegerField(allow_null=True, help_text="How many; `counted` says of what.")
    counted = serializers.ChoiceField(
        choices=UNITS,
        help_text="`cases` as the study counts them: reports, records or instances. `phrases` where it labelled no "
        "case with the category and lists short phrases under it.",
    )
    percent = serializers.FloatField(allow_null=True, help_text="Share in percent.")
    percent_of = Stated(help_text="What the share refers to.")
    trust = serializers.ChoiceField(choices=Trust.choices, allow_null=True, help_text="How the number was obtained.")

    def to_representation(self, instance: Node) -> JsonObject | None:  # type: ignore[override]
        """Null when the study published no number."""
        number = published_number(instance)
        if number is None:
            return None
        shown: JsonObject = super().to_representation(number)
        return shown


class NodeSerializer(NodeRefSerializer):
    """One answer on an axis: what it means and where it begins and ends."""

    definition = serializers.CharField(help_text="What it means.")
    include = serializers.ListField(child=serializers.CharField(), help_text="What belongs here.")
    exclude = serializers.ListField(
        child=serializers.CharField(), help_text="What it excludes, and where that belongs."
    )
    examples = serializers.ListField(child=serializers.CharField(), help_text="Examples.")
    aliases = serializers.ListField(child=serializers.CharField(), help_text="Search synonyms.")
    specific_to_distributed = serializers.BooleanField(
        allow_null=True, help_text="Only with several processes or devices? null when not stated."
    )
    status = serializers.ChoiceField(choices=Node.Status.choices, help_text="A node is never deleted.")
    merged_into = NodeRefSerializer(allow_null=True, help_text="Its successor, when merged.")
    parent = NodeRefSerializer(allow_null=True, help_text="The coarser node above it.")
    published = PublishedSerializer(
        source="*", allow_null=True, help_text="What its study published; null when not found."
    )
    note = Stated(help_text="A note on the category or its number.")
    no_crosswalk_reason = Stated(help_text="Why it has no relation to the house codebook.")


class IssuesOfNode(serializers.IntegerField):
    """The number of a node's issues."""

    def to_representation(self, value: Node) -> int:  # type: ignore[override]
        """Counted with the nodes below it."""
        return node_issue_count(node=value)


class NodeDetailSerializer(NodeSerializer):
    """A node with what is below it and how many issues carry it."""

    children = NodeRefSerializer(many=True, help_text="The finer nodes below it.")
    issues = IssuesOfNode(source="*", help_text="Issues that carry it or something below it, excluding pull requests.")


class CrosswalkSerializer(Shape):
    """A SKOS mapping: the first node has a match of this kind in the second."""

    id = serializers.IntegerField(help_text="Id of the relation.")
    from_node = NodeRefSerializer(help_text="A study's category.")
    relation = serializers.ChoiceField(
        choices=Crosswalk.Relation.choices,
        help_text="SKOS: `broad` means that the second node is the broader one, `narrow` the narrower.",
    )
    to_node = NodeRefSerializer(help_text="A node of the house codebook.")
    note = Stated(help_text="A note on the relation.")


class CauseLinkSerializer(Shape):
    """How often a root cause goes with a symptom, within one source. Sources are never pooled."""

    id = serializers.IntegerField(help_text="Id of the link.")
    source = SourceRefSerializer(help_text="Source of the counted labels.")  # type: ignore[assignment]
    symptom = NodeRefSerializer(help_text="What a person sees.")
    cause = NodeRefSerializer(help_text="Why it happens.")
    issues = serializers.IntegerField(help_text="Issues of the source with both.")
    symptom_issues = serializers.IntegerField(help_text="Issues with the symptom and any known cause.")
    cause_issues = serializers.IntegerField(help_text="Issues with the cause and any known symptom.")
    all_issues = serializers.IntegerField(help_text="Issues whose symptom and cause are both known.")
    probability = serializers.FloatField(help_text="P(cause | symptom) = issues / symptom_issues.")
    probability_low = serializers.FloatField(help_text="Lower end of the 95 % interval (Wilson).")
    probability_high = serializers.FloatField(help_text="Upper end of the 95 % interval (Wilson).")
    lift = serializers.FloatField(help_text="Probability over the cause's base rate; 1 means no relation.")
    note = Stated(help_text="A note by staff.")


class SourceSerializer(SourceRefSerializer):
    """Who holds labels and how far to trust them."""

    name = serializers.CharField(help_text="Name.")
    study = serializers.CharField(source="study.slug", allow_null=True, help_text="The study these labels come from.")
    url = Stated(help_text="Where the labels come from.")
    licence = Stated(help_text="Licence of the labels.")
    trust_note = Stated(help_text="How far to trust them, and why.")
    labels = serializers.IntegerField(source="label_count", help_text="Labels held here.")
    issues = serializers.IntegerField(
        source="issue_count", help_text="Issues that carry them, excluding pull requests."
    )


class FactSerializer(Shape):
    """One published or recomputed number of a study."""

    name = serializers.CharField(help_text="What was counted.")
    value = serializers.CharField(help_text="The number as it stands in the study.")
    trust = serializers.ChoiceField(choices=Trust.choices, help_text="How the number was obtained.")
    note = serializers.CharField(allow_null=True, help_text="A note; null when there is none.")


class StudySerializer(Shape):
    """A published data set or paper."""

    slug = serializers.CharField(help_text="Slug.")
    code = serializers.CharField(help_text="Short code, such as `P1`.")
    title = serializers.CharField(help_text="Title.")
    authors = Stated(help_text="Authors; null when not found.")
    year = serializers.IntegerField(help_text="Year of publication.")
    venue = Stated(help_text="Where it was published.")
    url = serializers.URLField(help_text="Where to read it.")
    doi = Stated(help_text="DOI.")
    data_url = Stated(help_text="Where its data is.")
    licence = serializers.CharField(help_text="Licence of its data, or that none is stated.")
    sample_total = serializers.IntegerField(allow_null=True, help_text="Size of its sample.")
    sample = serializers.DictField(child=serializers.IntegerField(), help_text="Size of its sample by framework.")
    period = Stated(help_text="The time its sample covers.")
    method = serializers.CharField(help_text="How its labels were made.")
    completeness = serializers.CharField(help_text="How much of its categories and numbers was found.")
    trust_note = serializers.CharField(help_text="How far its numbers can be trusted.")
    not_found = serializers.ListField(child=serializers.CharField(), help_text="What was looked for and not found.")
    facts = FactSerializer(many=True, help_text="Published numbers, each with its trust mark.")
    scheme = serializers.CharField(source="scheme.slug", allow_null=True, help_text="Slug of its scheme.")
    overlaps = Slugs(help_text="Studies whose samples may share issues.")
    claims = serializers.SerializerMethodField(help_text="The number of its claims.")
    claims_url = serializers.SerializerMethodField(help_text="The list of these claims.")
    tables_url = serializers.SerializerMethodField(help_text="The list of its published tables.")
    imported_issues = serializers.IntegerField(help_text="Reports here that carry its labels, pull requests included.")
    page = PageAddress()

    def get_claims(self, study: Study) -> int:
        """Those that ship."""
        return len(claims_by_study().get(study.slug, ()))

    @extend_schema_field(OpenApiTypes.URI)
    def get_claims_url(self, study: Study) -> str:
        """The list of claims, filtered by the study; of a study without any it is empty."""
        return absolute(self.context["request"], f"{reverse('api-claims')}?study={study.slug}")

    @extend_schema_field(OpenApiTypes.URI)
    def get_tables_url(self, study: Study) -> str:
        """The list of tables."""
        return absolute(self.context["request"], reverse("api-study-tables", args=(study.slug,)))
