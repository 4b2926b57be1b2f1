"""Which repositories are mirrored: taking one up, and changing how."""

from django.db import transaction

from ingest.models import Cursor, KeywordList, Mirror
from kb.models import Repository
from kb.services.repositories import ensure_framework, ensure_repository

OTHER = "other"


@transaction.atomic
def add_mirror(*, url: str, framework: str = "", keywords: KeywordList | None = None) -> tuple[Mirror, bool]:
    """Mirror the repository at an address; returns the mirror, and whether it is new.

    `framework` is a slug, asked for only where the house's list does not have the repository; without one it is
    filed under other frameworks. Raises `kb.addresses.BadAddressError` or
    `kb.services.repositories.UnknownFrameworkError`.
    """
    if not framework:
        ensure_framework(slug=OTHER, name="Other frameworks")
    repository = ensure_repository(url=url, framework=framework or OTHER)
    return _ensure(repository, keywords)


def _ensure(repository: Repository, keywords: KeywordList | None) -> tuple[Mirror, bool]:
    mirror, is_new = Mirror.objects.get_or_create(repository=repository, defaults={"keywords": keywords})
    if is_new:
        Cursor.objects.create(mirror=mirror)
    return mirror, is_new
