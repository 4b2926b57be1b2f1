"""How often one visitor may ask the API: what `kb.http.rates` counts, as throttles of Django REST framework."""

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from kb.http import rates
from kb.http.visitors import visitor_of


class ReadThrottle(BaseThrottle):
    """How often one visitor may read."""

    scope = "anon"
    counted: rates.Counted | None = None

    def get_ident(self, request: Request) -> str:
        """Who is counted."""
        return visitor_of(request._request)

    def allow_request(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        """Count the request and say whether it is still within the rate."""
        rate = rates.rate_of(self.scope)
        self.counted = None if rate is None else rates.count(self.scope, self.get_ident(request), rate)
        return self.counted is None or self.counted.is_allowed

    def wait(self) -> float | None:
        """Whole seconds until the window ends."""
        return None if self.counted is None else self.counted.wait


class DiagnosisThrottle(ReadThrottle):
    """How often one visitor may ask for a diagnosis, which costs a thousand times what reading does."""

    scope = "diagnosis"


class SearchThrottle(ReadThrottle):
    """How often one visitor may search, on the pages and here together."""

    scope = "search"
