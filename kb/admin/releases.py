"""What git histories and records say of versions; read only, since both are read again."""

from django.contrib import admin

from kb.admin.base import ReadOnly
from kb.models import AffectedRange, Change, History, Release

admin.site.register(
    History,
    ReadOnly,
    list_display=("repository", "read_at", "newest_on", "commits"),
    list_select_related=("repository",),
    search_fields=("repository__full_name",),
)
admin.site.register(
    Release,
    ReadOnly,
    list_display=("repository", "version", "tag", "released_on", "is_prerelease"),
    list_filter=("is_prerelease",),
    list_select_related=("repository",),
    search_fields=("repository__full_name", "version", "tag"),
)
admin.site.register(
    Change,
    ReadOnly,
    list_display=("repository", "pull_number", "commit", "merged_at", "is_fix", "first_releases"),
    list_filter=("is_fix",),
    list_select_related=("repository",),
    search_fields=("repository__full_name", "commit", "=pull_number"),
)
admin.site.register(
    AffectedRange,
    ReadOnly,
    list_display=("issue", "package", "introduced", "fixed", "last_affected", "origin"),
    list_filter=("origin", "introduced_by", "fixed_by"),
    list_select_related=("issue__repository",),
    search_fields=("package", "issue__url"),
)
