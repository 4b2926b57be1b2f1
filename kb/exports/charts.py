"""The numbers of a chart as records and as a JSON document."""

from collections.abc import Mapping

from kb.charts.chart import Chart, Drawn, Record
from kb.charts.evidence import Evidence
from kb.exports import Document


def chart_records(drawn: Drawn, search_url: str) -> list[Record]:
    """The chart's records with full addresses; `search_url` is that of the search without a query."""
    records = []
    for record in drawn.records:
        query = record["query"]
        records.append(record | {"query": f"{search_url}?{query}" if query else ""})
    return records


def chart_document(
    chart: Chart, evidence: Evidence, drawn: Drawn, chosen: Mapping[str, str], search_url: str
) -> Document:
    """The chart with its method, options, filters, sources, notes and records."""
    return {
        "chart": chart.slug,
        "title": chart.title,
        "method": chart.method,
        "options": chosen,
        "filters": {key: str(value) for key, value in evidence.params.items()},
        "counted": {"issues": drawn.counted.issues, "of": drawn.counted.all_issues},
        "sources": [{"name": name, "issues": issues} for name, issues in drawn.sources],
        "notes": drawn.notes,
        "records": chart_records(drawn, search_url),
    }
