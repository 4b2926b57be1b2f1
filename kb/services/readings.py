"""Writing the two readings of curated records."""

from collections.abc import Mapping

from django.db import transaction

from kb.models import TwoReadings
from kb.services.rows import Changes, FieldValues, replace_rows


@transaction.atomic
def save_two_readings(*, wanted: Mapping[int, FieldValues]) -> Changes:
    """Make the stored readings exactly these: the fields of `TwoReadings` by the issue's id."""
    return replace_rows(
        existing=TwoReadings.objects.all(),
        key=lambda row: row.pk,
        wanted={pk: {"issue_id": pk, **values} for pk, values in wanted.items()},
        create=lambda fields: TwoReadings(**fields),
    )
