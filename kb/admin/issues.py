"""Issues with their labels, and fixes. Mirrored texts are shown as they are, with secrets."""

from collections import Counter
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import Field, QuerySet, TextField
from django.forms import BaseInlineFormSet
from django.http import HttpRequest

from kb.admin.base import History, Plain, ReadOnly, ReadOnlyInline
from kb.core.secrets import mask
from kb.models import FACTS, Fix, Issue, Label, Node, OtherReport, Source
from kb.services.issues import link_fixes, replace_related, save_curated_issues
from kb.services.labels import put_label, remove_labels

LabelForms = BaseInlineFormSet[Any, Any, Any]
ONE_LINE: dict[type[Field[Any, Any]], dict[str, Any]] = {
    TextField: {"widget": AdminTextareaWidget(attrs={"rows": 2, "cols": 60})}
}
KEPT_IN_FILES = (
    "Described issues are kept as files as well (kb/starter/records): “manage.py export_starter” writes what is "
    "changed here there, and loading the files brings their words back."
)
MIRRORED_KEY = ("url", "repository", "kind")
MIRRORED_REST = (
    "ref", "title", "state", "opened_at", "closed_at", "host_updated_at", "comment_count", "reaction_count",
    "host_labels", "author_association", "body",
)  # fmt: skip
DERIVED = ("is_curated", "is_hard", "open_duration", "hidden_elsewhere")
CIRCUMSTANCES = tuple(fact.key for fact in FACTS)
LINKS = ("evidence", "inferred", "neighbours", "related_urls")


class LabelLines(admin.TabularInline[Label, Issue]):
    """Labels on an issue, with the axis that each one answers."""

    model = Label
    extra = 0
    formfield_overrides = ONE_LINE
    fields = ("axis", "node", "source", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        """In the codebook's order."""
        labels: QuerySet[Label] = super().get_queryset(request)
        return labels.select_related("axis__scheme", "node", "source").order_by("source", "axis__position", "pk")


class CuratedLabels(LabelLines):
    """The curated labels, which can be reworded and deleted."""

    verbose_name_plural = "labels that we hold"
    readonly_fields = ("axis", "node", "source")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        """Only the curated ones."""
        return super().get_queryset(request).filter(source__kind=Source.Kind.CURATED)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """New labels have an inline of their own."""
        return False


class NewLabels(admin.TabularInline[Label, Issue]):
    """Lines for curated labels to add."""

    model = Label
    extra = 1
    formfield_overrides = ONE_LINE
    fields = ("node", "source", "reason")
    autocomplete_fields = ("node",)
    verbose_name = "new label"
    verbose_name_plural = "new labels"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        """None that are there already."""
        return super().get_queryset(request).none()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only active house nodes and curated sources."""
        if db_field.name == "node":
            kwargs["queryset"] = Node.objects.house().filter(status=Node.Status.ACTIVE)
        if db_field.name == "source":
            kwargs["queryset"] = Source.objects.filter(kind=Source.Kind.CURATED)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class OtherLabels(ReadOnlyInline, LabelLines):
    """Labels of projects, studies and rules, which are only looked at."""

    verbose_name_plural = "labels of other sources"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        """Everything that is not curated."""
        return super().get_queryset(request).exclude(source__kind=Source.Kind.CURATED)


class TextHistory(History):
    """The history of our own words."""

    model = apps.get_model("kb", "IssueTextEvent")
    tracked = ("heading", "summary", "fix_line", "snippet", "resolution", "workaround")


@admin.register(Issue)
class IssueAdmin(Plain):
    """Issues. They come from their hosts and from records, and stay, since others may have cited them."""

    can_add = False
    can_delete = False
    # The columns that only search reads, and the text.
    deferred = ("search_vector", "label_terms", "body")
    list_display = ("short_name", "display_title", "framework", "kind", "state", "described", "opened_at")
    list_filter = ("is_curated", "kind", "state", "is_hard", "repository__framework")
    list_select_related = ("repository__framework",)
    search_fields = ("ref", "url", "heading", "title")
    autocomplete_fields = ("fixes", "related")
    readonly_fields = (*MIRRORED_KEY, *MIRRORED_REST, *DERIVED, *CIRCUMSTANCES, *LINKS)
    inlines = (CuratedLabels, NewLabels, OtherLabels, TextHistory)
    fieldsets = (
        (None, {"fields": (*MIRRORED_KEY, "is_curated")}),
        (
            "In our own words",
            {
                "description": KEPT_IN_FILES,
                "fields": (
                    "heading", "summary", "fix_line", "snippet", "recognise", "no_line", "also_seen", "resolution",
                    "workaround", "certainty", "severity", *CIRCUMSTANCES, "model_names", "layout",
                    "affected_versions", "fixed_version", "read_on", "read_extent", "checked_on", "checked_extent",
                ),
            },
        ),
        ("Fixes and relatives", {"fields": ("fixes", "related", *LINKS)}),
        (
            "As mirrored from the host",
            {"classes": ("collapse",), "fields": (*MIRRORED_REST, "hidden_elsewhere", "is_hard", "open_duration")},
        ),
    )  # fmt: skip

    @admin.display(description="framework", ordering="repository__framework__name")
    def framework(self, issue: Issue) -> str:
        """The framework's name."""
        return issue.repository.framework.name

    @admin.display(description="hidden everywhere else")
    def hidden_elsewhere(self, issue: Issue) -> str:
        """The kinds of secrets in title and text, each with its number."""
        secrets = Counter(mask(issue.title).found) + Counter(mask(issue.body).found)
        return ", ".join(f"{kind} ({count})" for kind, count in sorted(secrets.items())) or "nothing"

    @admin.display(description="described", boolean=True, ordering="is_curated")
    def described(self, issue: Issue) -> bool:
        """Whether it is curated."""
        return bool(issue.is_curated)

    def save_model(self, request: HttpRequest, obj: Issue, form: forms.ModelForm[Issue], change: bool) -> None:  # noqa: ARG002
        """Save our own words."""
        words = {name: form.cleaned_data[name] for name in form.changed_data if name not in ("fixes", "related")}
        if words:
            save_curated_issues(wanted={obj.url: words})

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save fixes, relatives and labels."""
        issue: Issue = form.instance
        link_fixes(wanted={issue: list(form.cleaned_data["fixes"])})
        replace_related(issue=issue, related=list(form.cleaned_data["related"]))
        for formset in formsets:
            self.save_formset(request, form, formset, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: LabelForms, change: bool) -> None:  # noqa: ARG002
        """Save the curated labels that were added, reworded or deleted."""
        formset.save(commit=False)  # Writes nothing, but collects the changes for the log.
        if formset.model is not Label:
            return
        remove_labels(labels=formset.deleted_objects)
        for label in (*formset.new_objects, *(label for label, _ in formset.changed_objects)):
            put_label(issue=form.instance, node=label.node, source=label.source, reason=label.reason)


class ClosedIssues(ReadOnlyInline):
    """The issues that a fix closed; they are linked on the issues' pages."""

    model = Issue.fixes.through
    fields = ("issue",)
    verbose_name = "issue"
    verbose_name_plural = "issues that it closed"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With what an issue's name needs."""
        return super().get_queryset(request).select_related("issue__repository")


@admin.register(Fix)
class FixAdmin(Plain):
    """Fixes. Their size is computed from the lines; an empty number means that it is not known."""

    list_display = ("short_name", "description", "kind", "merged_on", "lines_changed", "small")
    list_filter = ("kind", "is_small", "merged_on")
    search_fields = ("url", "description")
    readonly_fields = ("lines_changed", "is_small")
    inlines = (ClosedIssues,)

    @admin.display(description="small", boolean=True, ordering="is_small")
    def small(self, fix: Fix) -> bool | None:
        """Whether it changes at most 10 lines."""
        return None if fix.is_small is None else bool(fix.is_small)


admin.site.register(
    OtherReport,
    ReadOnly,
    list_display=("record", "repository", "ref"),
    list_select_related=("record__repository", "repository"),
    search_fields=("=ref", "repository__full_name", "record__url"),
)
