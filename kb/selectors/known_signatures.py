"""Failure signatures that staff confirmed."""

import datetime as dt
from dataclasses import dataclass

from kb.models import Issue, KnownSignature, Node


@dataclass(frozen=True)
class Confirmed:
    """The confirmed issue or root cause of a signature, or both; by whom and when."""

    issue: Issue | None
    cause: Node | None
    by: str
    at: dt.datetime


def confirmed(*, key: str, version: int) -> list[Confirmed]:
    """The distinct confirmations of a signature, the newest first."""
    rows = (
        KnownSignature.objects.filter(key=key, version=version)
        .select_related("issue__repository", "cause__axis__scheme", "confirmed_by")
        .order_by("-confirmed_at", "-pk")
    )
    newest: dict[tuple[int | None, int | None], Confirmed] = {}
    for row in rows:
        by = row.confirmed_by.get_username() if row.confirmed_by else ""
        newest.setdefault((row.issue_id, row.cause_id), Confirmed(row.issue, row.cause, by, row.confirmed_at))
    return list(newest.values())
