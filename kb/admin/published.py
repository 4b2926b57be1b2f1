"""The tables that studies published, as their files give them."""

from django.contrib import admin

from kb.admin.base import ReadOnly, Unchangeable
from kb.models import PublishedCell, PublishedTable


class CellInline(Unchangeable, admin.TabularInline[PublishedCell, PublishedTable]):
    """A table's numbers."""

    model = PublishedCell
    fields = ("row", "column", "count", "percent", "is_doubtful")
    extra = 0


@admin.register(PublishedTable)
class PublishedTableAdmin(ReadOnly):
    """Tables; a number of them is changed in its file."""

    list_display = ("study", "title", "unit", "total", "trust", "is_recounted")
    list_filter = ("study", "unit", "trust")
    list_select_related = ("study",)
    search_fields = ("title", "slug", "study__slug", "study__code")
    inlines = (CellInline,)
