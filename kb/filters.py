"""The one definition of every filter on issues: the pages, the API and the exports all use it.

Free text (`q`) is not here: `kb.search` applies it. Values separated by commas mean "any of these".
"""

from typing import Any

import django_filters as filters
from django import forms
from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet

from kb.models import CauseLink, Crosswalk, Fix, Issue, Kind, Label, Node, Repository, Source, State

# Query key -> axis of the house codebook.
AXIS_KEYS = {
    "type": "issue_type",
    "symptom": "symptom",
    "cause": "root_cause",
    "fix": "fix_pattern",
    "stage": "stage",
    "component": "component",
    "theme": "theme",
}
FIRST_YEAR, LAST_YEAR = 2008, 2100
# Each one is a condition of its own in the statement.
MAX_CATEGORIES = 5


def labelled(nodes: QuerySet[Node], **label_conditions: Any) -> Exists:
    """A condition on issues: carries a label on one of these nodes."""
    return Exists(Label.objects.filter(issue=OuterRef("pk"), node__in=nodes.values("pk"), **label_conditions))


class CommaSeparated(filters.BaseCSVFilter, filters.CharFilter):
    """`a,b`: any of these; an unknown value simply finds nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("lookup_expr", "in")
        kwargs.setdefault("distinct", False)
        super().__init__(*args, **kwargs)


class OneOf(filters.ChoiceFilter):
    """One value out of a fixed set; anything else is an error that names the choices."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", choose_from([str(value) for value, _ in kwargs["choices"]]))
        super().__init__(*args, **kwargs)


class YesOrNo(filters.TypedChoiceFilter):
    """`true` or `false`; anything else is an error, never "don't care"."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"choices": (("true", "Yes"), ("false", "No")), "coerce": lambda value: value == "true"}
        super().__init__(*args, error_messages=choose_from(["true", "false"]), **kwargs)


class WholeNumber(filters.NumberFilter):
    """A number without a fraction."""

    field_class = forms.IntegerField  # type: ignore[assignment]


def choose_from(choices: list[str]) -> dict[str, str]:
    """The message for a value that is none of these."""
    return {"invalid_choice": f"“%(value)s” is not known here. Choose one of: {', '.join(choices)}."}


def at_most_five(value: str) -> None:
    """Refuse more categories than one search may combine."""
    if value.count(",") >= MAX_CATEGORIES:
        raise ValidationError(f"At most {MAX_CATEGORIES} categories can be combined.")


class IssueFilter(filters.FilterSet):
    """Filters on issues."""

    framework = CommaSeparated(
        field_name="repository__framework__slug", label="Framework", help_text="Framework slug, such as `deepspeed`."
    )
    repository = CommaSeparated(
        field_name="repository__full_name", label="Repository", help_text="`owner/name`, exactly as on its host."
    )
    type = CommaSeparated(method="by_axis", label="Issue type", help_text="House codebook, axis issue type.")
    symptom = CommaSeparated(method="by_axis", label="Symptom", help_text="What a person sees; children included.")
    cause = CommaSeparated(method="by_axis", label="Root cause", help_text="Why it happens; children included.")
    fix = CommaSeparated(method="by_axis", label="Fix pattern", help_text="What was changed; children included.")
    stage = CommaSeparated(method="by_axis", label="Stage", help_text="When it shows; children included.")
    component = CommaSeparated(method="by_axis", label="Component", help_text="Where it shows; children included.")
    theme = CommaSeparated(method="by_axis", label="Theme", help_text="Theme or sub-theme, such as `C.3`.")
    node = filters.CharFilter(
        method="by_node",
        label="Category of a study",
        help_text="`scheme/code`, such as `open-llm-failures/OLF.S04`; two with a comma between: both.",
        validators=[at_most_five],
    )
    state = OneOf(choices=State.choices, label="State", help_text="`open`, `closed` or `unknown`.")
    kind = OneOf(
        choices=Kind.choices,
        label="Kind",
        help_text="`issue`, `pull_request` or `unknown`; pull requests are left out unless asked for.",
    )
    year = WholeNumber(
        field_name="opened_at",
        lookup_expr="year",
        min_value=FIRST_YEAR,
        max_value=LAST_YEAR,
        label="Year opened",
        help_text="Year in which the issue was opened (UTC), such as `2024`.",
    )
    has_fix = YesOrNo(method="by_has_fix", label="Has a fix", help_text="A linked fix is known.")
    small_fix = YesOrNo(
        field_name="digest__small_fix", label="Small fix", help_text="A fix of at most 10 changed lines is known."
    )
    hard = YesOrNo(
        field_name="is_hard", label="Hard", help_text="Open for more than 30 days with at least 10 comments."
    )
    curated = YesOrNo(field_name="is_curated", label="Curated", help_text="Described in our own words.")
    trust = OneOf(
        choices=Source.Kind.choices,
        method="by_trust",
        label="Labels from",
        help_text="Kind of source that holds a label on the issue.",
    )
    source = CommaSeparated(
        method="by_source", label="Source", help_text="Slug of a label source; only its labels count."
    )

    class Meta:
        model = Issue
        fields: tuple[str, ...] = ()

    @property
    def qs(self) -> QuerySet[Issue]:
        """The filtered issues, without what is known to be a pull request unless `kind` asks for it."""
        issues: QuerySet[Issue] = super().qs
        return issues if (self.data or {}).get("kind") else issues.exclude(kind=Kind.PULL_REQUEST)

    def by_axis(self, issues: QuerySet[Issue], name: str, codes: list[str]) -> QuerySet[Issue]:
        """Issues with a label on one of these house nodes or below them."""
        nodes = Node.objects.house().filter(axis__code=AXIS_KEYS[name]).within(codes)
        if held_by := self._held_by():
            return issues.filter(labelled(nodes, **held_by))
        return issues.filter(digest__node_ids__overlap=ArraySubquery(nodes.order_by().values("pk")))

    def _held_by(self) -> dict[str, list[str]]:
        """With `source`, only labels of these sources answer: an issue must not borrow its cause from another."""
        slugs = self.form.cleaned_data.get("source")
        return {"source__slug__in": slugs} if slugs else {}

    def by_node(self, issues: QuerySet[Issue], _name: str, value: str) -> QuerySet[Issue]:
        """Issues labelled with every named node (or something below it)."""
        for wanted in value.split(","):
            scheme, _, code = wanted.partition("/")
            nodes = Node.objects.filter(axis__scheme__slug=scheme).within([code])
            issues = issues.filter(labelled(nodes, **self._held_by()))
        return issues

    def by_has_fix(self, issues: QuerySet[Issue], _name: str, wanted: bool) -> QuerySet[Issue]:
        """Issues with, or without, a known fix."""
        return issues.filter(digest__has_fix=True) if wanted else issues.exclude(digest__has_fix=True)

    def by_trust(self, issues: QuerySet[Issue], _name: str, kind: str) -> QuerySet[Issue]:
        """Issues with a label that a source of this kind holds."""
        return issues.filter(digest__source_kinds__contains=[kind])

    def by_source(self, issues: QuerySet[Issue], _name: str, slugs: list[str]) -> QuerySet[Issue]:
        """Issues with a label that one of these sources holds."""
        return issues.filter(Exists(Label.objects.filter(issue=OuterRef("pk"), source__slug__in=slugs)))


class FixFilter(filters.FilterSet):
    """Filters on fixes."""

    framework = CommaSeparated(
        field_name="issues__repository__framework__slug", distinct=True, label="Framework", help_text="Framework slug."
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

    scheme = CommaSeparated(field_name="axis__scheme__slug", label="Scheme", help_text="`house` or a study's slug.")
    axis = CommaSeparated(field_name="axis__code", label="Axis", help_text="Such as `symptom` or `root_cause`.")
    code = CommaSeparated(field_name="code", label="Code", help_text="Code of a node, such as `hang`.")
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

    scheme = CommaSeparated(
        field_name="from_node__axis__scheme__slug", label="From scheme", help_text="Slug of the scheme it starts in."
    )
    relation = OneOf(
        choices=Crosswalk.Relation.choices,
        label="Relation",
        help_text="SKOS mapping relation: `exact`, `close`, `broad` or `narrow`.",
    )
    to_axis = CommaSeparated(
        field_name="to_node__axis__code", label="To axis", help_text="Axis it ends on, such as `symptom`."
    )
    to = CommaSeparated(field_name="to_node__code", label="To node", help_text="Code of the node it ends at.")

    class Meta:
        model = Crosswalk
        fields: tuple[str, ...] = ()


class CauseLinkFilter(filters.FilterSet):
    """Filters on symptom → cause links."""

    source = CommaSeparated(field_name="source__slug", label="Source", help_text="Slug of the source of the labels.")
    symptom = CommaSeparated(field_name="symptom__code", label="Symptom", help_text="Code of the symptom.")
    cause = CommaSeparated(field_name="cause__code", label="Root cause", help_text="Code of the root cause.")
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

    framework = CommaSeparated(field_name="framework__slug", label="Framework", help_text="Framework slug.")

    class Meta:
        model = Repository
        fields: tuple[str, ...] = ()
