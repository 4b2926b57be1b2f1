"""The quality of a round: each annotator against its gold answers, and against themselves; as a page and as CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from kb.charts.figures import decimal, percent, percent_range
from kb.exports.tables import csv_lines
from kb.http.downloads import streamed
from labeling.models import Member, Role, Round
from labeling.releases.quality import EVERYBODY, RESULT_COLUMNS, result_rows
from labeling.selectors.axes import axis_names
from labeling.selectors.gold import gold_count, may_give
from labeling.selectors.names import names_by_id
from labeling.selectors.quality import ENOUGH, AxisCheck, Checks, PersonCheck, checks_of, is_told
from labeling.selectors.visible import watches
from labeling.web.access import page_context, project_page, round_of
from labeling.web.results.agreement_rows import Number, number_of


@dataclass(frozen=True)
class CheckRow:
    """One person on one question, in words; `share` is empty where too few answers were compared."""

    person: str
    axis: str
    check: AxisCheck
    share: str
    interval: str
    distance: str
    alpha: Number | None
    kappa: Number | None


@dataclass(frozen=True)
class PersonRow:
    """How many issues somebody met again, and how long these took them the first and the second time."""

    person: str
    found: PersonCheck


@project_page()
def quality(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The checks that the reader may see."""
    round_ = round_of(member, number)
    found = checks_of(member=member, round_=round_)
    people = _people(member, found)
    axes = axis_names(project_id=member.project_id)
    context = page_context(member, "results") | {
        "round": round_,
        "found": found,
        "enough": ENOUGH,
        "is_told": is_told(member=member, round_=round_),
        "is_own": not watches(member),
        "is_lead": member.has(Role.LEAD),
        "gold_count": gold_count(member=member, round_=round_),
        "gives_gold": round_.state != Round.State.CLOSED and may_give(member=member, round_=round_),
        "gold": [_row(name, axes, check) for name, person in people for check in person.gold],
        "repeats": [_row(name, axes, check) for name, person in people for check in person.repeats],
        "times": [PersonRow(name, person) for name, person in people if person.repeated or person.skipped],
    }
    return render(request, "labeling/results/quality.html", context)


@project_page()
def table(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:  # noqa: ARG001 as every view
    """The same numbers, unrounded, as CSV."""
    round_ = round_of(member, number)
    found = checks_of(member=member, round_=round_)
    rows = result_rows(number, found, _names(member, found))
    return streamed(f"{member.project.slug}-round-{number}-quality.csv", csv_lines([RESULT_COLUMNS, *rows]))


def _names(member: Member, found: Checks) -> Mapping[int, str]:
    return names_by_id(reader=member, ids=[person.member for person in found.people])


def _people(member: Member, found: Checks) -> Sequence[tuple[str, PersonCheck]]:
    """Everybody with their names; last, of several people, all together."""
    names = _names(member, found)
    people = [(names[person.member], person) for person in found.people]
    if found.everybody is not None and len(people) > 1:
        people.append((EVERYBODY.capitalize(), found.everybody))
    return people


def _row(person: str, axes: Mapping[str, str], check: AxisCheck) -> CheckRow:
    return CheckRow(
        person=person,
        axis=axes[check.axis],
        check=check,
        share=percent(check.same / check.number) if check.interval else "",
        interval=percent_range(check.interval) if check.interval else "",
        distance="" if check.distance is None else decimal(check.distance),
        alpha=number_of(check.alpha) if check.alpha else None,
        kappa=number_of(check.kappa) if check.kappa else None,
    )
