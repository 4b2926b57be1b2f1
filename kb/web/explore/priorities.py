"""The most pressing themes: orders that studies published, and the survey's results beside them."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.exports.priorities import Themes, priorities_document, priority_records
from kb.models import SurveyPlace, Trust
from kb.priorities.agreement import FEWEST_RATERS
from kb.priorities.correlation import RankCorrelation
from kb.priorities.published import Addition, PublishedOrder, published
from kb.priorities.survey import Audience, GroupResult, SurveyResults, ThemeResult
from kb.selectors import priorities as read
from kb.web.explore.files import csv_file
from kb.web.explore.query_form import Switch, SwitchChoice
from kb.web.parameters import chosen

ROLES = {"": "Everybody", "user": "Users", "developer": "Developers"}
EXPERIENCES = {"": "Any", "under_1": "Less than 1 year", "from_1_to_3": "1 to 3 years", "over_3": "More than 3 years"}
GROUPS = {"": "All", **{group.value: group.label for group in SurveyPlace.Group}}
SWITCHES = (
    ("role", "role", "Who", ROLES),
    ("experience", "length of experience", "Experience", EXPERIENCES),
    ("group", "group of themes", "About", GROUPS),
)
# The rows of the table of agreement: by one thing at a time.
AUDIENCES = (
    *((Audience(role=role), name) for role, name in ROLES.items()),
    *((Audience(experience=value), name) for value, name in EXPERIENCES.items() if value),
)


class ThemeRow(NamedTuple):
    """A theme with its position in each published order, and its mean rank where enough people answered."""

    theme: read.Theme
    positions: Sequence[tuple[PublishedOrder, str]]
    result: ThemeResult | None


class Compared(NamedTuple):
    """A published order and how far the survey follows it."""

    order: PublishedOrder
    audience: str
    raters: int
    found: RankCorrelation | None


class GroupPart(NamedTuple):
    """One group's part of the page."""

    group: str
    name: str
    orders: Sequence[PublishedOrder]
    hidden: int
    rows: Sequence[ThemeRow]
    result: GroupResult
    compared: Sequence[Compared]
    additions: Sequence[Addition]


@require_safe
def priorities(request: HttpRequest) -> HttpResponse:
    """Orders side by side: `?role=`, `?experience=` and `?group=` are the state."""
    audience, group = _chosen(request.GET)
    themes = read.themes()
    results = read.survey_results(offered=themes)
    parts = []
    for theme_group, members in _in_group(themes, group).items():
        parts.append(_part(theme_group, members, results, audience))
    agreements = []
    for row_audience, name in AUDIENCES:
        agreements.append((name, [(GROUPS[each], results.groups[row_audience, each]) for each in themes]))
    context = {
        "study": read.published_in(),
        "sample": published().sample,
        "trust_marks": Trust.choices,
        "parts": parts,
        "results": results,
        "audience": describe(audience),
        "agreements": agreements,
        "groups": [GROUPS[each] for each in themes],
        "switches": _switches(request.GET),
        "fewest": FEWEST_RATERS,
        "query": request.GET.urlencode(),
    }
    return render(request, "kb/explore/priorities.html", context)


@require_safe
def priorities_csv(request: HttpRequest) -> HttpResponse:
    """The same numbers as a CSV file, by the same address parameters."""
    audience, group = _chosen(request.GET)
    themes = read.themes()
    results = read.survey_results(offered=themes)
    records = priority_records(_in_group(themes, group), results, published(), audience)
    return csv_file("priorities.csv", list(records))


@require_safe
def priorities_json(request: HttpRequest) -> HttpResponse:
    """The same numbers as JSON, by the same address parameters."""
    audience, group = _chosen(request.GET)
    themes = read.themes()
    results = read.survey_results(offered=themes)
    return JsonResponse(priorities_document(_in_group(themes, group), results, published(), audience))


def describe(audience: Audience) -> str:
    """Whose answers these are, in words."""
    who = ROLES[audience.role]
    if not audience.experience:
        return who
    return f"{who} with {EXPERIENCES[audience.experience].lower()} of experience"


def _chosen(params: QueryDict) -> tuple[Audience, str]:
    """The audience and group of an address; raises `BadRequest` for unknown ones."""
    values = {}
    for name, noun, _, choices in SWITCHES:
        known = [(value, label) for value, label in choices.items() if value]
        values[name] = chosen(params, name, known, noun=noun)
    return Audience(values["role"], values["experience"]), values["group"]


def _in_group(themes: Themes, group: str) -> Themes:
    """The themes of the group, or all of them."""
    return {name: members for name, members in themes.items() if group in ("", name)}


def _part(group: str, themes: Sequence[read.Theme], results: SurveyResults, audience: Audience) -> GroupPart:
    of_group = [order for order in published().orders if order.group == group]
    orders = [order for order in of_group if _fits(order, audience)]
    result = results.groups[audience, group]
    by_code = {row.code: row for row in result.themes}
    places = {code: place for place, code in enumerate(by_code)}
    rows = []
    for theme in sorted(themes, key=lambda theme: places.get(theme.code, 0)):
        positions = [(order, order.position_words(theme.code)) for order in orders]
        rows.append(ThemeRow(theme, positions, by_code.get(theme.code)))
    compared = []
    for order in orders:
        people = Audience(order.role, order.experience)
        counted = results.groups.get((people, order.group))
        raters = counted.raters if counted else 0
        compared.append(Compared(order, describe(people), raters, results.comparisons[order.slug]))
    return GroupPart(
        group,
        GROUPS[group],
        orders,
        len(of_group) - len(orders),
        rows,
        result,
        compared,
        published().additions_to(group),
    )


def _fits(order: PublishedOrder, audience: Audience) -> bool:
    """Whether the order is one of this audience; an order of everybody is."""
    fits_role = not audience.role or order.role in ("", audience.role)
    return fits_role and (not audience.experience or order.experience in ("", audience.experience))


def _switches(params: QueryDict) -> list[Switch]:
    switches = []
    for key, _, label, choices in SWITCHES:
        options = []
        for value, name in choices.items():
            changed = params.copy()
            changed.pop(key, None)
            if value:
                changed[key] = value
            options.append(SwitchChoice(name, f"?{changed.urlencode()}", params.get(key, "") == value))
        switches.append(Switch(label, options))
    return switches
