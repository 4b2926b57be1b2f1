"""Base views of the API: unknown parameters are refused; `?fields=`, ETags and rate headers are handled here."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
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
from kb.api.examples import JsonObject, example
from kb.api.paging import ListPaging, Paging
from kb.api.problems import InvalidParametersError
from kb.api.serializers.base import Shape
from kb.api.throttling import ReadThrottle
from kb.http.size import check_query

# Each view's parameters by class and action: building them takes longer than many an answer.
_declared: dict[tuple[type, str | None], tuple[OpenApiParameter, ...]] = {}


class ReadView(APIView):
    """A read-only view. Subclasses declare the parameters that they accept."""

    throttle_classes: Sequence[type[BaseThrottle]] = (ReadThrottle,)
    serializer_class: Any = None
    throttles: Sequence[BaseThrottle] = ()
    response_headers: ClassVar[Sequence[OpenApiParameter]] = declared.RESPONSE_HEADERS
    # Whether its parameters may name nothing, though its address has no variable part.
    may_be_missing: ClassVar[bool] = False
    tidied_methods: ClassVar[Sequence[str]] = ("GET", "HEAD")
    own_parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    # The file of a real answer (`kb.api.examples`).
    example_name: ClassVar[str] = ""

    def parameters(self) -> Iterable[OpenApiParameter]:
        """The parameters of the current action, for validation and for the OpenAPI document."""
        return (*self.own_parameters, declared.IF_NONE_MATCH)

    def examples(self) -> Iterable[OpenApiExample]:
        """Example answers of the current action."""
        return (example(self.example_name, self.serializer_class.keys()),) if self.example_name else ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Validate the query string. Raises `RequestDataTooBig` or `InvalidParametersError`."""
        check_query(request)
        super().initial(request, *args, **kwargs)
        if request.method in self.tidied_methods:
            key = (type(self), getattr(self, "action", ""))
            if key not in _declared:
                _declared[key] = tuple(self.parameters())
            declared.tidy(request, _declared[key])

    def get_throttles(self) -> list[BaseThrottle]:
        """The throttles, kept for the rate headers of the response."""
        self.throttles = super().get_throttles()
        return list(self.throttles)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Add the rate headers of the rate with the fewest requests left."""
        final = super().finalize_response(request, response, *args, **kwargs)
        throttles = (throttle for throttle in self.throttles if isinstance(throttle, ReadThrottle))
        counted = list(chain.from_iterable(throttle.counted for throttle in throttles))
        if counted:
            for name, value in min(counted, key=attrgetter("left")).headers.items():
                final.headers[name] = value
        return final

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Add an ETag to the answer, or answer 304."""
        return validate(request, super().dispatch(request, *args, **kwargs))

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002
        """Answer with the `Allow` header only; the OpenAPI document describes the rest."""
        return Response(status=status.HTTP_204_NO_CONTENT)


class UncachedView(ReadView):
    """A view of what somebody sends: its answers are kept out of caches."""

    tidied_methods = ("GET", "HEAD", "POST", "DELETE")

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Its own alone."""
        return self.own_parameters

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Add the header; there is no ETag."""
        response = APIView.dispatch(self, request, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        return response


class ReadViewSet(ReadView, GenericViewSet[Any]):
    """A filtered, paged list of rows, and each row by itself."""

    pagination_class = Paging
    filterset_class: ClassVar[type[filters.FilterSet] | None] = None
    detail_serializer_class: ClassVar[type[Shape] | None] = None
    list_parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    paging_parameters: ClassVar[Sequence[OpenApiParameter]] = declared.PAGING
    path_parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    rows: ClassVar[Callable[[], QuerySet[Any]]]

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Filters and paging for the list; `fields` for both actions."""
        if self.action == "list":
            yield from self.list_parameters
            yield from declared.parameters_of(self.filterset_class) if self.filterset_class else ()
            yield from self.paging_parameters
        else:
            yield from self.path_parameters
        yield declared.fields_parameter(self.shape_keys())
        yield declared.IF_NONE_MATCH

    def examples(self) -> Iterable[OpenApiExample]:
        """A real row with the keys of the current action."""
        return (example(self.example_name, self.shape_keys()),)

    def get_serializer_class(self) -> type[Shape]:
        """`detail_serializer_class` for a single row where there is one, else `serializer_class`."""
        if self.action == "retrieve" and self.detail_serializer_class:
            return self.detail_serializer_class
        shape: type[Shape] = self.serializer_class
        return shape

    def get_serializer_context(self) -> JsonObject:
        """DRF's context, with the keys from `?fields=`."""
        return {**super().get_serializer_context(), "fields": self.wanted_fields()}

    def shape_keys(self) -> Sequence[str]:
        """The keys of a row."""
        return self.get_serializer_class().keys()

    def wanted_fields(self) -> set[str] | None:
        """The keys in `?fields=`; None for all. Raises `InvalidParametersError`."""
        value = self.request.query_params.get("fields", "") if self.request else ""
        wanted = {name.strip() for name in value.split(",") if name.strip()}
        keys = self.shape_keys()
        choices = f"Choose from: {', '.join(keys)}."
        errors = [f"“{name[:60]}” is not a key here. {choices}" for name in sorted(wanted.difference(keys))]
        if errors:
            raise InvalidParametersError({"fields": errors})
        return wanted or None

    def get_queryset(self) -> QuerySet[Any]:
        """All rows, in a total order."""
        return type(self).rows()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that match the list's filters. Raises `InvalidParametersError`."""
        if self.filterset_class is None or self.action != "list":
            return queryset
        filterset = self.filterset_class(self.request.query_params, queryset=queryset)
        if not filterset.is_valid():
            raise InvalidParametersError({name: map(str, errors) for name, errors in filterset.errors.items()})
        return filterset.qs

    def list(self, request: Request) -> Response:  # noqa: ARG002
        """One page of the rows."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def retrieve(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One row."""
        return Response(self.get_serializer(self.get_object()).data)


class ListedViewSet(ReadViewSet):
    """Rows that are no queryset, such as those of the house's own files."""

    pagination_class = ListPaging
    paging_parameters = (declared.PAGE, declared.PAGE_SIZE_PARAMETER)

    def found(self, request: Request) -> Sequence[Any]:
        """The rows that match the list's parameters. Raises `InvalidParametersError`."""
        raise NotImplementedError

    def list(self, request: Request) -> Response:
        """One page of the rows."""
        page = self.paginate_queryset(self.found(request))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class NumberedViewSet(ReadViewSet):
    """Rows whose address is their number."""

    path_parameters = (declared.ID,)


class NamedViewSet(ReadViewSet):
    """Rows whose address is their slug."""

    lookup_field = "slug"
    path_parameters = (declared.SLUG,)
