"""Every filter on issues, declared once. Pages, search box, API, exports, search index and facets follow from here.

Free text (`q`) is not here: `kb.search` applies it. How values are written is
`kb.core.search.filter_values`; the types of filters are `kb.filters.filter_types`, and conditions on several rows
`kb.filters.conditions`. What a declaration lacks is told by `manage.py check` (`kb.search.checks`).
The index's keys are listed in `kb.core.search.keys`.
"""

import builtins
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict

from kb.core.search.filter_values import Choice
from kb.core.search.lookup import Lookup
from kb.filters.conditions import AXIS_KEYS as AXIS_KEYS
from kb.filters.conditions import IssueConditions
from kb.filters.filter_types import Dates, Days, Numbers, Values, Years, YesOrNoValues, listed, named
from kb.models import FixTestedBy, FoundBy, Issue, Kind, Reach, ReproducedWith, Source, State, ToldBy

# Each one is a condition of its own in the statement.
MAX_CATEGORIES = 5


class IssueFilter(IssueConditions, filters.FilterSet):
    """Filters on issues.

    `names`: for each key whose values stand in the database, how they are found. Without it, values are taken
    as they are, and an unknown one finds nothing.
    """

    framework = Values(
        "repository__framework__slug",
        noun="framework",
        label="Framework",
        facet="Framework",
        help_text="Framework slug, such as `deepspeed`.",
    )
    repository = Values(
        "repository__full_name",
        noun="repository",
        label="Repository",
        help_text="`owner/name`, as on its host; old names work.",
    )
    type = Values(
        holds="by_axis",
        noun="issue type",
        label="Issue type",
        facet="Issue type",
        help_text="House codebook, axis issue type.",
    )
    symptom = Values(
        holds="by_axis",
        noun="symptom",
        label="Symptom",
        facet="Symptom",
        help_text="What a person sees; children included.",
    )
    cause = Values(
        holds="by_axis",
        noun="root cause",
        label="Root cause",
        facet="Root cause",
        help_text="Why it happens; children included.",
    )
    fix = Values(
        holds="by_axis",
        noun="fix pattern",
        label="Fix pattern",
        facet="Fix pattern",
        help_text="What was changed; children included.",
    )
    stage = Values(
        holds="by_axis", noun="stage", label="Stage", facet="Stage", help_text="When it shows; children included."
    )
    component = Values(
        holds="by_axis",
        noun="component",
        label="Component",
        facet="Component",
        help_text="Where it shows; children included.",
    )
    hardware = Values(
        holds="by_axis",
        noun="hardware",
        label="Hardware",
        facet="Hardware",
        help_text="Hardware that the fault needs, such as `hopper`; children included.",
    )
    theme = Values(
        holds="by_axis", noun="theme", label="Theme", facet="Theme", help_text="Theme or sub-theme, such as `C.3`."
    )
    node = Values(
        holds="by_node",
        all_of=True,
        noun="category",
        most=MAX_CATEGORIES,
        label="Category of a study",
        help_text="`scheme/code`, such as `open-llm-failures/OLF.S04`; two with a comma between: both.",
    )
    state = Values(
        known=named(State.choices),
        noun="state",
        label="State",
        facet="State",
        words={"is:open": "open", "is:closed": "closed"},
        help_text="`open`, `closed` or `unknown`.",
    )
    kind = Values(
        known=named(Kind.choices, pull_request=("pr", "pull")),
        noun="kind",
        label="Kind",
        words={"is:pr": "pull_request", "is:issue": "issue"},
        help_text="`issue`, `pull_request` or `unknown`; pull requests are left out unless asked for.",
    )
    year = Years(
        "opened_at",
        noun="year",
        label="Year opened",
        facet="Year opened",
        help_text="Year in which the issue was opened (UTC), such as `2024` or `2021..2023`.",
    )
    opened = Dates(
        "opened_at",
        noun="date",
        label="Opened",
        help_text="When the issue was opened (UTC): `2024-05`, `>2024-05-31` or `2024-01..2024-06`.",
    )
    closed = Dates(
        "closed_at",
        noun="date",
        label="Closed",
        help_text="When the issue was closed (UTC): `2024-05`, `>2024-05-31` or `2024-01..2024-06`.",
    )
    has_fix = YesOrNoValues(
        when=Q(digest__has_fix=True),
        label="Has a fix",
        facet="Fix known",
        words={"has:fix": "true"},
        help_text="A linked fix is known.",
    )
    has_workaround = YesOrNoValues(
        when=~Q(workaround=""),
        label="Has a workaround",
        facet="Workaround known",
        words={"has:workaround": "true"},
        help_text="What to do until it is fixed is stated.",
    )
    small_fix = YesOrNoValues(
        "digest__small_fix",
        label="Small fix",
        facet="Small fix (≤ 10 lines)",
        words={"has:small_fix": "true"},
        help_text="A fix of at most 10 changed lines is known.",
    )
    lines = Numbers(
        holds="by_lines",
        noun="number",
        label="Lines of the fix",
        help_text="Changed lines of the smallest fix: `<=10` or `10..50`.",
    )
    files = Numbers(
        holds="by_files",
        noun="number",
        label="Files of the fix",
        help_text="Changed files of the fix that touches fewest: `1` or `2..5`.",
    )
    hard = YesOrNoValues(
        "is_hard",
        label="Hard",
        words={"is:hard": "true"},
        help_text="Open for more than 30 days with at least 10 comments.",
    )
    curated = YesOrNoValues(
        "is_curated",
        label="Described",
        facet="Described",
        words={"is:curated": "true", "is:described": "true"},
        help_text="Described in our own words.",
    )
    resolved = YesOrNoValues(
        when=~Q(resolution=""),
        label="Resolved",
        words={"is:resolved": "true", "has:resolution": "true"},
        help_text="What fixed it is stated in our own words.",
    )
    comments = Numbers(
        "comment_count", noun="number", label="Comments", help_text="Number of comments: `>=10` or `5..20`."
    )
    reactions = Numbers(
        "reaction_count", noun="number", label="Reactions", help_text="Number of reactions: `>=10` or `5..20`."
    )
    days = Days(
        "open_duration",
        noun="number",
        label="Days open",
        help_text="Whole days from opening to closing: `<7` or `30..90`.",
    )
    found_by = Values(
        known=named(FoundBy.choices), noun="finder", label="Found by", help_text=f"Who noticed it: {listed(FoundBy)}."
    )
    reproduced_with = Values(
        known=named(ReproducedWith.choices),
        noun="set-up",
        label="Reproduced with",
        help_text=f"The least that shows it: {listed(ReproducedWith)}.",
    )
    fix_tested_by = Values(
        known=named(FixTestedBy.choices),
        noun="kind of test",
        label="Fix tested by",
        help_text=f"How the fix was tested: {listed(FixTestedBy)}.",
    )
    told_by = Values(
        known=named(ToldBy.choices),
        noun="answer",
        label="Told by",
        help_text=f"What tells its cause: {listed(ToldBy)}.",
    )
    reach = Values(
        known=named(Reach.choices), noun="reach", label="Reach", help_text=f"Components concerned: {listed(Reach)}."
    )
    trust = Values(
        known=named(Source.Kind.choices),
        holds="by_trust",
        noun="kind of source",
        label="Labels from",
        facet="Labels from",
        help_text="Kind of source that holds a label on the issue, most trusted first: " + f"{listed(Source.Kind)}.",
    )
    source = Values(
        holds="by_source", noun="source", label="Source", help_text="Slug of a label source; only its labels count."
    )

    class Meta:
        model = Issue
        fields: tuple[str, ...] = ()

    def __init__(
        self,
        data: QueryDict | dict[str, Any] | None = None,
        queryset: QuerySet[Issue] | None = None,
        *,
        names: Mapping[str, Lookup] | None = None,
        **kwargs: Any,
    ) -> None:
        # Most searches use few filters, and copying all of them takes longer than the rest of this.
        used = data or {}
        self.base_filters = OrderedDict((key, declared) for key, declared in self.base_filters.items() if used.get(key))
        super().__init__(data, queryset, **kwargs)
        self.names = names or {}

    def get_form_class(self) -> builtins.type[forms.Form]:
        """The form, whose fields know `names`."""
        form_class: builtins.type[forms.Form] = super().get_form_class()
        for key, field in form_class.base_fields.items():
            if key in self.names:
                field.lookup = self.names[key]  # type: ignore[attr-defined]
        return form_class

    def choices(self) -> dict[str, Choice]:
        """What each filter asks for, without those that are wrong."""
        if not self.is_bound:
            return {}
        self.errors  # noqa: B018 - makes Django read the values
        return {key: choice for key, choice in self.form.cleaned_data.items() if choice}

    @property
    def qs(self) -> QuerySet[Issue]:
        """The filtered issues, without what is known to be a pull request unless `kind` asks for it."""
        issues: QuerySet[Issue] = super().qs
        return issues if "kind" in self.choices() else issues.exclude(kind=Kind.PULL_REQUEST)


def _shorthands() -> dict[str, dict[str, tuple[str, str]]]:
    shorthands: dict[str, dict[str, tuple[str, str]]] = {}
    for key, declared in IssueFilter.base_filters.items():
        # `manage.py check` refuses words of another form.
        if isinstance(declared, Values) and isinstance(declared.words, Mapping):
            for text, value in declared.words.items():
                word, _, name = text.partition(":")
                shorthands.setdefault(word, {})[name] = (key, value)
    return shorthands


# `is` and `has`, with what may stand behind each: the key of a filter and its value.
SHORTHANDS = _shorthands()
