"""Searches that found nothing close: looked at, and deleted where necessary. Hiding has a page of its own."""

from django.contrib import admin

from kb.admin.base import Deletable
from kb.models import MissedSearch

admin.site.register(
    MissedSearch,
    Deletable,
    list_display=("words", "searches", "first_on", "last_on", "is_hidden"),
    list_filter=("is_hidden",),
    search_fields=("words",),
    fields=("words", "searches", "first_on", "last_on", "is_hidden"),
)
