"""The tables that studies published, as their files give them."""

from django.contrib import admin

from kb.admin.base import ReadOnly, ReadOnlyInline
from kb.models import PublishedCell, PublishedTable


class CellInline(ReadOnlyInline):
    """A table's numbers."""

    model = PublishedCell
    fields = ("row", "column", "count", "percent", "is_doubtful")


admin.site.register(
    PublishedTable,
    ReadOnly,
    list_display=("study", "title", "unit", "total", "trust", "is_recounted"),
    list_filter=("study", "unit", "trust"),
    list_select_related=("study",),
    search_fields=("title", "slug", "study__slug", "study__code"),
    inlines=(CellInline,),
)
