"""Base classes of the labeling API's views: a session with CSRF or a token, membership, roles, refusals, no caching."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kb.api.paging import Paging
from kb.api.parameters import tidy
from kb.api.throttling import ReadThrottle
from kb.http.size import check_query
from labeling.api.problems import NotLoggedInError, OutOfScopeError, TooLargeError, as_problem
from labeling.api.schema import LabelingSchema
from labeling.api.scopes import Scope, ScopedToken
from labeling.models import Item, Member, Role, Round
from labeling.refusals import missing_as_404
from labeling.selectors import membership as selectors
from labeling.services.people import require_not_suspended

# The slug is of the project, the numbers are those that the pages show.
PROJECT, ROUND, POSITION = "project", "number", "position"


class PageSession(SessionAuthentication):
    """The session of the pages; whoever writes sends the CSRF token too."""


class PersonThrottle(ReadThrottle):
    """Limits requests by account, not by address: a whole team may share one address. Each token counts by itself."""

    def get_ident(self, request: Request) -> str:
        """The key of the account's or the token's count."""
        return f"token-{request.auth.pk}" if request.auth else f"person-{request.user.pk}"


class PersonView(APIView):
    """A view for whoever is logged in."""

    throttle_classes = (PersonThrottle,)
    # What a token needs to write here; without one, only a session writes.
    write_scope: ClassVar[Scope | None] = None
    schema = LabelingSchema()
    query_parameters: ClassVar[tuple[OpenApiParameter, ...]] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse anonymous requests, bodies that are too large, and unknown parameters."""
        check_query(request)
        try:
            # Read here, where its size is watched, and before the search for a CSRF token parses it.
            _ = request._request.body
        except RequestDataTooBig as error:
            raise TooLargeError from error
        self.perform_authentication(request)
        if not isinstance(request.user, User):
            raise NotLoggedInError
        if request.auth is not None:
            self._check_scope(cast("ScopedToken", request.auth))
        super().initial(request, *args, **kwargs)
        tidy(request, self.query_parameters)

    def get_authenticators(self) -> list[BaseAuthentication]:
        """A token if one is shown, else the session of the pages."""
        return [import_string(settings.LABELING_TOKEN_AUTHENTICATION)(), PageSession()]

    def get_authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """With a realm to answer with, "not logged in" is 401 and "not allowed" 403."""
        return 'Session realm="Faultbook", Bearer realm="Faultbook"'

    def _check_scope(self, token: ScopedToken) -> None:
        """Raises OutOfScopeError where the token does not allow this verb."""
        needed = Scope.READ if self.request.method in SAFE_METHODS else self.write_scope
        if needed not in token.scopes:
            raise OutOfScopeError(needed)

    @property
    def person(self) -> User:
        """The account that sends the request. Raises NotLoggedInError."""
        if self.request.user is None or isinstance(self.request.user, AnonymousUser):
            raise NotLoggedInError
        return self.request.user

    def handle_exception(self, exc: Exception) -> Response:
        """Answer refusals in the words of the service that refused."""
        response = super().handle_exception(as_problem(exc))
        if response.status_code == status.HTTP_401_UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = self.get_authenticate_header(self.request)
        return response

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Nothing may be cached: the answer is one person's."""
        response = super().dispatch(request, *args, **kwargs)
        patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
        add_never_cache_headers(response)
        return response

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002
        """List the methods in `Allow`; the OpenAPI document describes them."""
        return Response(status=status.HTTP_204_NO_CONTENT)

    def sent(self, shape: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """The request's body in this shape. Raises ValidationError."""
        body = shape(data=self.request.data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)

    def page_of(self, rows: QuerySet[Any], shape: type[serializers.Serializer[Any]]) -> Response:
        """One page of these rows, which must be in a total order."""
        paging = Paging()
        page = paging.paginate_queryset(rows, self.request, self)
        return paging.get_paginated_response(shape(page, many=True, context=self.context()).data)

    def shown(self, row: Any, shape: type[serializers.Serializer[Any]], code: int = status.HTTP_200_OK) -> Response:
        """One row."""
        return Response(shape(row, context=self.context()).data, code)

    def context(self) -> dict[str, Any]:
        """The serializers' context."""
        return {"request": self.request, "view": self}


class ProjectView(PersonView):
    """A view of one project, for its members; a verb may be kept for roles."""

    roles: ClassVar[Mapping[str, tuple[Role, ...]]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """404 for people outside the project, 403 for members without the role.

        In a suspended project unsafe methods are refused.
        """
        super().initial(request, *args, **kwargs)
        roles = self.roles.get(request.method or "", tuple(Role))
        if not self.member.has(*roles):
            raise PermissionDenied
        if request.method not in SAFE_METHODS:
            require_not_suspended(self.member.project)

    @cached_property
    def member(self) -> Member:
        """The reader's membership. Raises Http404."""
        with missing_as_404():
            return selectors.membership(user=self.person, slug=self.kwargs[PROJECT])

    @cached_property
    def round_(self) -> Round:
        """The round of the address. Raises Http404."""
        with missing_as_404():
            return selectors.round_of(member=self.member, number=self.kwargs[ROUND])

    @cached_property
    def item(self) -> Item:
        """The issue of the address. Raises Http404."""
        with missing_as_404():
            return selectors.item_of(round_=self.round_, position=self.kwargs[POSITION])

    def context(self) -> dict[str, Any]:
        """The reader too: a receipt is shown to its owner only."""
        return super().context() | {"member": self.member}
