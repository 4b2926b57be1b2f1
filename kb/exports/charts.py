"""The numbers of a chart as records and as a JSON document."""

from collections.abc import Mapping

from kb.charts.caption import Origin
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
    chart: Chart, evidence: Evidence, drawn: Drawn, chosen: Mapping[str, str], search_url: str, origin: Origin
) -> Document:
    """The chart with its finding, method, options, filters, sources, codebook, date, notes and records."""
    return {
        "chart": chart.slug,
        "title": chart.title,
        "finding": drawn.sentence,
        "method": chart.method,
        "options": chosen,
        "filters": {key: str(value) for key, value in evidence.params.items()},
        "counted": {"issues": drawn.counted.issues, "of": drawn.counted.all_issues},
        "sources": [{"name": name, "issues": issues} for name, issues in drawn.sources],
        "codebook": {"scheme": origin.codebook, "version": origin.version},
        "counted_on": origin.day.isoformat(),
        "sample": "not a random sample",
        "url": origin.url,
        "notes": drawn.notes,
        "records": chart_records(drawn, search_url),
    }
