"""Models beside people in a closed round, and what suggestions on ballots did to the votes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from kb.core.intervals import Interval
from labeling.agreement.influence import LEAST, Agreed, Difference
from labeling.agreement.measure import SAMPLES, SEED
from labeling.models import Member
from labeling.selectors import influence as selectors
from labeling.selectors.axes import axis_names
from labeling.web.access import page_context, project_page, round_of
from labeling.web.results.agreement_rows import Number, number_of


@dataclass(frozen=True)
class Numbers:
    """One row of agreement; `units`: issues that all numbers are of, with or without two votes."""

    name: str
    units: int
    percent: Number
    alpha: Number
    kappa: Number | None


@dataclass(frozen=True)
class DifferenceRow:
    """A difference as text; `value` is empty where there are too few votes."""

    name: str
    assisted: str
    blind: str
    assisted_votes: int
    blind_votes: int
    value: str
    by_issue: str
    newcombe: str


@project_page()
def influence(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The report of a round, once it is closed and the reader may see all of its votes."""
    round_ = round_of(member, number)
    report = selectors.report(member=member, round_=round_)
    names = axis_names(project_id=member.project_id)
    context = page_context(member, "results") | {
        "round": round_, "report": report, "least": LEAST, "samples": SAMPLES, "seed": SEED,
    }  # fmt: skip
    if report is not None:
        context["readers"] = [_reader_rows(reader, names) for reader in report.readers]
        if report.influence is not None:
            context |= {"influence": report.influence, "arms": _arms(report.influence, names)}
            rows = [_row("Median seconds per vote", report.influence.seconds, is_share=False)]
            for axis in report.influence.axes:
                rows.append(_row(f"{names[axis.axis]}: equal to the suggestion", axis.followed))
                rows.append(_row(f"{names[axis.axis]}: equal to it where the decision differs", axis.misled))
            context["differences"] = rows
    return render(request, "labeling/results/influence.html", context)


def _reader_rows(
    report: selectors.ReaderReport, names: Mapping[str, str]
) -> tuple[selectors.ReaderReport, list[tuple[str, Numbers]]]:
    return report, [(names[row.axis], _numbers(row.other, row.agreed)) for row in report.rows]


def _arms(influence: selectors.Influence, names: Mapping[str, str]) -> list[tuple[str, Numbers]]:
    rows = []
    for axis in influence.axes:
        for name, agreed in (("Blind", axis.blind), ("Assisted", axis.assisted), ("Together", axis.together)):
            rows.append((names[axis.axis], _numbers(name, agreed)))
    return rows


def _numbers(name: str, agreed: Agreed) -> Numbers:
    kappa = None if agreed.kappa is None else number_of(agreed.kappa)
    return Numbers(name, agreed.units, number_of(agreed.percent), number_of(agreed.alpha), kappa)


def _row(name: str, difference: Difference, *, is_share: bool = True) -> DifferenceRow:
    return DifferenceRow(
        name,
        _said(difference.assisted, is_share=is_share),
        _said(difference.blind, is_share=is_share),
        difference.assisted_votes,
        difference.blind_votes,
        _said(difference.value, is_share=is_share, has_sign=True),
        _bounds(difference.by_issue, is_share=is_share),
        _bounds(difference.newcombe, is_share=is_share),
    )


def _said(value: float | None, *, is_share: bool, has_sign: bool = False) -> str:
    if value is None:
        return ""
    sign = "+" if has_sign else ""
    return f"{100 * value:{sign}.1f} %" if is_share else f"{value:{sign}.1f} s"


def _bounds(interval: Interval | None, *, is_share: bool) -> str:
    if interval is None:
        return ""
    low, high = (_said(bound, is_share=is_share, has_sign=True) for bound in (interval.low, interval.high))
    return f"{low} to {high}"
