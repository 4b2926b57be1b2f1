"""The fast search: short results from the index, completions for a search box, and issues similar to a draft."""

from collections.abc import Iterable
from functools import partial

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView, ReadViewSet
from kb.api.examples import example
from kb.api.paging import whole_number
from kb.api.problems import InvalidParametersError
from kb.api.report_bodies import ANSWERED, SENT, SimilarReportSerializer, received_report
from kb.api.search_pages import TOO_LONG, OnePage, SearchPaging, wants_facets
from kb.api.search_rows import result_rows
from kb.api.serializers.search import CompletionsSerializer, ResultSerializer
from kb.api.throttling import SearchThrottle
from kb.filters.issues import IssueFilter
from kb.http.site import absolute
from kb.search import (
    MAX_CHARACTERS,
    MOST_REACHABLE,
    SearchResult,
    UnknownFrameworkError,
    completions,
    search,
    search_draft,
    similar_to_report,
)


class ShortPaging(SearchPaging):
    """Small pages, unless more is asked for."""

    default_size = declared.SHORT_PAGE_SIZE


class ShortResults(ReadViewSet):
    """Results in their short form."""

    throttle_classes = (SearchThrottle,)
    serializer_class = ResultSerializer
    pagination_class = ShortPaging
    example_name = "result"

    def answer(self, result: SearchResult, paging: SearchPaging, *, with_facets: bool) -> Response:
        """The page object. Raises `InvalidParametersError` when the search had errors."""
        if result.errors:
            raise InvalidParametersError(result.errors)
        paging.turn(result.total)
        rows = result_rows(result, self.request, self.wanted_fields())
        return paging.answer_to(result, rows, request=self.request, with_facets=with_facets)


@extend_schema_view(
    list=extend_schema(
        summary="Search, fast and short",
        description=(
            "The search page as data: the same words, filters, order, facets and passages. Results come in a short "
            "form from the search index without asking the database; `/api/v1/issues/` has everything about each.\n\n"
            "`query` says what was looked for. Where `query.is_close` is false, nothing close was found, and "
            "`query.message` says so in a sentence. "
            f"The first {MOST_REACHABLE:,} results can be reached."
        ),
    ),
)
class SearchViewSet(ShortResults):
    """The search."""

    filterset_class = IssueFilter
    list_parameters = (declared.Q, declared.MATCH, declared.SORT, declared.FACETS_UNLESS)
    paging_parameters = declared.SHORT_PAGING

    def list(self, request: Request) -> Response:
        """One page of the search's results."""
        params = request.query_params
        with_facets = wants_facets(params, default="true")
        paging = ShortPaging()
        offset, limit = paging.begin(request)
        result = search(params, offset=offset, limit=limit, with_facets=with_facets)
        return self.answer(result, paging, with_facets=with_facets)


@extend_schema_view(
    list=extend_schema(
        summary="Has this been reported?",
        description=(
            "The known issues that come closest to a draft of a report. Nothing in the draft is an operator or a "
            "filter; nothing is stored. Without title and body there are no results."
        ),
    ),
)
class SimilarViewSet(ShortResults):
    """Issues similar to a draft, or to a whole report."""

    list_parameters = (declared.TITLE, declared.BODY)
    paging_parameters = ()
    tidied_methods = ("GET", "HEAD", "POST")

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Those of the list; a report's are in its body."""
        return super().parameters() if self.action == "list" else ()

    def examples(self) -> Iterable[OpenApiExample]:
        """A real row, or a real answer to a report."""
        if self.action == "list":
            return super().examples()
        return (example("similar-report", SimilarReportSerializer.keys()),)

    @extend_schema(
        operation_id="search_similar_report",
        summary="Is this fault known?",
        description=(
            "The known issues that a whole report may be of, each with a calibrated probability and what speaks for "
            "it. `same_fault`: the same mechanism fails in the same component; `same_kind`: that, or a fault worth "
            "reading beside it. Of all best matches with a probability near 0.5, about half are the same fault. "
            "Nothing is offered where nothing is near, and nothing is stored."
        ),
        request=SENT,
        responses=ANSWERED,
    )
    def judge(self, request: Request) -> Response:
        """Judge what was sent. Raises API exceptions that say what to send instead."""
        try:
            return Response(similar_to_report(received_report(request), partial(absolute, request._request)))
        except UnknownFrameworkError as error:
            raise ParseError(str(error)) from error

    def list(self, request: Request) -> Response:
        """The closest issues, on one page."""
        draft = {name: request.query_params.get(name, "") for name in ("title", "body")}
        too_long = [name for name, text in draft.items() if len(text) > MAX_CHARACTERS]
        if too_long:
            raise InvalidParametersError({name: [TOO_LONG] for name in too_long})
        result = search_draft(draft["title"], draft["body"])
        return self.answer(result, OnePage(len(result.rows)), with_facets=False)


class SuggestView(ReadView):
    """Completions for a search box."""

    serializer_class = CompletionsSerializer
    own_parameters = (declared.TYPED, declared.CARET)
    example_name = "completions"

    @extend_schema(
        summary="Completions for a search box",
        description="Completions of a filter that is being typed: keys first, then values by code, name or alias.",
        tags=["search"],
    )
    def get(self, request: Request) -> Response:
        """At most ten completions."""
        params = request.query_params
        text = params.get("q", "")
        if len(text) > MAX_CHARACTERS:
            raise InvalidParametersError({"q": [TOO_LONG]})
        caret = whole_number(params, "caret", default=len(text), smallest=0, largest=MAX_CHARACTERS)
        rows = [vars(completion) | {"note": completion.note or None} for completion in completions(text, caret)]
        return Response({"completions": rows})
