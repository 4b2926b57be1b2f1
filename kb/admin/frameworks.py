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


@admin.register(Framework)
class FrameworkAdmin(Plain):
    """Frameworks. The slug is part of addresses and does not change."""

    list_display = ("name", "slug", "homepage")
    search_fields = ("name", "slug")
    inlines = (RepositoryInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:  # noqa: ARG002
        """The slug, once the framework exists."""
        return ("slug",) if obj else ()


class AliasInline(admin.TabularInline[RepositoryAlias, Repository]):
    """A repository's old names."""

    model = RepositoryAlias
    extra = 0


@admin.register(Repository)
class RepositoryAdmin(Plain):
    """Repositories. They are renamed by their hosts, and keep their old names as aliases."""

    list_display = ("full_name", "host", "framework")
    list_filter = ("host", "framework")
    list_select_related = ("framework",)
    search_fields = ("full_name", "aliases__full_name")
    autocomplete_fields = ("framework",)
    inlines = (AliasInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:  # noqa: ARG002
        """Host and name, once the repository exists."""
        return ("host", "full_name") if obj else ()


@admin.register(RepositoryAlias)
class RepositoryAliasAdmin(Plain):
    """Old names of repositories."""

    list_display = ("full_name", "host", "repository")
    list_filter = ("host",)
    list_select_related = ("repository",)
    search_fields = ("full_name", "repository__full_name")
    autocomplete_fields = ("repository",)
