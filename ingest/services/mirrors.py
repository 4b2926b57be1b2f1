"""Which repositories are mirrored: taking one up, and changing how."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from ingest.models import Cursor, KeywordList, LeftOut, Mirror
from ingest.services.locks import hold_alone
from kb.models import Repository
from kb.services.repositories import ensure_framework, ensure_repository

OTHER = "other"
# So long somebody who asked by a page waits for a run to end.
READ_AGAIN_WAIT = 2.0


def lock_name(mirror: Mirror) -> str:
    """The lock that keeps writers of one repository apart."""
    return f"mirror of {mirror.repository.url}"


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
    Cursor.objects.filter(mirror=mirror).update(sweep_asked_at=timezone.now(), swept_ref=0)


def read_all_again(*, mirror: Mirror) -> None:
    """Have the host's whole list read again, from the day that the mirror begins with; what we hold stays meanwhile.

    What the keywords left out is sorted anew. Raises `BusyError` while a run goes on, which would not notice.
    """
    with hold_alone(name=lock_name(mirror), wait_seconds=READ_AGAIN_WAIT), transaction.atomic():
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
