"""The one way to write into a project's audit log: in the transaction of the act itself, so that neither is without the
other. Details hold numbers, roles and rules; no answer, and nothing of votes.
"""

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import AuditEntry, Member, Project, Round

MOST_DETAIL = 200


def record(
    *, by: Member, kind: AuditEntry.Kind, about: Member | None = None, round_: Round | None = None, detail: str = ""
) -> None:
    """Record what a member did to their project. Raises RuntimeError outside of a transaction."""
    _require_transaction()
    AuditEntry.objects.create(
        project_id=by.project_id, kind=kind, member=by, about=about, detail=detail[:MOST_DETAIL],
        round_number=round_.number if round_ else None, round_name=round_.name if round_ else "",
    )  # fmt: skip


def record_staff(*, by: User, project: Project, kind: AuditEntry.Kind, detail: str = "") -> None:
    """Record what the site's staff did to a project; their reason is in `StaffAction`."""
    _require_transaction()
    AuditEntry.objects.create(project=project, kind=kind, staff=by, detail=detail[:MOST_DETAIL])


def _require_transaction() -> None:
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An act and its record are written in one transaction.")
