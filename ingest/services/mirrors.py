"""Which repositories are mirrored: taking one up, and changing how."""

import datetime as dt

from django.db import transaction
from django.utils import timezone

from ingest.models import Cursor, KeywordList, Mirror
from ingest.models.sync import LONGEST_MINUTES, SHORTEST_MINUTES
from kb.models import Repository
from kb.services.repositories import ensure_framework, ensure_frameworks, ensure_repository, resolve_repository

OTHER = "other"


class BadWishError(ValueError):
    """A mirror cannot be kept in the way that was wished; the message says why, in plain words."""


@transaction.atomic
def add_mirror(
    *,
    url: str,
    framework: str = "",
    keywords: KeywordList | None = None,
    interval_minutes: int | None = None,
    backfill_from: dt.date | None = None,
) -> tuple[Mirror, bool]:
    """Mirror the repository at an address; returns the mirror, and whether it is new.

    `framework` is a slug, asked for only where the house's list does not have the repository; without one it is
    filed under other frameworks. A mirror that is there already stays as it is, whatever is wished. Raises
    `BadWishError`, `kb.addresses.BadAddressError` or `kb.services.repositories.UnknownFrameworkError`.
    """
    wishes: dict[str, object] = {"keywords": keywords, "backfill_from": backfill_from}
    if interval_minutes is not None:
        wishes["interval_minutes"] = interval_minutes
    _refuse_nonsense(interval_minutes, backfill_from)
    mirror, is_new = Mirror.objects.select_related("repository", "keywords").get_or_create(
        repository=_repository(url, framework), defaults=wishes
    )
    if is_new:
        Cursor.objects.create(mirror=mirror)
    return mirror, is_new


def _refuse_nonsense(interval_minutes: int | None, backfill_from: dt.date | None) -> None:
    if interval_minutes is not None and not SHORTEST_MINUTES <= interval_minutes <= LONGEST_MINUTES:
        raise BadWishError(f"the interval must be between {SHORTEST_MINUTES} and {LONGEST_MINUTES} minutes (a week)")
    if backfill_from is not None and backfill_from > timezone.now().date():
        raise BadWishError("the day from which on to mirror is still to come")


def _repository(url: str, framework: str) -> Repository:
    if framework:
        return ensure_repository(url=url, framework=framework)
    found = resolve_repository(url=url)
    if found is None:
        ensure_frameworks()
        found = resolve_repository(url=url)
    if found is None:
        ensure_framework(slug=OTHER, name="Other frameworks")
        found = ensure_repository(url=url, framework=OTHER)
    return found
