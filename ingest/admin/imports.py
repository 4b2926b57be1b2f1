"""The admin's pages about imports: everything here is looked at, never edited."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from ingest.models import AnnotatorVote, ImportedFile, ImportedRow, ImportRejection, ImportRun

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
else:
    Base = admin.ModelAdmin


class ReadOnlyAdmin(Base):
    """Shows rows; nobody adds or changes them by hand, and they go with their file."""

    def has_add_permission(self, _request: HttpRequest) -> bool:  # noqa: D102
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:  # noqa: D102
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:  # noqa: D102
        return False


class LogAdmin(ReadOnlyAdmin):
    """Shows what may be thrown away when it is old."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """As the user's rights say."""
        return Base.has_delete_permission(self, request, obj)


@admin.register(ImportRun)
class ImportRunAdmin(LogAdmin):
    """Calls of the importers, with their rejections."""

    list_display = ("started_at", "kind", "source", "mapping", "status", "finished_at")
    list_filter = ("kind", "status", "source")
    list_select_related = ("source",)
    date_hierarchy = "started_at"


@admin.register(ImportRejection)
class ImportRejectionAdmin(LogAdmin):
    """What was not taken, and why."""

    list_display = ("run", "file", "line", "reason", "effect", "message", "value")
    list_filter = ("reason", "effect")
    search_fields = ("file", "message", "value")
    list_select_related = ("run__source",)
    show_full_result_count = False


@admin.register(ImportedFile)
class ImportedFileAdmin(ReadOnlyAdmin):
    """Files of data sets."""

    list_display = ("name", "source", "run", "sha256")
    list_filter = ("source",)
    search_fields = ("name",)
    list_select_related = ("source", "run__source")


@admin.register(ImportedRow)
class ImportedRowAdmin(ReadOnlyAdmin):
    """Rows of data sets."""

    list_display = ("file", "line", "issue", "occurrence", "gives_labels")
    list_filter = ("file__source", "gives_labels")
    search_fields = ("issue__url",)
    list_select_related = ("file", "issue__repository")
    show_full_result_count = False


@admin.register(AnnotatorVote)
class AnnotatorVoteAdmin(ReadOnlyAdmin):
    """Annotators' votes."""

    list_display = ("row", "annotator", "node")
    list_filter = ("row__file__source", "annotator")
    search_fields = ("row__issue__url",)
    list_select_related = ("row__file", "node")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[AnnotatorVote]:
        """Newest first, by the primary key: sorting a quarter of a million rows takes long."""
        return super().get_queryset(request).order_by("-pk")
