"""Frameworks, repositories and their old names."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from kb.admin.base import Plain
from kb.models import Framework, Repository, RepositoryAlias


class RepositoryInline(admin.TabularInline[Repository, Framework]):
    """A framework's repositories."""

    model = Repository
    extra = 0
    show_change_link = True
    can_delete = False
    readonly_fields = ("host", "full_name")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Repositories are added on their own page."""
        return False


class AliasInline(admin.TabularInline[RepositoryAlias, Repository]):
    """A repository's old names."""

    model = RepositoryAlias
    extra = 0


admin.site.register(
    Framework,
    Plain,
    list_display=("name", "slug", "homepage"),
    search_fields=("name", "slug"),
    # It is part of addresses.
    fixed=("slug",),
    inlines=(RepositoryInline,),
)
admin.site.register(
    Repository,
    Plain,
    list_display=("full_name", "host", "framework"),
    list_filter=("host", "framework"),
    list_select_related=("framework",),
    search_fields=("full_name", "aliases__full_name"),
    autocomplete_fields=("framework",),
    # Hosts rename repositories; the old name becomes an alias.
    fixed=("host", "full_name"),
    inlines=(AliasInline,),
)
admin.site.register(
    RepositoryAlias,
    Plain,
    list_display=("full_name", "host", "repository"),
    list_filter=("host",),
    list_select_related=("repository",),
    search_fields=("full_name", "repository__full_name"),
    autocomplete_fields=("repository",),
)
