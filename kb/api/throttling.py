"""Throttles of Django REST framework that count with `kb.http.rates`."""

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from kb.http import rates
from kb.http.visitors import visitor_of


class ReadThrottle(BaseThrottle):
    """The rate of reading, by visitor."""

    scope = "anon"
    counted: rates.Counted | None = None

    def get_ident(self, request: Request) -> str:
        """The key that the visitor is counted by."""
        return visitor_of(request._request)

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        """Count the request; whether it is within the rate."""
        rate = rates.rate_of(self.scope)
        if rate is None:
            return True
        self.counted = rates.count(self.scope, self.get_ident(request), rate)
        return self.counted.is_allowed

    def wait(self) -> float | None:
        """Whole seconds until the window ends."""
        return None if self.counted is None else self.counted.wait


class DiagnosisThrottle(ReadThrottle):
    """The rate of asking for a diagnosis, which costs a thousand times what reading does."""

    scope = "diagnosis"


class SearchThrottle(ReadThrottle):
    """The rate of searching, pages and API together."""

    scope = "search"
