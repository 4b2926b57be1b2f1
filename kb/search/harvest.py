"""Everything that the filters leave, from the database: for programs that want all of it and not the best of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict

from kb.models import Issue
from kb.search.backends.postgres import ORDERS
from kb.search.request import ParsedSearch, read, sort_of


@dataclass(frozen=True)
class Harvest:
    """Issues in a total order; none of them while `errors` names a wrong value."""

    asked: ParsedSearch
    issues: QuerySet[Issue]
    errors: Mapping[str, list[str]]


def harvest(params: QueryDict) -> Harvest | None:
    """All issues that the filters leave, however many, by id unless `sort` says otherwise; None for a text's matches.

    A text's matches are known to the index alone, which reaches `MOST_REACHABLE` of them.
    """
    asked = read(params)
    if not asked.query.is_empty or asked.query.exclusions:
        return None
    sort, errors = sort_of(params.get("sort", ""))
    errors = {**asked.errors, **errors}
    if errors:
        return Harvest(asked, Issue.objects.none(), errors)
    return Harvest(asked, asked.form.qs.order_by(*ORDERS.get(sort, ("pk",))), errors)
