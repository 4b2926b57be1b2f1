"""How far the annotators of a round agree, as far as the reader may see its votes; and the table behind the numbers."""

from collections.abc import Iterator, Sequence

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from kb.exports.tables import csv_lines
from kb.http.downloads import streamed
from kb.web.parameters import chosen
from labeling.agreement import MISSING, SAMPLES, SEED, AxisReport, VoteTable
from labeling.agreement.reasons import said
from labeling.agreement.words import HIGH_OBSERVED, TENTATIVE, percent
from labeling.models import Member, Round
from labeling.selectors import results
from labeling.selectors.influence import has_readers
from labeling.tasks import measure_round
from labeling.web.access import Context, page_context, project_page, round_of
from labeling.web.results.agreement_rows import HEADLINE, Number, confusion_table, headline, node_rows, number_of
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, ONE_SENDING, delegate, send, worker_is_alive

MOST_PAIRS_SHOWN = 450


@project_page()
def agreement(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """A round's agreement: all axes in short, one of them in full."""
    round_ = round_of(member, number)
    votes = results.seen_votes(member=member, round_=round_)
    names = results.names_of(codebook=round_.codebook)
    measured = _measured(member, round_, votes, names) if votes.number else None
    is_read = has_readers(round_=round_)
    context = page_context(member, "results") | {
        "round": round_,
        "votes": votes.number,
        "limits": (TENTATIVE, HIGH_OBSERVED),
        "samples": SAMPLES,
        "seed": SEED,
        "measuring": votes.number > 0 and measured is None,
        "texts": results.text_shares(votes=votes),
        "headline": HEADLINE,
        "assisted": results.assisted_votes(member=member, round_=round_) if is_read else 0,
        "has_readers": is_read,
    }
    if measured is not None and measured.reports:
        by_code = {report.axis: report for report in measured.reports}
        axes = [(code, names.axes[code]) for code in by_code]
        axis = chosen(request.GET, "axis", axes, noun="axis with votes", default=axes[0][0])
        only_known = worker_is_alive()
        context |= _axis_context(by_code[axis]) | {
            "is_whole": measured.is_whole,
            "axis_name": names.axes[axis],
            "axes": [(report, names.axes[report.axis], few) for report, few in headline(measured.reports)],
            "by_round": _over_time(results.by_round(member=member, only_known=only_known), axis),
            "by_codebook": _over_time(results.by_codebook(member=member, only_known=only_known), axis),
        }
    response = render(request, "labeling/results/agreement.html", context)
    if votes.number and (measured is None or not measured.is_whole):
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


@project_page()
def matrix(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """The table that one axis' numbers were computed from, as CSV: issues by annotators."""
    round_ = round_of(member, number)
    names = results.names_of(codebook=round_.codebook)
    tables = results.tables(results.seen_votes(member=member, round_=round_), names)
    axis = chosen(request.GET, "axis", names.axes.items(), noun="axis")
    if axis not in tables:
        raise Http404("Nothing was voted on this question.")
    return streamed(f"{member.project.slug}-round-{round_.number}-{axis}.csv", csv_lines(_csv_rows(tables[axis])))


def _measured(member: Member, round_: Round, votes: results.VoteSet, names: results.Names) -> results.Measured | None:
    """The agreement as far as it is known or quickly measured; None while the workers measure many votes.

    Where intervals are missing, the workers are asked for them.
    """
    measured = results.known(votes, names)
    has_many = votes.number > results.AT_ONCE
    key = f"measured:{votes.fingerprint}"
    if has_many and measured is None and delegate(key, measure_round, member.pk, round_.pk):
        return None
    if measured is None or not (has_many or measured.is_whole):
        measured = results.quickly_measured(votes, names)
    # Sent once, not for every reader and every reload.
    if not measured.is_whole and cache.add(f"labeling:measuring:{votes.fingerprint}", 1, timeout=ONE_SENDING):
        send(measure_round, member.pk, round_.pk)
    return measured


def _axis_context(report: AxisReport) -> Context:
    """One axis in full."""
    dissent = []
    for annotator in report.dissent:
        dissent.append((annotator, "" if annotator.rate is None else percent(annotator.rate)))
    return {
        "report": report,
        "coefficients": [number_of(coefficient) for coefficient in report.coefficients],
        "nodes": node_rows(report),
        "pairs": [(pair, number_of(pair.kappa)) for pair in report.pairs[:MOST_PAIRS_SHOWN]],
        "dissent": dissent,
        "confusion": confusion_table(report.confusion),
    }


def _over_time(steps: Sequence[results.Step], axis: str) -> list[tuple[results.Step, AxisReport, list[Number]]]:
    """One axis over time: each round or codebook in which it was asked, with the numbers to compare."""
    rows = []
    for step in steps:
        report = step.report(axis)
        if report is not None:
            rows.append((step, report, headline([report])[0][1]))
    return rows


def _csv_rows(table: VoteTable) -> Iterator[list[str]]:
    yield ["issue", *table.annotators]
    texts = {index: said(answer) for index, answer in enumerate(table.answers)}
    texts[MISSING] = ""
    for unit, cells in zip(table.units, table.cells.tolist(), strict=True):
        yield [str(unit), *(texts[index] for index in cells)]
