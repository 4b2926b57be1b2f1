"""The one definition of every filter on issues: the pages, the API and the exports all use it.

Free text (`q`) is not here: `kb.search` applies it. Values separated by commas mean "any of these".
"""

from typing import Any

import django_filters as filters
from django.db.models import Exists, OuterRef, Q, QuerySet

from kb.models import Issue, Kind, Label, Node, Source, State

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


def labelled(nodes: QuerySet[Node], **label_conditions: Any) -> Exists:
    """A condition on issues: carries a label on one of these nodes."""
    return Exists(Label.objects.filter(issue=OuterRef("pk"), node__in=nodes.values("pk"), **label_conditions))


class CommaSeparated(filters.BaseCSVFilter, filters.CharFilter):
    """`a,b`: any of these; an unknown value simply finds nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("lookup_expr", "in")
        kwargs.setdefault("distinct", False)
        super().__init__(*args, **kwargs)


class ChoicesFilter(filters.BaseCSVFilter, filters.ChoiceFilter):
    """`a,b` out of a fixed set; anything else is an error that names the choices."""


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
    )
    state = filters.ChoiceFilter(choices=State.choices, label="State", help_text="`open`, `closed` or `unknown`.")
    kind = filters.ChoiceFilter(
        choices=Kind.choices,
        label="Kind",
        help_text="`issue`, `pull_request` or `unknown`; pull requests are left out.",
    )
    year = filters.NumberFilter(
        field_name="opened_at", lookup_expr="year", min_value=FIRST_YEAR, max_value=LAST_YEAR, label="Year opened"
    )
    has_fix = filters.BooleanFilter(method="by_has_fix", label="Has a fix", help_text="A linked fix is known.")
    small_fix = filters.BooleanFilter(
        method="by_small_fix", label="Small fix", help_text="A fix of at most 10 changed lines is known."
    )
    hard = filters.BooleanFilter(
        field_name="is_hard", label="Hard", help_text="Open for more than 30 days with at least 10 comments."
    )
    curated = filters.BooleanFilter(field_name="is_curated", label="Curated", help_text="Described in our own words.")
    trust = filters.ChoiceFilter(
        choices=Source.Kind.choices,
        method="by_trust",
        label="Labels from",
        help_text="Kind of source that holds a label on the issue.",
    )
    source = CommaSeparated(method="by_source", label="Source", help_text="Slug of a label source; only its labels count.")

    class Meta:
        model = Issue
        fields: tuple[str, ...] = ()

    @property
    def qs(self) -> QuerySet[Issue]:
        """The filtered issues, without what is known to be a pull request unless `kind` asks for it."""
        issues: QuerySet[Issue] = super().qs
        return issues if self.data.get("kind") else issues.exclude(kind=Kind.PULL_REQUEST)

    def by_axis(self, issues: QuerySet[Issue], name: str, codes: list[str]) -> QuerySet[Issue]:
        """Issues with a label on one of these house nodes or below them."""
        nodes = Node.objects.house().filter(axis__code=AXIS_KEYS[name]).within(codes)
        return issues.filter(labelled(nodes, **self._held_by()))

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
        known = Exists(Issue.fixes.through.objects.filter(issue=OuterRef("pk")))
        return issues.filter(known if wanted else ~known)

    def by_small_fix(self, issues: QuerySet[Issue], _name: str, wanted: bool) -> QuerySet[Issue]:
        """Issues with a fix whose size is known to be small, or known not to be."""
        return issues.filter(Exists(Issue.fixes.through.objects.filter(issue=OuterRef("pk"), fix__is_small=wanted)))

    def by_trust(self, issues: QuerySet[Issue], _name: str, kind: str) -> QuerySet[Issue]:
        """Issues with a label that a source of this kind holds."""
        return issues.filter(Exists(Label.objects.filter(issue=OuterRef("pk"), source__kind=kind)))

    def by_source(self, issues: QuerySet[Issue], _name: str, slugs: list[str]) -> QuerySet[Issue]:
        """Issues with a label that one of these sources holds."""
        return issues.filter(Exists(Label.objects.filter(issue=OuterRef("pk"), source__slug__in=slugs)))


class FixFilter(filters.FilterSet):
    """Filters on fixes."""

    framework = CommaSeparated(
        field_name="issues__repository__framework__slug", distinct=True, label="Framework", help_text="Framework slug."
    )
    small = filters.BooleanFilter(field_name="is_small", label="Small", help_text="At most 10 changed lines.")
    merged_after = filters.DateFilter(field_name="merged_on", lookup_expr="gte", label="Merged on or after")
    merged_before = filters.DateFilter(field_name="merged_on", lookup_expr="lte", label="Merged on or before")


class NodeFilter(filters.FilterSet):
    """Filters on nodes."""

    scheme = CommaSeparated(field_name="axis__scheme__slug", label="Scheme", help_text="`house` or a study's slug.")
    axis = CommaSeparated(field_name="axis__code", label="Axis", help_text="Such as `symptom` or `root_cause`.")
    status = filters.ChoiceFilter(choices=Node.Status.choices, label="Status")
    q = filters.CharFilter(method="by_words", label="Words", help_text="In the name, definition or aliases.")

    def by_words(self, nodes: QuerySet[Node], _name: str, words: str) -> QuerySet[Node]:
        """Nodes whose name, definition or aliases contain the words."""
        return nodes.filter(
            Q(name__icontains=words)
            | Q(definition__icontains=words)
            | Q(aliases__icontains=words)
            | Q(code__iexact=words)
        )
