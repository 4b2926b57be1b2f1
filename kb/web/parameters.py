"""Query parameters of pages: repeated ones are joined or refused before the view runs, unknown values are refused.

Parameters that a view does not read are dropped where it says so.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.urls import Resolver404, resolve

from kb.core.search.filter_values import BadValueError, Value
from kb.core.search.lookup import Lookup, Named
from kb.filters.fields import ChoiceField
from kb.filters.issues import IssueFilter
from kb.filters.query_strings import TWICE, one_text_each
from kb.http.size import check_query

# Parameters with several values: every filter on issues, and the charts of a report.
SEVERAL = (*IssueFilter.base_filters, "charts")

View = TypeVar("View", bound=Callable[..., Any])


def one_by_one(*names: str) -> Callable[[View], View]:
    """Mark a view that reads repeated values of these parameters itself."""

    def mark(view: View) -> View:
        view.one_by_one = names  # type: ignore[attr-defined]
        return view

    return mark


class OneTextEach:
    """Middleware: one text for each parameter of a page. The API (`kb.api.parameters`) and the admin read their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on; the work is done in `process_view`, where the view is known."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, _args: object, _kwargs: object) -> None:
        """Raises `BadRequest` for a repeated parameter that takes one value."""
        match = request.resolver_match
        if hasattr(view, "cls") or (match and "admin" in match.namespaces):
            return
        check_query(request)
        params, repeated = one_text_each(request.GET, SEVERAL, getattr(view, "one_by_one", ()))
        if repeated:
            raise BadRequest(f"“{next(iter(repeated))[:60]}”: {TWICE}")
        request.GET = params  # type: ignore[assignment]


def reads(*names: str) -> Callable[[View], View]:
    """Mark a view that reads these parameters and no others; the others are dropped (`drop_unread`)."""

    def mark(view: View) -> View:
        view.reads = names  # type: ignore[attr-defined]
        return view

    return mark


def drop_unread(request: HttpRequest) -> None:
    """Remove the parameters that the page's view does not read, where it says which it reads.

    So addresses with a campaign's or a made-up parameter find the page that is kept for everybody.
    """
    given = request.META.get("QUERY_STRING", "")
    if not given:
        return
    try:
        names = getattr(resolve(request.path_info).func, "reads", None)
    except Resolver404:
        return
    if names is not None:
        # In WSGI each character stands for one byte of the query string.
        parameters = parse_qsl(given, keep_blank_values=True, encoding="latin-1")
        read = [(name, value) for name, value in parameters if name in names]
        request.META["QUERY_STRING"] = urlencode(read, encoding="latin-1")


def chosen(params: QueryDict, name: str, known: Iterable[tuple[str, str]], *, noun: str, default: str = "") -> str:
    """The parameter's value among the `known` (value, name) pairs, or the default. Raises `BadRequest`."""
    text = params.get(name, "").strip()
    return one_of(text, known, noun=noun) if text else default


def one_of(text: str, known: Iterable[tuple[str, str]], *, noun: str) -> str:
    """The one of the `known` (value, name) pairs that the text means. Raises `BadRequest` with the nearest ones."""
    field = ChoiceField(noun=noun)
    field.lookup = Lookup(Named(*pair) for pair in known)
    try:
        return field.meant(Value(text))[0]
    except BadValueError as error:
        raise BadRequest(str(error)) from error
