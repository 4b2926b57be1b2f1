"""`robots.txt` and `security.txt`."""

import datetime as dt

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.http.site import absolute

# Crawlers may read all issues, but not every combination of filters.
ROBOTS = """User-agent: *
Disallow: /account/
Disallow: /admin/
Disallow: /api/
Disallow: /labeling/
Disallow: /issues/?
Disallow: /explore/*?
"""
# RFC 9116 requires an expiry date.
GOOD_DAYS = 180


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """What crawlers should not read."""
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8")


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """The contact for vulnerabilities (RFC 9116). Raises `Http404` where CONTACT_EMAIL is not set."""
    if not settings.CONTACT_EMAIL:
        raise Http404
    expires = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) + dt.timedelta(days=GOOD_DAYS)
    lines = (
        f"Contact: mailto:{settings.CONTACT_EMAIL}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {absolute(request, request.path)}",
    )
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
