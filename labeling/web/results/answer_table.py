"""The table of answers that publishing would change: filters, pages, and the choice of a part of it."""

from collections.abc import Collection, Sequence
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest

from labeling.scopes import holds
from labeling.selectors.publication import Kind, Row, counts_of
from labeling.selectors.publication_rows import choices, described
from labeling.web.access import Context

PAGE = 50
CHANGES = (Kind.ADDED, Kind.CHANGED, Kind.REMOVED)


def filtered(request: HttpRequest, rows: Sequence[Row]) -> list[Row]:
    """The rows that `?part=` (axes and categories) and `?change=` leave; without it, all but those that stay."""
    part = [one for one in request.GET.getlist("part") if one]
    change = request.GET.get("change", "")
    kinds = [kind for kind in Kind if kind.value == change] or CHANGES
    if change == "all":
        kinds = list(Kind)
    return [row for row in rows if row.kind in kinds and holds(part, row.answered)]


def answer_table(
    request: HttpRequest, rows: Sequence[Row], *, project_id: int, pilots: bool, asked: Collection[int] | None = None
) -> Context:
    """What `_answers.html` and `_scope.html` show of the rows."""
    page = Paginator(filtered(request, rows), PAGE).get_page(request.GET.get("page"))
    kept = [(name, value) for name in ("part", "change", "pilots") for value in request.GET.getlist(name)]
    return {
        "page": page,
        "answers": described(list(page), project_id=project_id, pilots=pilots, asked=asked),
        "counts": counts_of(rows),
        "choices": choices(rows),
        "part": request.GET.get("part", ""),
        "change": request.GET.get("change", ""),
        "kept": urlencode(kept),
    }


def chosen_scope(request: HttpRequest) -> list[str]:
    """The axes and categories that a form ticks; none is everything."""
    return sorted(set(request.POST.getlist("scope")))
