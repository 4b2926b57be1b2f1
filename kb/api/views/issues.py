"""Issues, their comments, and fixes. The search is in `kb.search`."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import NumberedViewSet, ReadViewSet
from kb.api.problems import InvalidParametersError
from kb.api.search_pages import SearchPaging, facet_rows, query_without_search, wants_facets
from kb.api.serializers.issues import CommentSerializer, FixSerializer, IssueDetailSerializer, IssueSerializer
from kb.core.addresses import BadAddressError, parse_issue_address
from kb.filters.issues import IssueFilter
from kb.filters.lists import FixFilter
from kb.models import Comment, Issue
from kb.search import MOST_REACHABLE, SearchResult, find_reference, harvest, parse, search
from kb.selectors.catalogue import fixes
from kb.selectors.issue_labels import labels_of_issue, labels_of_issues
from kb.selectors.issues import for_detail, for_list, with_relatives
from kb.selectors.public_ids import number_of_issue
from kb.selectors.threads import comments_of

# Keys with queries of their own, which are left out when `fields` does not name them.
LABELS = {"labels", "study_labels", "suggestions"}
MAY_STAND_WITH_URL = ("url", "fields", "page", "page_size", "cursor")


@extend_schema_view(
    list=extend_schema(
        summary="Search issues",
        description=(
            "The same search as the page, with the same words, filters and order, and everything that is known about "
            "each issue: labels, fixes, resolution and workaround are inline; the mirrored description is in the "
            "detail only. `/api/v1/search/` is faster where a short form will do.\n\n"
            f"The first {MOST_REACHABLE:,} matches of a text can be reached. To read all issues, or all that some "
            "filters leave, send no words and follow a `cursor`."
        ),
    ),
    retrieve=extend_schema(
        summary="One issue", description="One issue with its description as mirrored, and how it became known."
    ),
)
class IssueViewSet(NumberedViewSet):
    """Issues."""

    serializer_class = IssueSerializer
    detail_serializer_class = IssueDetailSerializer
    filterset_class = IssueFilter
    pagination_class = SearchPaging
    list_parameters = (declared.Q, declared.MATCH, declared.SORT, declared.FACETS, declared.URL)
    paging_parameters = declared.ISSUE_PAGING
    example_name = "issue"
    path_parameters = (declared.ISSUE_ID,)
    rows = staticmethod(for_detail)

    def get_object(self) -> Issue:
        """The issue by either of its ids. Raises `Http404`."""
        issue: Issue = get_object_or_404(self.get_queryset(), pk=number_of_issue(self.kwargs["pk"]))
        return issue

    def retrieve(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One issue."""
        issue = self.get_object()
        context = {**self.get_serializer_context(), "labels": {issue.pk: labels_of_issue(issue)}}
        return Response(self.get_serializer(issue, context=context).data)

    def list(self, request: Request) -> Response:
        """One page of the search's results."""
        params = request.query_params
        if "url" in params:
            return self._page(self._by_address(params["url"], params), text=params["url"])
        with_facets = wants_facets(params, default="false")
        everything = harvest(params) if "cursor" in params else None
        if everything:
            if everything.errors:
                raise InvalidParametersError(everything.errors)
            counted = search(params, limit=0) if with_facets else None
            return self._page(everything.issues, text=everything.asked.query.text, counted=counted)
        paging = SearchPaging()
        offset, limit = paging.begin(request)
        result = search(params, offset=offset, limit=limit, with_facets=with_facets)
        if result.errors:
            raise InvalidParametersError(result.errors)
        paging.turn(result.total)
        found = self._with_relations(Issue.objects.filter(pk__in=result.ids)).in_bulk()
        rows = self._rows([found[pk] for pk in result.ids if pk in found])
        return paging.answer_to(result, rows, request=request, with_facets=with_facets)

    def _page(self, issues: QuerySet[Issue], *, text: str, counted: SearchResult | None = None) -> Response:
        """One page of issues from the database, with the facets that a search counted."""
        paging = SearchPaging()
        page = paging.paginate_queryset(self._with_relations(issues), self.request, self)
        rows = self._rows(page or ())
        query = query_without_search(text, facets_late=bool(counted and counted.facets_late))
        facets = facet_rows(counted, self.request) if counted else None
        return paging.get_paginated_response(rows, facets=facets, query=query)

    def _rows(self, issues: Sequence[Issue]) -> Sequence[object]:
        """The issues in the shape of the action."""
        is_labelled = not (fields := self.wanted_fields()) or fields & LABELS
        labels = labels_of_issues([issue.pk for issue in issues]) if is_labelled else {}
        context = {**self.get_serializer_context(), "labels": labels}
        rows: Sequence[object] = self.get_serializer(issues, many=True, context=context).data
        return rows

    def _with_relations(self, issues: QuerySet[Issue]) -> QuerySet[Issue]:
        keys = self.wanted_fields() or set(self.shape_keys())
        issues = for_list(issues)
        if "fixes" not in keys:
            issues = issues.prefetch_related(None)
        return with_relatives(issues) if keys & {"related", "same_as"} else issues

    def _by_address(self, address: str, params: QueryDict) -> QuerySet[Issue]:
        others = sorted(set(params).difference(MAY_STAND_WITH_URL))
        if others:
            raise InvalidParametersError({"url": [f"Cannot be combined with: {', '.join(others)}."]})
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


@extend_schema_view(
    list=extend_schema(
        summary="Comments of an issue",
        description=(
            "The comments on a mirrored issue, oldest first, each text as written but for the secrets that people "
            "pasted. An issue that is not mirrored has none here, whatever its `comment_count`."
        ),
    )
)
class CommentViewSet(ReadViewSet):
    """The comments of one issue."""

    serializer_class = CommentSerializer
    list_parameters = (declared.ISSUE_ID,)
    example_name = "comment"

    def get_queryset(self) -> QuerySet[Comment]:
        """The issue's comments. Raises `Http404` when there is no such issue."""
        if getattr(self, "swagger_fake_view", False):
            return Comment.objects.none()
        return comments_of(issue=get_object_or_404(Issue.objects.only("pk"), pk=number_of_issue(self.kwargs["pk"])))

    def list(self, request: Request, **_where: Any) -> Response:
        """One page of them."""
        return super().list(request)
