"""Sources, labels and cause links."""

from django import forms
from django.apps import apps
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from kb.admin.base import History, HistoryTable, Plain, ReadOnly
from kb.models import CauseLink, Label, Provenance, Source, TwoReadings
from kb.services.cause_links import note_cause_link
from kb.services.labels import put_label, remove_labels

ISSUE_TEXTS = ("issue__body", "issue__search_vector", "issue__label_terms", "issue__summary")


# Imports and trust depend on slug, kind and study. Without the source, its cause links and history would have none.
admin.site.register(
    Source,
    Plain,
    list_display=("name", "slug", "kind", "confidence", "study"),
    list_filter=("kind", "confidence"),
    list_select_related=("study",),
    search_fields=("name", "slug"),
    autocomplete_fields=("study",),
    fixed=("slug", "kind", "study"),
    can_delete=False,
)


@admin.register(Label)
class LabelAdmin(Plain):
    """Labels of all sources. Curated ones can be reworded and deleted; they are added on their issue's page."""

    can_add = False
    deferred = ISSUE_TEXTS
    list_display = ("issue", "axis", "node", "source", "reason")
    list_filter = ("source__kind", "source", "axis__code")
    list_select_related = ("issue__repository", "axis__scheme", "node", "source")
    search_fields = ("issue__ref", "issue__heading", "node__code", "node__name", "reason")
    ordering = ("-pk",)
    readonly_fields = ("issue", "axis", "node", "source", "created_at")
    fields = ("issue", "axis", "node", "source", "reason", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: Label | None = None) -> bool:
        """Only curated labels."""
        return super().has_change_permission(request, obj) and (obj is None or is_curated(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Label | None = None) -> bool:
        """Only curated labels."""
        return super().has_delete_permission(request, obj) and (obj is None or is_curated(obj))

    def save_model(self, request: HttpRequest, obj: Label, form: forms.ModelForm[Label], change: bool) -> None:  # noqa: ARG002
        """Save the reason."""
        put_label(issue=obj.issue, node=obj.node, source=obj.source, reason=obj.reason)

    def delete_model(self, request: HttpRequest, obj: Label) -> None:  # noqa: ARG002
        """Remove it from its issue."""
        remove_labels(labels=[obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Label]) -> None:  # noqa: ARG002
        """Remove them from their issues."""
        remove_labels(labels=list(queryset))


def is_curated(label: Label) -> bool:
    """Whether the label is a curated one."""
    return label.source.kind == Source.Kind.CURATED


admin.site.register(
    apps.get_model("kb", "LabelEvent"),
    HistoryTable,
    list_display=("pgh_created_at", "pgh_label", "who", "issue", "node", "source", "reason"),
    list_select_related=("issue__repository", "node", "source"),
    search_fields=("issue__ref", "node__code", "reason"),
)


class NoteHistory(History):
    """The history of a link's note."""

    model = apps.get_model("kb", "CauseLinkNoteEvent")
    tracked = ("note",)


@admin.register(CauseLink)
class CauseLinkAdmin(Plain):
    """Cause links, which are counted from labels. Only the note by staff is written by hand."""

    can_add = False
    can_delete = False
    list_display = ("symptom", "cause", "source", "issues", "symptom_issues", "share", "lift", "note")
    list_filter = ("source",)
    list_select_related = ("symptom", "cause", "source")
    search_fields = ("symptom__name", "symptom__code", "cause__name", "cause__code", "note")
    ordering = ("source", "-issues", "pk")
    readonly_fields = (
        "source", "symptom", "cause", "issues", "symptom_issues", "cause_issues", "all_issues", "probability",
        "probability_low", "probability_high", "lift",
    )  # fmt: skip
    inlines = (NoteHistory,)

    @admin.display(description="share of the symptom's issues (95 %)")
    def share(self, link: CauseLink) -> str:
        """The probability with its interval."""
        return f"{link.probability:.0%} ({link.probability_low:.0%} to {link.probability_high:.0%})"

    def save_model(self, request: HttpRequest, obj: CauseLink, form: forms.ModelForm[CauseLink], change: bool) -> None:  # noqa: ARG002
        """Save the note."""
        note_cause_link(link=obj, note=obj.note)


# Publishing of labeling projects writes these.
admin.site.register(
    Provenance,
    ReadOnly,
    list_display=("issue", "axis", "source", "how", "votes", "support", "decided_on"),
    list_filter=("how", "source", "axis__code"),
    list_select_related=("issue__repository", "axis__scheme", "source"),
    search_fields=("issue__ref", "issue__heading", "project", "reason"),
    ordering=("-pk",),
    deferred=ISSUE_TEXTS,
)
# Loading the curated records writes these.
admin.site.register(
    TwoReadings,
    ReadOnly,
    list_display=("issue", "read_on", "is_pilot"),
    list_filter=("is_pilot",),
    list_select_related=("issue__repository",),
    search_fields=("issue__ref", "issue__heading"),
    ordering=("-issue",),
    deferred=ISSUE_TEXTS,
)
