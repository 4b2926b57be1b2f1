"""A project's audit log, filtered, for its leads and the site's staff."""

from django.db.models import QuerySet

from labeling.models import AuditEntry, Member


def entries(*, project_id: int, kind: str = "", member: int | None = None) -> QuerySet[AuditEntry]:
    """What was done in the project, the newest first; only of a kind, or by or to a member, where these are given."""
    rows = AuditEntry.objects.filter(project=project_id).select_related("member__user", "staff", "about__user")
    if kind:
        rows = rows.filter(kind=kind)
    if member is not None:
        rows = rows.filter(member=member) | rows.filter(about=member)
    return rows


def people(*, project_id: int) -> QuerySet[Member]:
    """Everybody who is or was in the project, in the order they joined."""
    return Member.objects.filter(project=project_id).select_related("user").order_by("joined_at", "pk")
