"""Base serializer with `?fields=`, fields for texts that may be missing and for page addresses, short references."""

from typing import Any

from django.db.models import Model
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.http.site import absolute
from kb.models import Source


class Shape(serializers.Serializer[Any]):
    """A read-only shape; the outermost one keeps only the keys that were asked for."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared keys; of the outermost serializer only those in `?fields=`, if given."""
        declared = super().get_fields()
        parent = self.parent
        is_row_of_list = isinstance(parent, serializers.ListSerializer) and parent.parent is None
        wanted: set[str] | None = self.context.get("fields")
        if wanted is None or not (parent is None or is_row_of_list):
            return declared
        return {name: field for name, field in declared.items() if name in wanted}

    @classmethod
    def keys(cls) -> list[str]:
        """The declared keys, in order."""
        return list(cls._declared_fields)


class Stated(serializers.CharField):
    """Text; null when it is not stated."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, **kwargs)

    def to_representation(self, value: Any) -> str | None:  # type: ignore[override]
        """Null instead of an empty text."""
        return value or None


class Slugs(serializers.ListField):
    """The slugs of related rows."""

    child = serializers.CharField()

    def to_representation(self, value: Any) -> list[str]:
        """The slugs in the order of the rows."""
        return [row.slug for row in value.all()]


@extend_schema_field(OpenApiTypes.URI)
class PageAddress(serializers.Field[Any, Any, str, Any]):
    """The absolute address of our page about the row."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("source", "*")
        kwargs.setdefault("help_text", "Our page about it.")
        super().__init__(**kwargs)

    def to_representation(self, value: Model) -> str:
        """The absolute URL of the row's page."""
        path: str = value.get_absolute_url()  # type: ignore[attr-defined]
        return absolute(self.context["request"], path)


class NodeRefSerializer(Shape):
    """A node, in short."""

    scheme = serializers.CharField(source="axis.scheme.slug", help_text="`house`, or the slug of a study's scheme.")
    axis = serializers.CharField(source="axis.code", help_text="Axis of the scheme.")
    code = serializers.CharField(help_text="Code, unique on its axis.")
    name = serializers.CharField(help_text="Name.")
    page = PageAddress()


class SourceKindField(serializers.ChoiceField):
    """How labels came about."""

    def __init__(self) -> None:
        kinds = " ".join(f"`{kind}`: {kind.made}" for kind in Source.Kind)
        super().__init__(Source.Kind.choices, help_text=f"How the label came about, most trusted first. {kinds}")


class SourceRefSerializer(Shape):
    """Who holds a label, in short."""

    slug = serializers.CharField(help_text="Slug of the source.")
    kind = SourceKindField()
    confidence = serializers.ChoiceField(
        choices=Source.Confidence.choices, help_text="How far labels of this source can be trusted."
    )


class IssueRefSerializer(Shape):
    """An issue, in short."""

    id = serializers.IntegerField(help_text="Id of the issue.")
    public_id = Stated(help_text="Such as `FB-000860`; null where nobody described it.")
    url = serializers.URLField(help_text="The original issue's address.")
    title = serializers.CharField(source="display_title", help_text="Our own title, else the host's.")
    page = PageAddress()
