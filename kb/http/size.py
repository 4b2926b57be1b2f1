"""What a request may weigh before anything reads it. Limits on what it says stand where that is read."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest

# A megabyte that needs no escapes fits in; taking three apart would take longer than a search may.
MOST_QUERY_CHARACTERS = 1_300_000


def check_query(request: HttpRequest) -> None:
    """Refuse a query string that is too long to be taken apart; raises RequestDataTooBig."""
    if len(request.META.get("QUERY_STRING", "")) > MOST_QUERY_CHARACTERS:
        raise RequestDataTooBig("The query string is too long.")
