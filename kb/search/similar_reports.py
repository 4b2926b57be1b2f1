"""The known issues that a whole report may be of, from the database. How they are judged is `kb.core.search`."""

from collections.abc import Callable

from kb.core.search.cards import Card
from kb.core.search.similar_reports import Report
from kb.core.search.similar_reports import similar_to_report as similar_among
from kb.core.similar import SimilarReportData
from kb.models import Framework
from kb.search.error_matches import StoredIssues
from kb.search.similar import search_draft


class UnknownFrameworkError(ValueError):
    """No framework has this slug; the text says where to find those that there are."""


def similar_to_report(report: Report, page_address: Callable[[str], str]) -> SimilarReportData:
    """The issues that may be the report's fault, the most probable first. Raises `UnknownFrameworkError`."""
    if report.framework and not Framework.objects.filter(slug=report.framework).exists():
        raise UnknownFrameworkError(
            f"“{report.framework}” is no framework here; /api/v1/frameworks/ lists their slugs."
        )
    return similar_among(report, StoredIssues(), _closest, page_address)


def _closest(title: str, body: str, limit: int) -> list[Card]:
    return [row.card for row in search_draft(title, body, limit=limit).rows]
