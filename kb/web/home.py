"""The home page. Its numbers come from `selectors.overview`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.charts.figures import percent, percent_range
from kb.charts.samples import is_drawn, small_note
from kb.core.intervals import Interval
from kb.models import CauseLink, Node
from kb.selectors import overview
from kb.web.link_rows import Bar
from kb.web.parameters import reads
from kb.web.search.links import pair_url

EXAMPLES = (
    "hang in ZeRO-3",
    "CUDA error: an illegal memory access",
    "loss is NaN after resume",
    "out of memory with long prompts",
    "NCCL watchdog timeout",
)
SHOWN_FRAMEWORKS = 12
SHOWN_SYMPTOMS, SHOWN_CAUSES = 5, 3


@dataclass(frozen=True)
class CauseLine:
    """A cause of a symptom: the share of the symptom's issues that have it, with its interval."""

    cause: Node
    issues: int
    share: str
    interval: str
    bar: Bar
    url: str


@dataclass(frozen=True)
class SymptomCauses:
    """A symptom's commonest causes; `of` is the number of its issues whose cause is known."""

    symptom: Node
    of: int
    small: str
    url: str
    causes: Sequence[CauseLine]


@reads()
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The search box, what is described and what is mirrored, the commonest causes by symptom, the newest fixes."""
    counts, front = overview.counts(), overview.front()
    context = {
        "examples": EXAMPLES,
        "counts": counts,
        "frameworks": counts.frameworks[:SHOWN_FRAMEWORKS],
        "more_frameworks": max(0, len(counts.frameworks) - SHOWN_FRAMEWORKS),
        "symptoms": _by_symptom(front.links),
        "fixes": front.fixes,
    }
    return render(request, "kb/home.html", context)


def _by_symptom(links: Sequence[CauseLink]) -> list[SymptomCauses]:
    """The links by symptom, the commonest first; of too few issues no share is drawn."""
    drawn = [link for link in links if is_drawn(link.symptom_issues)]
    groups = [_causes(symptom, list(group)) for symptom, group in groupby(drawn, key=attrgetter("symptom"))]
    return groups[:SHOWN_SYMPTOMS]


def _causes(symptom: Node, links: Sequence[CauseLink]) -> SymptomCauses:
    of = links[0].symptom_issues
    return SymptomCauses(
        symptom=symptom,
        of=of,
        small=small_note(of),
        url=f"{reverse('given')}?symptom={symptom.code}",
        causes=[_line(link) for link in links[:SHOWN_CAUSES]],
    )


def _line(link: CauseLink) -> CauseLine:
    interval = Interval(link.probability_low, link.probability_high)
    return CauseLine(
        cause=link.cause,
        issues=link.issues,
        share=percent(link.probability),
        interval=percent_range(interval),
        bar=Bar(round(interval.low * 100), round(link.probability * 100), round(interval.high * 100)),
        url=pair_url(link.symptom, link.cause, link.source),
    )
