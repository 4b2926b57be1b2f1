"""The pages that search engines are told of beside those that always stand: rows with a page, and when each changed."""

import datetime as dt
from typing import Any

from django.db.models import DateTimeField, Max, QuerySet
from django.db.models.functions import Cast, Greatest

from kb.models import Issue, Kind, Node, Study
from kb.selectors.playbooks import playbooks


def issue_pages() -> QuerySet[Any]:
    """Issues that stand on their host, with `changed_at`: when our record was read or the report changed last."""
    changed = Greatest(
        Cast("read_on", DateTimeField()), Cast("checked_on", DateTimeField()), "host_updated_at", "opened_at"
    )
    columns = ("ref", "public_id", "repository__host", "repository__full_name")
    stands = Issue.objects.exclude(kind=Kind.PULL_REQUEST).filter(deleted_at=None)
    return stands.annotate(changed_at=changed).select_related("repository").only(*columns).order_by("pk")


def changed_last() -> dt.datetime | None:
    """When any of these issues changed last."""
    last: dt.datetime | None = issue_pages().aggregate(last=Max("changed_at"))["last"]
    return last


def codebook_pages() -> list[str]:
    """Paths of the pages about categories, playbooks and studies; nothing says when they changed."""
    nodes = Node.objects.filter(status=Node.Status.ACTIVE).select_related("axis__scheme").order_by("pk")
    rows = (*nodes, *playbooks(), *Study.objects.order_by("pk"))
    return [row.get_absolute_url() for row in rows]
