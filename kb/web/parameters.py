"""The query parameters of pages: each has one text before a view sees it, and a value that is not known is refused."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, QueryDict

from kb.filters.fields import ChoiceField
from kb.filters.issues import IssueFilter
from kb.filters.lookup import Lookup, Named
from kb.filters.query_strings import TWICE, one_text_each
from kb.filters.values import BadValueError, Value
from kb.http.size import check_query

# The lists of values that pages take: every filter on issues, and the charts of a report.
SEVERAL = (*IssueFilter.base_filters, "charts")

View = TypeVar("View", bound=Callable[..., Any])


def one_by_one(*names: str) -> Callable[[View], View]:
    """Marks a view that reads each of the repeated texts of these parameters by itself."""

    def mark(view: View) -> View:
        view.one_by_one = names  # type: ignore[attr-defined]
        return view

    return mark


class OneTextEach:
    """Middleware: the query string of every page with one text for each parameter.

    The API reads its own (`kb.api.parameters`), and so does Django's admin.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Nothing is done before a view is known."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, _args: object, _kwargs: object) -> None:
        """Raises `BadRequest` for what is repeated and takes one value."""
        match = request.resolver_match
        if hasattr(view, "cls") or (match and "admin" in match.namespaces):
            return
        check_query(request)
        params, repeated = one_text_each(request.GET, SEVERAL, getattr(view, "one_by_one", ()))
        if repeated:
            raise BadRequest(f"“{next(iter(repeated))[:60]}”: {TWICE}")
        request.GET = params  # type: ignore[assignment]


def chosen(params: QueryDict, name: str, known: Iterable[tuple[str, str]], *, noun: str, default: str = "") -> str:
    """The value of a parameter that names one of the `known`; the default where it is not given, or empty.

    Raises `BadRequest`.
    """
    said = params.get(name, "").strip()
    return one_of(said, known, noun=noun) if said else default


def one_of(said: str, known: Iterable[tuple[str, str]], *, noun: str) -> str:
    """Which of the `known`, each a value with its name, is meant. Raises `BadRequest` with the nearest of them."""
    field = ChoiceField(noun=noun)
    field.lookup = Lookup(Named(*pair) for pair in known)
    try:
        return field.meant(Value(said))[0]
    except BadValueError as error:
        raise BadRequest(str(error)) from error
