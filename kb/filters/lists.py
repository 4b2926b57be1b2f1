"""The filters of every list of the API but issues, which `kb.filters.issues` has. Written and refused like those."""

from collections.abc import Callable, Iterable
from typing import Any

import django_filters as filters
from django.db.models import Q, QuerySet

from kb.filters.filter_types import OneOf, Values, WholeNumber, YesOrNo
from kb.models import Axis, CauseLink, Crosswalk, Fix, Framework, Node, Repository, Scheme, Source

Pairs = Callable[[], Iterable[tuple[str, str]]]


def slug(column: str, model: type[Framework | Scheme | Source], label: str, text: str, **options: Any) -> Values:
    """Values that are slugs of this model."""

    def among() -> Iterable[tuple[str, str]]:
        return model._default_manager.order_by("slug").values_list("slug", "name")

    return Values(column, among=among, noun=model._meta.model_name, label=label, help_text=text, **options)


def node_codes(axis: str = "") -> Pairs:
    """Reads the codes of all schemes' nodes, those of one axis where it is named. One code may have several names."""
    chosen = {"axis__code": axis} if axis else {}
    return lambda: Node.objects.filter(**chosen).order_by("code").values_list("code", "code").distinct()


def axis_codes() -> Iterable[tuple[str, str]]:
    """The code and name of every axis."""
    return Axis.objects.order_by("scheme", "position").values_list("code", "name")


class FixFilter(filters.FilterSet):
    """Filters on fixes."""

    framework = slug("issues__repository__framework__slug", Framework, "Framework", "Framework slug.", distinct=True)
    small = YesOrNo(field_name="is_small", label="Small", help_text="At most 10 changed lines.")
    merged_after = filters.DateFilter(
        field_name="merged_on", lookup_expr="gte", label="Merged on or after", help_text="A date such as `2024-05-31`."
    )
    merged_before = filters.DateFilter(
        field_name="merged_on", lookup_expr="lte", label="Merged on or before", help_text="A date such as `2024-05-31`."
    )

    class Meta:
        model = Fix
        fields: tuple[str, ...] = ()


class NodeFilter(filters.FilterSet):
    """Filters on nodes."""

    scheme = slug("axis__scheme__slug", Scheme, "Scheme", "`house` or a study's slug.")
    axis = Values(
        "axis__code",
        among=axis_codes,
        noun="axis",
        label="Axis",
        help_text="Such as `symptom` or `root_cause`.",
    )
    code = Values("code", among=node_codes(), noun="code", label="Code", help_text="Code of a node, such as `hang`.")
    status = OneOf(choices=Node.Status.choices, label="Status", help_text="`active`, `retired` or `merged`.")
    q = filters.CharFilter(
        method="by_words", max_length=200, label="Words", help_text="In the name, definition or aliases."
    )

    class Meta:
        model = Node
        fields: tuple[str, ...] = ()

    def by_words(self, nodes: QuerySet[Node], _name: str, words: str) -> QuerySet[Node]:
        """Nodes whose name, definition or aliases contain the words."""
        return nodes.filter(
            Q(name__icontains=words)
            | Q(definition__icontains=words)
            | Q(aliases__icontains=words)
            | Q(code__iexact=words)
        )


class CrosswalkFilter(filters.FilterSet):
    """Filters on relations between nodes of two schemes."""

    scheme = slug("from_node__axis__scheme__slug", Scheme, "From scheme", "Slug of the scheme it starts in.")
    relation = OneOf(
        choices=Crosswalk.Relation.choices,
        label="Relation",
        help_text="SKOS mapping relation: `exact`, `close`, `broad` or `narrow`.",
    )
    to_axis = Values(
        "to_node__axis__code",
        among=axis_codes,
        noun="axis",
        label="To axis",
        help_text="Axis it ends on, such as `symptom`.",
    )
    to = Values(
        "to_node__code", among=node_codes(), noun="code", label="To node", help_text="Code of the node it ends at."
    )

    class Meta:
        model = Crosswalk
        fields: tuple[str, ...] = ()


class CauseLinkFilter(filters.FilterSet):
    """Filters on symptom → cause links."""

    source = slug("source__slug", Source, "Source", "Slug of the source of the labels.")
    symptom = Values(
        "symptom__code", among=node_codes("symptom"), noun="symptom", label="Symptom", help_text="Code of the symptom."
    )
    cause = Values(
        "cause__code",
        among=node_codes("root_cause"),
        noun="root cause",
        label="Root cause",
        help_text="Code of the root cause.",
    )
    min_issues = WholeNumber(
        field_name="issues",
        lookup_expr="gte",
        min_value=1,
        max_value=1_000_000,
        label="At least so many issues",
        help_text="Smallest number of issues that must show the pair.",
    )

    class Meta:
        model = CauseLink
        fields: tuple[str, ...] = ()


class RepositoryFilter(filters.FilterSet):
    """Filters on repositories."""

    framework = slug("framework__slug", Framework, "Framework", "Framework slug.")

    class Meta:
        model = Repository
        fields: tuple[str, ...] = ()
