"""How far the annotators of a round agree, for whom its votes are no secret any more; and the table it stands on."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.exports.tables import csv_lines
from kb.web.parameters import chosen
from labeling.agreement import MISSING, SAMPLES, SEED, AxisReport, VoteTable
from labeling.agreement.reasons import said
from labeling.agreement.words import HIGH_OBSERVED, TENTATIVE, percent
from labeling.models import Member
from labeling.selectors import results
from labeling.tasks import measure_round
from labeling.web.access import project_page, round_of
from labeling.web.results.agreement_rows import Number, confused, headline, node_rows, number
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, ONE_SENDING, is_left_to_workers, send, worker_lives

MOST_PAIRS_SHOWN = 450


@require_safe
@project_page()
def agreement(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """A round's agreement: all axes in short, one of them in full."""
    round_ = round_of(member, number)
    votes = results.seen_votes(member=member, round_=round_)
    names = results.names_of(codebook=round_.codebook)
    context: dict[str, Any] = {
        "member": member, "project": member.project, "here": "results", "round": round_, "votes": votes.number,
        "limits": (TENTATIVE, HIGH_OBSERVED), "samples": SAMPLES, "seed": SEED,
    }  # fmt: skip
    kept, many = results.known(votes, names), votes.number > results.AT_ONCE
    measuring = (
        many
        and kept is None
        and is_left_to_workers(f"measured:{votes.fingerprint}", measure_round, member.pk, round_.pk)
    )
    if votes.number and not measuring:
        found = kept if kept and (many or kept.is_whole) else results.quickly_measured(votes, names)
        # Not once more for every reader and every look.
        if not found.is_whole and cache.add(f"labeling:measuring:{votes.fingerprint}", 1, timeout=ONE_SENDING):
            send(measure_round, member.pk, round_.pk)
        context |= _shown(request, found.reports, names.axes) | {"is_whole": found.is_whole}
        axis = str(context["report"].axis)
        context["axis_name"] = names.axes[axis]
        only_known = worker_lives()
        context["by_round"] = _drift(results.by_round(member=member, only_known=only_known), axis)
        context["by_codebook"] = _drift(results.by_codebook(member=member, only_known=only_known), axis)
        context["axes"] = [(report, names.axes[report.axis], few) for report, few in headline(found.reports)]
    response = render(request, "labeling/results/agreement.html", context | {"measuring": measuring})
    if votes.number and not context.get("is_whole"):
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


@require_safe
@project_page()
def matrix(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """The table that one axis' numbers were computed from, as CSV: issues by annotators."""
    round_ = round_of(member, number)
    names = results.names_of(codebook=round_.codebook)
    tables = results.tables(results.seen_votes(member=member, round_=round_), names)
    axis = chosen(request.GET, "axis", names.axes.items(), noun="axis")
    if axis not in tables:
        raise Http404("Nothing was voted on this question.")
    response = StreamingHttpResponse(csv_lines(_rows(tables[axis])), content_type="text/csv; charset=utf-8")
    name = f"{member.project.slug}-round-{round_.number}-{axis}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _shown(request: HttpRequest, reports: tuple[AxisReport, ...], names: Mapping[str, str]) -> dict[str, Any]:
    """The axis that was asked for, else the first, in full."""
    by_code = {one.axis: one for one in reports}
    known = [(code, names[code]) for code in by_code]
    report = by_code[chosen(request.GET, "axis", known, noun="axis with votes", default=reports[0].axis)]
    return {
        "report": report,
        "coefficients": [number(one) for one in report.coefficients],
        "nodes": node_rows(report),
        "pairs": [(one, number(one.kappa)) for one in report.pairs[:MOST_PAIRS_SHOWN]],
        "dissent": [(one, "" if one.rate is None else percent(one.rate)) for one in report.dissent],
        "confusion": confused(report.confusion),
    }


def _drift(steps: list[results.Step], axis: str) -> list[tuple[results.Step, AxisReport, list[Number]]]:
    """One axis over time: each round or codebook in which it was asked, with the numbers to compare."""
    asked = [(step, report) for step in steps if (report := step.report(axis)) is not None]
    return [(step, report, headline([report])[0][1]) for step, report in asked]


def _rows(table: VoteTable) -> Iterator[list[str]]:
    yield ["issue", *table.annotators]
    answers = [said(answer) for answer in table.answers]
    for unit, cells in zip(table.units, table.cells.tolist(), strict=True):
        yield [str(unit), *("" if one == MISSING else answers[one] for one in cells)]
