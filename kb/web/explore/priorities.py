"""What presses people most: orders that studies published, and the survey's results beside them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.exports.priorities import document, rows_of
from kb.exports.tables import as_csv
from kb.models import SurveyPlace, Trust
from kb.priorities.agreement import FEWEST_RATERS
from kb.priorities.correlation import RankCorrelation
from kb.priorities.published import Published, PublishedOrder, published
from kb.priorities.survey import Audience, GroupResult, SurveyResults, ThemeResult
from kb.selectors import priorities as read
from kb.web.parameters import chosen

ROLES = {"": "Everybody", "user": "Users", "developer": "Developers"}
EXPERIENCES = {"": "Any", "under_1": "Less than 1 year", "from_1_to_3": "1 to 3 years", "over_3": "More than 3 years"}
GROUPS = {"": "All", **{group.value: group.label for group in SurveyPlace.Group}}
SWITCHES = (
    ("role", "role", "Who", ROLES),
    ("experience", "length of experience", "Experience", EXPERIENCES),
    ("group", "group of themes", "About", GROUPS),
)
# Who is looked at for the table of agreement: one thing at a time.
AUDIENCES = (
    *((Audience(role=role), name) for role, name in ROLES.items()),
    *((Audience(experience=value), name) for value, name in EXPERIENCES.items() if value),
)


class ThemeRow(NamedTuple):
    """A theme: where each published order puts it, and its mean rank where enough people said."""

    theme: read.Theme
    positions: Sequence[tuple[PublishedOrder, str]]
    result: ThemeResult | None


class Compared(NamedTuple):
    """A published order with how far the survey follows it."""

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


@require_safe
def priorities(request: HttpRequest) -> HttpResponse:
    """Orders side by side: `?role=`, `?experience=` and `?group=` are the state."""
    audience, group = _asked(request.GET)
    themes = read.themes()
    results = read.survey_results(offered=themes)
    said = published()
    context = {
        "study": read.published_in(),
        "sample": said.sample,
        "trust_marks": Trust.choices,
        "parts": [part for part in _parts(themes, results, said, audience) if group in ("", part.group)],
        "results": results,
        "audience": describe(audience),
        "agreements": list(_agreements(results, themes)),
        "groups": [GROUPS[one] for one in themes],
        "switches": list(_switches(request.GET)),
        "fewest": FEWEST_RATERS,
        "query": request.GET.urlencode(),
    }
    return render(request, "kb/explore/priorities.html", context)


@require_safe
def priorities_csv(request: HttpRequest) -> HttpResponse:
    """The same numbers as a CSV file, by the same address parameters."""
    audience, group = _asked(request.GET)
    themes = _chosen(read.themes(), group)
    rows = rows_of(themes, read.survey_results(offered=read.themes()), published(), audience)
    response = HttpResponse(as_csv(list(rows)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="priorities.csv"'
    return response


@require_safe
def priorities_json(request: HttpRequest) -> HttpResponse:
    """The same numbers as JSON, by the same address parameters."""
    audience, group = _asked(request.GET)
    themes = read.themes()
    results = read.survey_results(offered=themes)
    return JsonResponse(document(_chosen(themes, group), results, published(), audience))


def describe(audience: Audience) -> str:
    """Whose answers these are, in words."""
    who = ROLES[audience.role]
    years = EXPERIENCES[audience.experience].lower()
    return f"{who} with {years} of experience" if audience.experience else who


def _asked(params: QueryDict) -> tuple[Audience, str]:
    """The audience and group of an address; raises `BadRequest` for what there is not."""
    found = {
        name: chosen(params, name, [pair for pair in choices.items() if pair[0]], noun=noun)
        for name, noun, _, choices in SWITCHES
    }
    return Audience(found["role"], found["experience"]), found["group"]


def _chosen(themes: Mapping[str, Sequence[read.Theme]], group: str) -> Mapping[str, Sequence[read.Theme]]:
    return {one: members for one, members in themes.items() if group in ("", one)}


def _parts(
    themes: Mapping[str, Sequence[read.Theme]], results: SurveyResults, said: Published, audience: Audience
) -> Iterator[GroupPart]:
    for group, members in themes.items():
        of_group = [order for order in said.orders if order.group == group]
        orders = [order for order in of_group if _fits(order, audience)]
        result = results.groups[audience, group]
        by_code = {row.code: row for row in result.themes}
        place = {row.code: number for number, row in enumerate(result.themes)}
        rows = [
            ThemeRow(theme, [(order, order.position_words(theme.code)) for order in orders], by_code.get(theme.code))
            for theme in sorted(members, key=lambda theme: place.get(theme.code, 0))
        ]
        compared = [_compared(order, results) for order in orders]
        yield GroupPart(group, GROUPS[group], orders, len(of_group) - len(orders), rows, result, compared)


def _fits(order: PublishedOrder, audience: Audience) -> bool:
    """Is the order one of these people? One of everybody is."""
    return audience.role in ("", order.role or audience.role) and audience.experience in (
        "",
        order.experience or audience.experience,
    )


def _compared(order: PublishedOrder, results: SurveyResults) -> Compared:
    audience = Audience(order.role, order.experience)
    raters = results.groups[audience, order.group].raters if (audience, order.group) in results.groups else 0
    return Compared(order, describe(audience), raters, results.comparisons[order.slug])


def _agreements(
    results: SurveyResults, themes: Mapping[str, Sequence[read.Theme]]
) -> Iterator[tuple[str, list[tuple[str, GroupResult]]]]:
    for audience, name in AUDIENCES:
        yield name, [(GROUPS[group], results.groups[audience, group]) for group in themes]


def _switches(params: QueryDict) -> Iterator[dict[str, Any]]:
    """Each switch with its choices as links that keep the rest of the address."""
    for key, _, label, choices in SWITCHES:
        options = []
        for value, name in choices.items():
            changed = params.copy()
            changed.pop(key, None)
            if value:
                changed[key] = value
            options.append({"name": name, "url": f"?{changed.urlencode()}", "selected": params.get(key, "") == value})
        yield {"label": label, "choices": options}
