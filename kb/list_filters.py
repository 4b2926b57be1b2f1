"""The filters of every list of the API but issues, which `kb.filters` has. Written and refused like those."""

from collections.abc import Callable, Iterable

import django_filters as filters
from django.db.models import Q, QuerySet

from kb.filter_fields import OneOf, Values, WholeNumber, YesOrNo
from kb.models import Axis, CauseLink, Crosswalk, Fix, Framework, Node, Repository, Scheme, Source

Pairs = Callable[[], Iterable[tuple[str, str]]]


def slugs_of(model: type[Framework | Scheme | Source]) -> Pairs:
    """Reads the slug and name of each row."""
    return lambda: model._default_manager.order_by("slug").values_list("slug", "name")


def node_codes(axis: str = "") -> Pairs:
    """Reads the codes of all schemes' nodes, those of one axis where it is named. One code may have several names."""
    chosen = {"axis__code": axis} if axis else {}
    return lambda: Node.objects.filter(**chosen).order_by("code").values_list("code", "code").distinct()


class FixFilter(filters.FilterSet):
    """Filters on fixes."""

    framework = Values(
        "issues__repository__framework__slug",
        among=slugs_of(Framework),
        distinct=True,
        noun="framework",
        label="Framework",
        help_text="Framework slug.",
    )
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

    scheme = Values(
        "axis__scheme__slug",
        among=slugs_of(Scheme),
        noun="scheme",
        label="Scheme",
        help_text="`house` or a study's slug.",
    )
    axis = Values(
        "axis__code",
        among=lambda: Axis.objects.order_by("scheme", "position").values_list("code", "name"),
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

    scheme = Values(
        "from_node__axis__scheme__slug",
        among=slugs_of(Scheme),
        noun="scheme",
        label="From scheme",
        help_text="Slug of the scheme it starts in.",
    )
    relation = OneOf(
        choices=Crosswalk.Relation.choices,
        label="Relation",
        help_text="SKOS mapping relation: `exact`, `close`, `broad` or `narrow`.",
    )
    to_axis = Values(
        "to_node__axis__code",
        among=lambda: Axis.objects.order_by("scheme", "position").values_list("code", "name"),
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

    source = Values(
        "source__slug",
        among=slugs_of(Source),
        noun="source",
        label="Source",
        help_text="Slug of the source of the labels.",
    )
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

    framework = Values(
        "framework__slug", among=slugs_of(Framework), noun="framework", label="Framework", help_text="Framework slug."
    )

    class Meta:
        model = Repository
        fields: tuple[str, ...] = ()
