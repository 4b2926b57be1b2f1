"""Writing which other reports a record answers."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from kb.models import Issue, OtherReport, Repository
from kb.services.rows import Changes, replace_rows


@transaction.atomic
def save_other_reports(*, wanted: Mapping[Issue, Sequence[tuple[Repository, str]]]) -> Changes:
    """Make the other reports of each record, by repository and number, exactly these."""
    rows = {}
    for record, reports in wanted.items():
        for repository, ref in reports:
            rows[record.pk, repository.pk, ref] = {"record": record, "repository": repository, "ref": ref}
    return replace_rows(
        existing=OtherReport.objects.filter(record__in=wanted).select_related("record", "repository"),
        key=lambda row: (row.record_id, row.repository_id, row.ref),
        wanted=rows,
        create=lambda values: OtherReport(**values),
    )
