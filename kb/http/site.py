"""Addresses of this site: the full form that goes out into the world, and what a part of a path may hold."""

from django.conf import settings
from django.http import HttpRequest
from django.urls.converters import StringConverter


class TextConverter(StringConverter):
    """`<text:...>` in a path: like `str`, but without the one character that Postgres cannot hold."""

    regex = r"[^/\x00]+"


class PackageConverter(StringConverter):
    """`<package:...>` in a path: a name on PyPI, or owner/name."""

    regex = r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9._-]+)?"


class VersionConverter(StringConverter):
    """`<version:...>` in a path: what can be a version or the number of a build."""

    regex = r"[bv]?[0-9][^/\x00]*"


class IssueIdConverter(StringConverter):
    """`<issue:...>` in a path: an issue's number in this database, or its public id."""

    regex = r"[0-9]+|[Ff][Bb]-[0-9A-Fa-f]{1,12}"


class PublicIdConverter(StringConverter):
    """`<fault:...>` in a path: a public id, however it is spelled."""

    regex = r"[Ff][Bb]-[0-9A-Fa-f]{1,12}"


def absolute(request: HttpRequest, path: str) -> str:
    """The full address of a path of ours: below SITE_URL where that is set, else as the visitor reached us."""
    site: str = settings.SITE_URL
    return site.rstrip("/") + path if site else request.build_absolute_uri(path)
