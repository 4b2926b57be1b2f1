"""What every view of the API shares: known parameters only, `?fields=`, ETags, rate headers."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import django_filters as filters
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from kb.api import parameters as declared
from kb.api.caching import validate
from kb.api.examples import example
from kb.api.paging import Paging
from kb.api.problems import InvalidParametersError
from kb.api.serializers.base import Shape
from kb.api.throttling import ReadThrottle
from kb.http.size import check_query

# By view and action.
_declared: dict[tuple[type, str | None], tuple[OpenApiParameter, ...]] = {}


class ReadView(APIView):
    """A read-only view. Subclasses say which parameters they know."""

    throttle_classes: Sequence[type[BaseThrottle]] = (ReadThrottle,)
    serializer_class: Any = None
    throttles: Sequence[BaseThrottle] = ()
    response_headers: ClassVar[Sequence[OpenApiParameter]] = declared.RESPONSE_HEADERS
    tidied_methods: ClassVar[Sequence[str]] = ("GET", "HEAD")

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Every parameter of the present action, for checking and for the documentation."""
        return (declared.IF_NONE_MATCH,)

    def examples(self) -> Iterable[OpenApiExample]:
        """Examples of the present action's answer."""
        return ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse parameters that nobody would read, and more of them than anybody could."""
        check_query(request)
        super().initial(request, *args, **kwargs)
        if request.method in self.tidied_methods:
            declared.tidy(request, self._declared_parameters())

    def _declared_parameters(self) -> tuple[OpenApiParameter, ...]:
        """What somebody reads; put together once for each action."""
        place = (type(self), getattr(self, "action", ""))
        if place not in _declared:
            _declared[place] = tuple(self.parameters())
        return _declared[place]

    def get_throttles(self) -> list[BaseThrottle]:
        """The throttles, kept so that their state can be told."""
        self.throttles = super().get_throttles()
        return list(self.throttles)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Tell the state of the throttle that leaves the least."""
        final = super().finalize_response(request, response, *args, **kwargs)
        counted = [one.counted for one in self.throttles if isinstance(one, ReadThrottle) and one.counted]
        for name, value in min(counted, key=lambda one: one.left).headers.items() if counted else ():
            final.headers[name] = value
        return final

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with validators, or with 304."""
        return validate(request, super().dispatch(request, *args, **kwargs))

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002
        """Say which methods there are; the OpenAPI document says the rest."""
        return Response(status=status.HTTP_204_NO_CONTENT)


class ReadViewSet(ReadView, GenericViewSet[Any]):
    """A list with filters and pages, and its single rows."""

    pagination_class = Paging
    filterset_class: ClassVar[type[filters.FilterSet] | None] = None
    detail_serializer_class: ClassVar[type[Shape] | None] = None
    list_parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    paging_parameters: ClassVar[Sequence[OpenApiParameter]] = declared.PAGING
    path_parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    example_name: ClassVar[str] = ""
    rows: ClassVar[Callable[[], QuerySet[Any]]]

    def parameters(self) -> Iterable[OpenApiParameter]:
        """The filters and pages of the list; `fields` everywhere."""
        if self.action == "list":
            yield from self.list_parameters
            yield from declared.parameters_of(self.filterset_class) if self.filterset_class else ()
            yield from self.paging_parameters
        else:
            yield from self.path_parameters
        yield declared.fields_parameter(self.shape_keys())
        yield declared.IF_NONE_MATCH

    def examples(self) -> Iterable[OpenApiExample]:
        """A real row, with the keys that the action shows."""
        return (example(self.example_name, self.shape_keys()),)

    def get_serializer_class(self) -> type[Shape]:
        """The detail has a serializer of its own where it says more than the list."""
        if self.action == "retrieve" and self.detail_serializer_class:
            return self.detail_serializer_class
        shape: type[Shape] = self.serializer_class
        return shape

    def get_serializer_context(self) -> dict[str, Any]:
        """The request, and the keys that were asked for."""
        return {**super().get_serializer_context(), "fields": self.wanted_fields()}

    def shape_keys(self) -> Sequence[str]:
        """The keys of a result."""
        return self.get_serializer_class().keys()

    def wanted_fields(self) -> set[str] | None:
        """The keys in `?fields=`; None for all. Raises `InvalidParametersError`."""
        raw = self.request.query_params.get("fields", "") if self.request else ""
        wanted = {name.strip() for name in raw.split(",") if name.strip()}
        known = self.shape_keys()
        if strange := [f"“{name[:60]}” is no key here. Choose from: {', '.join(known)}." for name in wanted - {*known}]:
            raise InvalidParametersError({"fields": sorted(strange)})
        return wanted or None

    def get_queryset(self) -> QuerySet[Any]:
        """Every row, in a total order."""
        return type(self).rows()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that the list's filters leave; one row stands for itself. Raises `InvalidParametersError`."""
        if self.filterset_class is None or self.action != "list":
            return queryset
        filterset = self.filterset_class(self.request.query_params, queryset=queryset)
        if not filterset.is_valid():
            raise InvalidParametersError({name: [str(e) for e in errors] for name, errors in filterset.errors.items()})
        return filterset.qs

    def list(self, request: Request) -> Response:  # noqa: ARG002
        """One page of the rows."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def retrieve(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One row."""
        return Response(self.get_serializer(self.get_object()).data)


class NumberedViewSet(ReadViewSet):
    """Rows whose address is their number."""

    path_parameters = (declared.ID,)


class NamedViewSet(ReadViewSet):
    """Rows whose address is their slug."""

    lookup_field = "slug"
    path_parameters = (declared.SLUG,)
