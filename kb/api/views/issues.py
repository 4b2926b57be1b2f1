"""Issues and fixes. What a search finds is decided in `kb.search`."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from kb.addresses import BadAddressError, parse_issue_address
from kb.api import parameters as declared
from kb.api.base import NumberedViewSet
from kb.api.problems import InvalidParametersError
from kb.api.search_pages import SearchPaging, facet_objects, query_object
from kb.api.serializers.issues import FixSerializer, IssueDetailSerializer, IssueSerializer
from kb.filters import FixFilter, IssueFilter
from kb.models import Issue
from kb.search import MAX_CHARACTERS, Match, find_reference, in_order, parse, search
from kb.selectors.catalogue import fixes
from kb.selectors.issues import for_detail, with_details, with_relatives

# Keys that cost statements of their own: not paid for where `fields` leaves them out.
INLINE = {"labels", "study_labels", "fixes"}
MAY_STAND_WITH_URL = ("url", "fields", "page", "page_size", "cursor")


@extend_schema_view(
    list=extend_schema(
        summary="Search issues",
        description=(
            "The same search as the page, with the same words, filters and order. Labels, fixes, resolution and "
            "workaround are inline; the mirrored description is in the detail only."
        ),
    ),
    retrieve=extend_schema(summary="One issue", description="One issue with its description as mirrored."),
)
class IssueViewSet(NumberedViewSet):
    """Issues."""

    serializer_class = IssueSerializer
    detail_serializer_class = IssueDetailSerializer
    filterset_class = IssueFilter
    pagination_class = SearchPaging
    list_parameters = (declared.Q, declared.SORT, declared.FACETS, declared.URL)
    example_name = "issue"
    rows = staticmethod(for_detail)

    def list(self, request: Request) -> Response:
        """One page of the issues that the search finds."""
        params = request.query_params
        if "url" in params:
            return self._page(self._by_address(params["url"], params), text=params["url"])
        if len(params.get("q", "")) > MAX_CHARACTERS:
            raise InvalidParametersError({"q": [f"Give at most {MAX_CHARACTERS} characters."]})
        with_facets = self._wants_facets(params.get("facets", "false"))
        paging = SearchPaging()
        offset, limit = paging.begin(request)
        result = search(params, offset=offset, limit=limit, with_facets=with_facets)
        if result.errors:
            raise InvalidParametersError(result.errors)
        paging.turn(result.total)
        return paging.get_paginated_response(
            self.get_serializer(self._with_what_is_shown(in_order(result.ids)), many=True).data,
            facets=facet_objects(result.facets, request) if with_facets else None,
            query=query_object(result),
        )

    def _page(self, issues: QuerySet[Issue], *, text: str) -> Response:
        """The page that an address asks for: the issue that it names, or none."""
        paging = SearchPaging()
        page = paging.paginate_queryset(self._with_what_is_shown(issues), self.request, self)
        query = {"text": text, "match": Match.NONE.value, "is_close": True, "repairs": [], "engine": ""}
        return paging.get_paginated_response(self.get_serializer(page, many=True).data, facets=None, query=query)

    def _with_what_is_shown(self, issues: QuerySet[Issue]) -> QuerySet[Issue]:
        wanted = self.wanted_fields() or set(self.shape_keys())
        rows = with_details(issues) if wanted & INLINE else with_details(issues).prefetch_related(None)
        return with_relatives(rows) if "related" in wanted else rows

    def _wants_facets(self, value: str) -> bool:
        if value not in ("true", "false"):
            raise InvalidParametersError({"facets": ["Choose one of: true, false."]})
        return value == "true"

    def _by_address(self, address: str, params: Any) -> QuerySet[Issue]:
        if others := [name for name in params if name not in MAY_STAND_WITH_URL]:
            raise InvalidParametersError({"url": [f"Cannot be combined with: {', '.join(sorted(others))}."]})
        try:
            parse_issue_address(address)
        except BadAddressError as error:
            raise InvalidParametersError({"url": [f"{error}."]}) from error
        reference = parse(address).reference
        issue = find_reference(reference) if reference else None
        return Issue.objects.filter(pk__in=[issue.pk] if issue else []).order_by("pk")


@extend_schema_view(
    list=extend_schema(summary="List fixes", description="Pull requests and commits that closed issues, newest first."),
    retrieve=extend_schema(summary="One fix", description="One pull request or commit with the issues it closed."),
)
class FixViewSet(NumberedViewSet):
    """Fixes."""

    serializer_class = FixSerializer
    filterset_class = FixFilter
    example_name = "fix"
    rows = staticmethod(fixes)
