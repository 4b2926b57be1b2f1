"""Which repositories are mirrored: taking one up, and changing how."""

import datetime as dt

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from ingest.models import Cursor, KeywordList, LeftOut, Mirror
from ingest.models.sync import LONGEST_MINUTES, SHORTEST_MINUTES, USUAL_MINUTES
from kb.models import Repository
from kb.services.locks import session_lock
from kb.services.repositories import ensure_framework, ensure_frameworks, ensure_repository, resolve_repository

OTHER = "other"
# So long somebody who asked by a page waits for a run to end.
READ_AGAIN_WAIT = 2.0


def lock_name(mirror: Mirror) -> str:
    """The lock that keeps writers of one repository apart."""
    return f"mirror of {mirror.repository.url}"


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
    `BadWishError`, `kb.core.addresses.BadAddressError` or `kb.services.repositories.UnknownFrameworkError`.
    """
    if interval_minutes is None:
        interval_minutes = USUAL_MINUTES
    if not SHORTEST_MINUTES <= interval_minutes <= LONGEST_MINUTES:
        raise BadWishError(f"the interval must be between {SHORTEST_MINUTES} and {LONGEST_MINUTES} minutes (a week)")
    if backfill_from is not None and backfill_from > timezone.now().date():
        raise BadWishError("the first day to mirror is in the future")
    mirror, is_new = Mirror.objects.select_related("repository", "keywords").get_or_create(
        repository=_repository(url, framework),
        defaults={"keywords": keywords, "backfill_from": backfill_from, "interval_minutes": interval_minutes},
    )
    if is_new:
        Cursor.objects.create(mirror=mirror)
    return mirror, is_new


def _repository(url: str, framework: str) -> Repository:
    if framework:
        return ensure_repository(url=url, framework=framework)
    repository = resolve_repository(url=url)
    if repository is None:
        ensure_frameworks()
        repository = resolve_repository(url=url)
    if repository is None:
        ensure_framework(slug=OTHER, name="Other frameworks")
        repository = ensure_repository(url=url, framework=OTHER)
    return repository


def pause(*, mirror: Mirror) -> None:
    """Stop asking the host; what was mirrored stays as it is."""
    Mirror.objects.filter(pk=mirror.pk).update(is_on=False)


@transaction.atomic
def resume(*, mirror: Mirror) -> None:
    """Ask the host again, beginning at once."""
    Mirror.objects.filter(pk=mirror.pk).update(is_on=True)
    make_due(mirror=mirror)


def make_due(*, mirror: Mirror) -> None:
    """Let the next run begin as soon as a worker is free and the host allows it."""
    Cursor.objects.filter(mirror=mirror).update(due_at=timezone.now())


def ask_sweep(*, mirror: Mirror) -> None:
    """Have every issue looked at again, as soon as the host allows it; asking twice is asking once."""
    Cursor.objects.filter(mirror=mirror).update(sweep_asked_at=timezone.now(), swept_up_to=0)


def read_all_again(*, mirror: Mirror) -> None:
    """Have the host's whole list read again, from the day that the mirror begins with; what we hold stays meanwhile.

    What the keywords left out is sorted anew. Raises `LockHeldError` while a run goes on, which would not notice.
    """
    with session_lock(lock_name(mirror), wait_seconds=READ_AGAIN_WAIT), transaction.atomic():
        Cursor.objects.filter(mirror=mirror).update(
            updated_at=None, next_url="", is_complete=False, probe_since=None, probe_etag="", expected=None,
            known_gap=[], due_at=timezone.now(),
        )  # fmt: skip
        LeftOut.objects.filter(mirror=mirror, overruled_at__isnull=True).delete()


@transaction.atomic
def keep_after_all(*, left_out: LeftOut, user: AbstractBaseUser) -> None:
    """Note that somebody wants an issue kept which the keywords left out; reading it is for the caller."""
    LeftOut.objects.filter(pk=left_out.pk, overruled_at__isnull=True).update(
        overruled_by=user.pk, overruled_at=timezone.now()
    )
