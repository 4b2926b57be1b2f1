"""The home page. Its numbers come from `selectors.overview`."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.charts.figures import percent, percent_range
from kb.charts.intervals import Interval
from kb.charts.samples import in_order, small_note
from kb.models import CauseLink, Node
from kb.selectors import overview
from kb.web.search.links import pair_url

EXAMPLES = (
    "hang in ZeRO-3",
    "CUDA error: an illegal memory access",
    "loss is NaN after resume",
    "out of memory with long prompts",
    "NCCL watchdog timeout",
)
SHOWN_FRAMEWORKS = 12


@dataclass(frozen=True)
class LinkLine:
    """A cause link as text: the share of the symptom's issues that have the cause, with its interval."""

    symptom: Node
    cause: Node
    issues: int
    of: int
    share: str
    interval: str
    few: str
    url: str


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Search box, counts, frameworks, common cause links, newest fixes and records."""
    counts, front = overview.counts(), overview.front()
    context = {
        "examples": EXAMPLES,
        "counts": counts,
        "frameworks": counts.frameworks[:SHOWN_FRAMEWORKS],
        "more_frameworks": max(0, len(counts.frameworks) - SHOWN_FRAMEWORKS),
        "links": [_line(link) for link in in_order(front.links, lambda link: link.symptom_issues)],
        "fixes": front.fixes,
        "records": front.records,
    }
    return render(request, "kb/home.html", context)


def _line(link: CauseLink) -> LinkLine:
    return LinkLine(
        symptom=link.symptom,
        cause=link.cause,
        issues=link.issues,
        of=link.symptom_issues,
        share=percent(link.probability),
        interval=percent_range(Interval(link.probability_low, link.probability_high)),
        few=small_note(link.symptom_issues),
        url=pair_url(link.symptom, link.cause, link.source),
    )
