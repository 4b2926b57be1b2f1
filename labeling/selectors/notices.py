"""A person's notices, as they chose to get them, and who has any to be mailed."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from labeling.models import Notice, NoticeChoice

# What could not be mailed for so long is no news any more.
MAILED_WITHIN = dt.timedelta(days=3)


@dataclass(frozen=True)
class Wish:
    """Where a person wants notices of one kind."""

    kind: Notice.Kind
    on_site: bool
    by_mail: bool


def wishes(*, user: User) -> Sequence[Wish]:
    """The person's choice for each kind."""
    rows = {row.kind: row for row in NoticeChoice.objects.filter(user=user)}
    chosen = []
    for kind in Notice.Kind:
        row = rows.get(kind.value)
        chosen.append(Wish(kind, row.on_site, row.by_mail) if row else Wish(kind, on_site=True, by_mail=True))
    return chosen


def shown(*, user: User) -> QuerySet[Notice]:
    """The notices that the person sees on the site, the newest first, of projects that they are in."""
    return _wanted(on_site=False).filter(member__user=user)


def unread_count(*, user_id: int) -> int:
    """How many of them the person has not marked as read."""
    return _wanted(on_site=False).filter(member__user=user_id, read_at=None).count()


def to_mail() -> QuerySet[Notice]:
    """The notices that wait to be mailed, the oldest first."""
    since = timezone.now() - MAILED_WITHIN
    waiting = _wanted(by_mail=False).filter(mailed_at=None, created_at__gt=since, member__user__is_active=True)
    return waiting.exclude(member__user__email="").order_by("created_at", "pk")


def people_to_mail() -> list[int]:
    """The ids of the accounts to which a digest is due."""
    return list(to_mail().order_by("member__user").values_list("member__user", flat=True).distinct())


def _wanted(**unwanted: bool) -> QuerySet[Notice]:
    """Notices of members who have not left, without the kinds that they chose not to get like this."""
    off = NoticeChoice.objects.filter(user=OuterRef("member__user"), kind=OuterRef("kind"), **unwanted)
    notices = Notice.objects.filter(~Exists(off), member__left_at=None)
    return notices.select_related("member__project", "round")
