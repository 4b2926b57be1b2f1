"""What programs look for at a fixed address: what crawlers should leave alone, and whom to tell about a weakness."""

import datetime as dt

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.http.site import absolute

# Issues, codebook, playbooks and studies are for everybody; every combination of filters is a page too many.
ROBOTS = """User-agent: *
Disallow: /account/
Disallow: /admin/
Disallow: /api/
Disallow: /labeling/
Disallow: /issues/?
Disallow: /explore/*?
"""
# RFC 9116 wants a day on which the answer is no longer to be trusted.
GOOD_DAYS = 180


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """Tell crawlers what to leave alone."""
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8")


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Say whom to tell about a weakness (RFC 9116); there is no such page where nobody is named."""
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
