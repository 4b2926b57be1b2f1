"""Small builders of mirrors and what belongs to them, without a host."""

import datetime as dt
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ingest.models import Cursor, LeftOut, Mirror, SyncRun
from kb.models import Issue
from tests.support.factories import make_issue, make_repository


def make_mirror(name: str = "octo/engine", *, mirror: dict[str, Any] | None = None, **cursor: Any) -> Mirror:
    """A mirror that was complete four minutes ago, unless told otherwise; `mirror` and the rest are its fields."""
    made = Mirror.objects.create(repository=make_repository(name, "engine"), **(mirror or {}))
    now = timezone.now()
    defaults = {
        "is_complete": True,
        "fresh_at": now - dt.timedelta(minutes=4),
        "due_at": now + dt.timedelta(minutes=11),
    }
    Cursor.objects.create(mirror=made, **defaults | cursor)
    return made


def make_run(mirror: Mirror, *, minutes_ago: float = 4, **fields: Any) -> SyncRun:
    """A run that ended well after two seconds, unless told otherwise."""
    began = timezone.now() - dt.timedelta(minutes=minutes_ago)
    defaults = {"kind": "poll", "status": "done", "finished_at": began + dt.timedelta(seconds=2), "requests": 1}
    run = SyncRun.objects.create(mirror=mirror, **defaults | fields)
    SyncRun.objects.filter(pk=run.pk).update(started_at=began)
    return run


def make_mirrored(mirror: Mirror, ref: int, **fields: Any) -> Issue:
    """An issue as a mirror holds it."""
    return make_issue(ref, repository=mirror.repository, node_id=f"I_{mirror.pk}_{ref}", **fields)


def make_left_out(mirror: Mirror, ref: int, **fields: Any) -> LeftOut:
    """An issue that the keywords left out."""
    return LeftOut.objects.create(mirror=mirror, ref=str(ref), **{"kind": "issue", "title": f"Title {ref}"} | fields)


def staff() -> Client:
    """A browser in which somebody is logged in who may do everything."""
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client
