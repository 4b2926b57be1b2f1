"""The label audit: the sets that can be audited, and one set with all findings, as a page, CSV or JSON."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from kb.audit import LEVEL, Finding, Line, Share, Table, Verdict, audit
from kb.audit.findings import Cell, chance
from kb.audit.panels import LabelSet, PanelKeeper, Reader, find_set, list_sets
from kb.charts.figures import percent
from kb.exports import citations
from kb.http.site import absolute
from kb.web.explore import audit_files
from kb.web.parameters import chosen

KEPT_SECONDS = 24 * 3_600
# Goes up when a check changes, so that nobody is shown what an older one found.
VERSION = 1


@dataclass(frozen=True)
class ShownCell:
    """A cell as the page shows it; the bar's numbers are percents of its width."""

    text: str
    detail: str = ""
    low: float = 0
    width: float = 0
    at: float | None = None


@require_safe
def audits(request: HttpRequest) -> HttpResponse:
    """Every label set that the reader may see, with how its audit came out."""
    reader = _reader(request)
    rows = []
    for keeper, one in list_sets(reader=reader):
        counts = Counter(finding.verdict for finding in (_findings(keeper, reader, one) if one.axes else ()))
        rows.append({"set": one, "verdicts": [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]]})
    response = render(request, "kb/explore/audits.html", {"rows": rows, "verdicts": list(Verdict)})
    return _kept_private(response, is_public=reader is None)


@require_safe
def audit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One set on one of its questions (`?axis=`); `?format=csv` and `?format=json` are the same as a file."""
    reader = _reader(request)
    found = find_set(reader=reader, slug=slug)
    if found is None or not found[1].axes:
        raise Http404("There is no such label set.")
    keeper, one = found
    code = chosen(request.GET, "axis", one.axes, noun="question of this set", default=one.axes[0][0])
    axis = next(pair for pair in one.axes if pair[0] == code)
    findings = _findings(keeper, reader, one, axis[0])
    wanted = request.GET.get("format")
    if wanted == "csv":
        response = audit_files.csv_file(findings, name=f"audit-{slug}-{axis[0]}.csv")
    elif wanted == "json":
        response = JsonResponse(audit_files.as_values(one, axis[0], findings))
    else:
        response = render(request, "kb/explore/audit.html", _context(request, one, axis, findings))
    return _kept_private(response, is_public=one.is_public and reader is None)


def _reader(request: HttpRequest) -> Reader:
    return request.user.pk if request.user.is_authenticated else None


def _kept_private(response: HttpResponse, *, is_public: bool) -> HttpResponse:
    if not is_public:
        add_never_cache_headers(response)
    return response


def _findings(keeper: PanelKeeper, reader: Reader, one: LabelSet, axis: str = "") -> tuple[Finding, ...]:
    """The audit of a set that the keeper gave this reader; kept until votes or what is known of the issues change."""
    axis = axis or one.axes[0][0]
    state = hashlib.sha256(f"{one.slug}:{axis}:{one.state}".encode()).hexdigest()
    key = f"audit:{VERSION}:{state}"
    kept: tuple[Finding, ...] | None = cache.get(key)
    if kept is None:
        kept = audit(keeper.read_panel(reader=reader, slug=one.slug, axis=axis))
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _context(
    request: HttpRequest, one: LabelSet, axis: tuple[str, str], findings: tuple[Finding, ...]
) -> dict[str, Any]:
    address = reverse("audit", args=(one.slug,))
    cited = citations.Item(
        key=citations.item_key("audit", one.slug, axis[0]),
        title=f"Label audit of {one.name}, {axis[1].lower()}",
        page_url=absolute(request, f"{address}?axis={axis[0]}"),
    )
    counts = Counter(finding.verdict for finding in findings)
    today = timezone.localdate()
    return {
        "set": one,
        "axis": axis,
        "trail": [("Label audit", reverse("audits"))],
        "axes": [
            {"name": name, "url": f"{address}?axis={code}", "selected": code == axis[0]} for code, name in one.axes
        ],
        "counts": [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]],
        "loud": [f for f in findings if f.verdict in (Verdict.NOT_INDEPENDENT, Verdict.LOOK_CLOSER)],
        "findings": [
            {"finding": f, "chances": _chances(f), "tables": [_shown(table) for table in f.tables]} for f in findings
        ],
        "level": percent(LEVEL),
        "citation": citations.plain_text(cited, accessed=today),
        "bibtex": citations.bibtex(cited, accessed=today),
    }


def _chances(finding: Finding) -> str:
    """The chance alone and among all checks, in words."""
    if finding.p is None or finding.adjusted is None:
        return ""
    return f"{chance(finding.p)}; among all checks (Holm) {chance(finding.adjusted)}"


def _shown(table: Table) -> dict[str, Any]:
    lines = [(line.name, _cells(line)) for line in table.lines]
    return {"title": table.title, "first": table.first, "columns": table.columns, "lines": lines}


def _cells(line: Line) -> list[ShownCell]:
    return [_cell(cell) for cell in line.cells]


def _cell(cell: Cell) -> ShownCell:
    if not isinstance(cell, Share):
        return ShownCell("not known" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell)
    span, value = cell.interval, cell.value
    if span is None or value is None:
        return ShownCell("none to count")
    return ShownCell(
        text=f"{100 * value:.1f} %",
        detail=f"{100 * span.low:.1f}–{100 * span.high:.1f} %, {cell.cases:,} of {cell.of:,}",
        low=round(100 * span.low, 2),
        width=round(100 * (span.high - span.low), 2),
        at=round(99 * value, 2),
    )
