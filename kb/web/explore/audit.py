"""The label audit: the sets that can be audited, and one set with all findings, as a page, CSV or JSON."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from kb.audit import LEVEL, Finding, Share, Verdict
from kb.audit.cached import cached_audit
from kb.audit.findings import Cell, chance
from kb.audit.panels import LabelSet, Reader, find_set, list_sets
from kb.charts.figures import percent
from kb.exports import citations
from kb.exports.audit import audit_document, audit_lines
from kb.http.site import absolute
from kb.web.explore.files import csv_lines_file
from kb.web.explore.query_form import Switch, SwitchChoice
from kb.web.parameters import chosen


@dataclass(frozen=True)
class ShownCell:
    """A cell as the page shows it; the bar's numbers are percents of its width."""

    text: str
    detail: str = ""
    low: float = 0
    width: float = 0
    at: float | None = None


@dataclass(frozen=True)
class ShownTable:
    """A table as the page shows it: its lines are a name and cells."""

    title: str
    first: str
    columns: tuple[str, ...]
    lines: list[tuple[str, list[ShownCell]]]


@dataclass(frozen=True)
class ShownFinding:
    """A finding as the page shows it; `chances` is empty for a check without a chance."""

    finding: Finding
    chances: str
    tables: list[ShownTable]


@require_safe
def audits(request: HttpRequest) -> HttpResponse:
    """Every label set that the reader may see, with how its audit came out."""
    reader = _reader(request)
    rows = []
    for keeper, label_set in list_sets(reader=reader):
        findings: Sequence[Finding] = ()
        if label_set.axes:
            findings = cached_audit(keeper, label_set, label_set.axes[0][0], reader=reader)
        rows.append({"set": label_set, "verdicts": _verdicts(findings)})
    response = render(request, "kb/explore/audits.html", {"rows": rows, "verdicts": list(Verdict)})
    if reader is not None:
        add_never_cache_headers(response)
    return response


@require_safe
def audit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One set on one of its questions (`?axis=`); `?format=csv` and `?format=json` are the same as a file."""
    reader = _reader(request)
    match = find_set(reader=reader, slug=slug)
    if match is None or not match[1].axes:
        raise Http404("There is no such label set.")
    keeper, label_set = match
    axes = dict(label_set.axes)
    axis = chosen(request.GET, "axis", label_set.axes, noun="question of this set", default=label_set.axes[0][0])
    findings = cached_audit(keeper, label_set, axis, reader=reader)
    file_format = request.GET.get("format")
    if file_format == "csv":
        response = csv_lines_file(f"audit-{slug}-{axis}.csv", audit_lines(findings))
    elif file_format == "json":
        response = JsonResponse(audit_document(label_set, axis, findings))
    else:
        response = _page(request, label_set, axis, axes[axis], findings)
    if reader is not None or not label_set.is_public:
        add_never_cache_headers(response)
    return response


def _page(
    request: HttpRequest, label_set: LabelSet, axis: str, axis_name: str, findings: Sequence[Finding]
) -> HttpResponse:
    address = reverse("audit", args=(label_set.slug,))
    cited = citations.Item(
        key=citations.item_key("audit", label_set.slug, axis),
        title=f"Label audit of {label_set.name}, {axis_name.lower()}",
        page_url=absolute(request, f"{address}?axis={axis}"),
    )
    context = {
        "set": label_set,
        "axis": (axis, axis_name),
        "trail": [("Label audit", reverse("audits"))],
        "questions": Switch(
            "Question",
            [SwitchChoice(name, f"{address}?axis={code}", code == axis) for code, name in label_set.axes],
        ),
        "counts": _verdicts(findings),
        "loud": [each for each in findings if each.verdict in (Verdict.NOT_INDEPENDENT, Verdict.LOOK_CLOSER)],
        "findings": [_shown(finding) for finding in findings],
        "level": percent(LEVEL),
        **citations.cite(cited, accessed=timezone.localdate()),
    }
    return render(request, "kb/explore/audit.html", context)


def _reader(request: HttpRequest) -> Reader:
    return request.user.pk if request.user.is_authenticated else None


def _verdicts(findings: Iterable[Finding]) -> list[tuple[Verdict, int]]:
    """How often each verdict was reached, the worst first."""
    counts = Counter(finding.verdict for finding in findings)
    return [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]]


def _shown(finding: Finding) -> ShownFinding:
    chances = ""
    if finding.p is not None and finding.adjusted is not None:
        chances = f"{chance(finding.p)}; among all checks (Holm) {chance(finding.adjusted)}"
    tables = []
    for table in finding.tables:
        lines = [(line.name, [_shown_cell(cell) for cell in line.cells]) for line in table.lines]
        tables.append(ShownTable(table.title, table.first, table.columns, lines))
    return ShownFinding(finding, chances, tables)


def _shown_cell(cell: Cell) -> ShownCell:
    if cell is None:
        return ShownCell("not known")
    if isinstance(cell, int):
        return ShownCell(f"{cell:,}")
    if not isinstance(cell, Share):
        return ShownCell(cell)
    interval, value = cell.interval, cell.value
    if interval is None or value is None:
        return ShownCell("none to count")
    low, high = 100 * interval.low, 100 * interval.high
    return ShownCell(
        text=f"{100 * value:.1f} %",
        detail=f"{low:.1f}–{high:.1f} %, {cell.cases:,} of {cell.of:,}",
        low=round(low, 2),
        width=round(100 * (interval.high - interval.low), 2),
        at=round(99 * value, 2),
    )
