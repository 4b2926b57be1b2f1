"""Categories that readers miss: read, marked as seen, deleted where necessary; never edited."""

from django.contrib import admin

from kb.admin.base import Plain
from kb.models import ProposedCategory


@admin.register(ProposedCategory)
class ProposedCategoryAdmin(Plain):
    """They are sent on the survey's page."""

    can_add = False
    can_delete = True
    list_display = ("name", "group", "means", "sent_on", "is_seen")
    list_filter = ("is_seen", "group")
    search_fields = ("name", "means")
    readonly_fields = ("group", "name", "means", "sent_on")
    fields = (*readonly_fields, "is_seen")
