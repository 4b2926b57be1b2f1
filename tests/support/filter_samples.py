"""Two values of any filter that takes several, as the database knows them."""

import django_filters as filters
from django.urls import URLPattern

from kb.api.base import ReadViewSet
from kb.api.urls import urlpatterns
from kb.api.views.charts import ChartView
from kb.filters.fields import DayField, YearField
from kb.filters.filter_types import Numbers, Values
from kb.filters.issues import IssueFilter
from kb.search.names import names

Filters = type[filters.FilterSet]


def filtered_lists() -> dict[str, Filters]:
    """Every address of the API that takes filters, with its filters."""
    lists = {pattern: found for pattern in urlpatterns if isinstance(pattern, URLPattern) and (found := _of(pattern))}
    return {str(pattern.pattern).removeprefix("v1/").replace("<slug:slug>", "symptom-cause"): found
            for pattern, found in lists.items()}  # fmt: skip


def _of(pattern: URLPattern) -> Filters | None:
    view = getattr(pattern.callback, "cls", None)
    if view is ChartView:
        return IssueFilter
    is_list = "list" in (getattr(pattern.callback, "actions", None) or {}).values()
    return view.filterset_class if view and is_list and issubclass(view, ReadViewSet) else None


def takes_several(one: filters.Filter) -> bool:
    """Does the filter take several values?"""
    return isinstance(one, Values | Numbers)


def two_values(key: str, one: filters.Filter) -> tuple[str, str]:
    """Two of the filter's values."""
    if issubclass(one.field_class, DayField):
        return ">2019", "<2100"
    if isinstance(one, Numbers):
        return ">=0", "<=9999"
    if issubclass(one.field_class, YearField):
        return "2023", "2024"
    if among := one.extra.get("among"):
        first, second, *_ = dict.fromkeys(value for value, _ in among())
        return first, second
    lookup = names().of(key)
    assert lookup
    first, second, *_ = [named.value for named in lookup.values]
    return first, second
