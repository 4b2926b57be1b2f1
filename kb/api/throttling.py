"""Throttles of Django REST framework that count with `kb.http.rates`."""

from collections.abc import Sequence

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from kb.http import rates
from kb.http.visitors import visitor_of


class ReadThrottle(BaseThrottle):
    """The rate of reading, by visitor."""

    scopes: tuple[str, ...] = ("anon",)
    counted: Sequence[rates.Counted] = ()

    def get_ident(self, request: Request) -> str:
        """The key that the visitor is counted by."""
        return visitor_of(request._request)

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        """Count the request; whether it is within the rates."""
        limits = {scope: rate for scope in self.scopes if (rate := rates.rate_of(scope))}
        self.counted = rates.count(self.get_ident(request), limits)
        return all(counted.is_allowed for counted in self.counted)

    def wait(self) -> float | None:
        """Whole seconds until the window of the rate ends that was exceeded."""
        return max((counted.wait for counted in self.counted if not counted.is_allowed), default=None)


class DiagnosisThrottle(ReadThrottle):
    """The rate of asking for a diagnosis, which costs a thousand times what reading does."""

    scopes = ("diagnosis",)


class SearchThrottle(ReadThrottle):
    """The rate of reading, and that of searching, pages and API together."""

    scopes = ("anon", "search")
