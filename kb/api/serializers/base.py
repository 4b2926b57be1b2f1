"""Base serializer with `?fields=`, fields for texts that may be missing and for page addresses, short references."""

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.db.models import Model
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.http.site import absolute
from kb.models import Source

Read = Callable[[Any], Any]


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

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The keys with their values. A page has thousands: what each field does is found out once."""
        try:
            return {name: read(instance) for name, read in self._reads}
        except serializers.SkipField:
            shown: dict[str, Any] = super().to_representation(instance)
            return shown

    @cached_property
    def _reads(self) -> list[tuple[str, Read]]:
        return [(name, _read_of(field)) for name, field in self.fields.items() if not field.write_only]


def _read_of(field: serializers.Field[Any, Any, Any, Any]) -> Read:
    """What finds a field's value in a row and shows it."""
    find, show = _finding(field), field.to_representation

    def read(instance: Any) -> Any:
        value = find(instance)
        return None if value is None else show(value)

    return read


def _finding(field: serializers.Field[Any, Any, Any, Any]) -> Read:
    """The field's own way to its value; where that is a path of plain attributes, this path."""
    usual: Read = field.get_attribute
    if type(field).get_attribute is not serializers.Field.get_attribute or not field.source_attrs:
        return usual
    path = attrgetter(".".join(field.source_attrs))

    def find(instance: Any) -> Any:
        try:
            value = path(instance)
        except AttributeError:  # A row that is a mapping, or a relation to nothing.
            return usual(instance)
        return usual(instance) if callable(value) else value

    return find


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
        return self._site + path

    @cached_property
    def _site(self) -> str:
        return absolute(self.context["request"], "/").rstrip("/")


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
