"""What studies claim, beside our numbers."""

from typing import get_args

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.api.serializers.base import PageAddress, Shape, Stated
from kb.charts.claims import Claim, Ours, Part, code_of, verdict_names
from kb.codebook.claims import KINDS, Bound, PlaceFile
from kb.core.intervals import bounds
from kb.http.site import absolute
from kb.models import Trust

VERDICTS = tuple(map(code_of, verdict_names()))


class PublishedValueSerializer(Shape):
    """What a study printed: exactly one of `percent`, `ratio`, `order`, `never` and `number` says it."""

    percent = serializers.FloatField(allow_null=True, help_text="A share in percent.")
    n = serializers.IntegerField(allow_null=True, help_text="Of how many; null where not printed.")
    cases = serializers.IntegerField(allow_null=True, help_text="How many; null where not printed.")
    bound = Stated(help_text=f"One of {', '.join(get_args(Bound))}; null for the value itself.")
    ratio = serializers.FloatField(allow_null=True, help_text="So many to one.")
    order = serializers.ListField(child=serializers.CharField(), help_text="House codes, the most frequent first.")
    any_order = serializers.BooleanField(help_text="Whether the codes of `order` stand in no order.")
    never = serializers.BooleanField(help_text="Whether the study states that it never happens.")
    number = serializers.FloatField(allow_null=True, help_text="A number of the unit.")
    unit = Stated(help_text="The number's unit.")


class CountSerializer(Shape):
    """A count of ours."""

    name = serializers.CharField(help_text="The count in words.")
    issues = serializers.IntegerField(help_text="The number of issues, pull requests left out.")
    issues_url = serializers.SerializerMethodField(help_text="The page with exactly these issues.")

    @extend_schema_field(OpenApiTypes.URI)
    def get_issues_url(self, part: Part) -> str:
        """The absolute address of the issues."""
        return absolute(self.context["request"], f"{reverse('search')}?{part.query}")


class OursSerializer(Shape):
    """Our number beside a claim."""

    text = serializers.CharField(help_text="The number with its interval in words.")
    value = serializers.SerializerMethodField(
        "get_number", help_text="A share between 0 and 1, or a ratio to 1; null for an order."
    )
    low = serializers.SerializerMethodField(help_text="Lower end of its 95 % interval; null without one.")
    high = serializers.SerializerMethodField(help_text="Upper end; null without one, or where it has no end.")
    of = serializers.IntegerField(allow_null=True, help_text="Over how many issues.")
    counts = CountSerializer(source="parts", many=True, help_text="The counts behind it.")
    page = serializers.SerializerMethodField(help_text="Our page with it, where it is no count of issues; else null.")

    def get_number(self, ours: Ours) -> float | None:
        """The number."""
        return _finite(ours.value)

    def get_low(self, ours: Ours) -> float | None:
        """The lower bound."""
        return _finite(bounds(ours.interval)[0])

    def get_high(self, ours: Ours) -> float | None:
        """The upper bound."""
        return _finite(bounds(ours.interval)[1])

    @extend_schema_field({"type": ["string", "null"], "format": "uri"})
    def get_page(self, ours: Ours) -> str | None:
        """The absolute address of the page."""
        return absolute(self.context["request"], ours.page) if ours.page else None


class ServedSerializer(Shape):
    """A page that does what a study asks for."""

    name = serializers.CharField(help_text="Name of the page.")
    page = serializers.SerializerMethodField(help_text="Our page.")

    @extend_schema_field(OpenApiTypes.URI)
    def get_page(self, place: PlaceFile) -> str:
        """The absolute address of the page."""
        return absolute(self.context["request"], place.path)


class ClaimSerializer(Shape):
    """One statement of a study in our own words, with our number now and a verdict."""

    study = serializers.CharField(source="study.slug", help_text="Slug of the study.")
    slug = serializers.CharField(help_text="Unique within the study.")
    kind = serializers.ChoiceField(source="file.kind", choices=KINDS, help_text="What kind of statement it is.")
    says = serializers.CharField(source="file.says", help_text="The statement, in our own words.")
    place = serializers.CharField(source="file.place", help_text="Where the study states it.")
    trust = serializers.ChoiceField(
        source="file.trust", choices=Trust.choices, help_text="How the statement was obtained."
    )
    published_text = Stated(source="published", help_text="What was printed, in words.")
    published = PublishedValueSerializer(
        source="file.published", allow_null=True, help_text="What was printed; null where nothing was."
    )
    measure = serializers.SerializerMethodField(
        help_text="How ours is counted: its kind, and query strings of the issues; null where it cannot be."
    )
    ours = OursSerializer(allow_null=True, help_text="Our number; null where there is none.")
    verdict = serializers.ChoiceField(source="verdict_code", choices=VERDICTS, help_text="What ours says of it.")
    sentence = serializers.CharField(
        source="judgement.sentence", help_text="What the interval allows, or why nothing can be asked."
    )
    why = Stated(source="file.why", help_text="Why ours may differ.")
    served_by = ServedSerializer(source="file.served_by", many=True, help_text="Where this site does what is asked.")
    page = PageAddress()

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": True})
    def get_measure(self, claim: Claim) -> dict[str, str | int] | None:
        """The measure as it is written in the file."""
        return claim.file.measure.model_dump() if claim.file.measure else None


def _finite(value: float | None) -> float | None:
    """None for infinity, which JSON has no word for."""
    return None if value == float("inf") else value
