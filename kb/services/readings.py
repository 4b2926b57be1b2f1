"""Writing which two readings a curated record had."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from kb.models import TwoReadings
from kb.services.rows import Changes, sync_rows


@transaction.atomic
def save_two_readings(*, wanted: Mapping[int, Mapping[str, Any]]) -> Changes:
    """Make the kept readings exactly these: the fields of `TwoReadings`, by the issue's id."""
    removed, _ = TwoReadings.objects.exclude(pk__in=wanted).delete()
    found = sync_rows(
        existing=TwoReadings.objects.all(),
        key=lambda row: row.pk,
        wanted={pk: {"issue_id": pk, **values} for pk, values in wanted.items()},
        create=lambda fields: TwoReadings(**fields),
    )
    return found.changes + Changes(removed=removed)
