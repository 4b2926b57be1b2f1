"""Releases without their archives, and who may read one."""

from django.db.models import Exists, OuterRef, QuerySet

from labeling.models import Item, Member, Release, Round
from labeling.selectors import visible


def releases(*, project_id: int) -> QuerySet[Release]:
    """The project's releases, newest first."""
    rows = Release.objects.filter(project=project_id).defer("archive")
    return rows.select_related("created_by__user", "codebook").order_by("-number")


def release_of(*, member: Member, number: int) -> Release:
    """A release of the member's project by its number. Raises Release.DoesNotExist."""
    return releases(project_id=member.project_id).get(number=number)


def may_read(*, member: Member, release: Release) -> bool:
    """Whether the member may see all votes in the release; adjudicators only after their first opinions."""
    closed = Item.objects.filter(
        round__project=member.project_id, round__state=Round.State.CLOSED, round__closed_at__lte=release.created_at
    )
    visible_items = visible.released_items(member=member).filter(pk=OuterRef("pk"))
    return not closed.filter(~Exists(visible_items)).exists()
