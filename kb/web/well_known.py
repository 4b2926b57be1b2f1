"""`robots.txt`, `security.txt` and the description of the search for browsers."""

import datetime as dt

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
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
# https://github.com/dewitt/opensearch: what a browser needs to search here from its address bar.
OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Faultbook</ShortName>
<Description>Faults of LLM frameworks: symptoms, causes and fixes.</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image height="16" width="16" type="image/svg+xml">{icon}</Image>
<Url type="text/html" template="{search}?q={{searchTerms}}"/>
<Url type="application/atom+xml" template="{feed}?q={{searchTerms}}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="{self}"/>
</OpenSearchDescription>
"""
# RFC 9116 requires an expiry date.
GOOD_DAYS = 180
FRESH_SECONDS = 86_400


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers should not read, and where the sitemap is."""
    sitemap = absolute(request, reverse("sitemap"))
    return HttpResponse(f"{ROBOTS}\nSitemap: {sitemap}\n", content_type="text/plain; charset=utf-8")


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


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def opensearch(request: HttpRequest) -> HttpResponse:
    """The search as browsers take it (OpenSearch 1.1)."""
    paths = {
        "icon": static("img/favicon.svg"), "search": reverse("search"), "feed": reverse("feed"), "self": request.path,
    }  # fmt: skip
    text = OPENSEARCH.format(**{name: absolute(request, path) for name, path in paths.items()})
    return HttpResponse(text, content_type="application/opensearchdescription+xml; charset=utf-8")
