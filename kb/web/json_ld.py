"""What a page says of itself to programs that read schema.org: only what the page shows to everybody."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from kb.http.site import absolute
from kb.models import Issue, Study

# As Django's json_script: no text can end the element.
ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


def of_record(request: HttpRequest, issue: Issue) -> SafeString:
    """A described issue is an article about a fault; others say nothing of our own."""
    if not issue.is_curated:
        return SafeString()
    return _script(
        {
            "@type": "TechArticle",
            "headline": issue.display_title,
            "description": issue.summary,
            "url": absolute(request, issue.get_absolute_url()),
            "dateModified": issue.read_on.isoformat() if issue.read_on else None,
            "about": issue.repository.framework.name,
            "isBasedOn": issue.url,
        }
    )


def of_study(request: HttpRequest, study: Study) -> SafeString:
    """A study's published tables are a data set of others."""
    return _script(
        {
            "@type": "Dataset",
            "name": study.title,
            "description": study.method,
            "url": absolute(request, study.get_absolute_url()),
            "sameAs": study.url,
            "creator": {"@type": "Organization", "name": study.authors} if study.authors else None,
            "temporalCoverage": study.period or None,
            "license": study.licence or None,
        }
    )


def _script(data: Mapping[str, Any]) -> SafeString:
    known = {"@context": "https://schema.org"} | {name: value for name, value in data.items() if value is not None}
    text = json.dumps(known, ensure_ascii=False).translate(ESCAPES)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 - JSON, escaped for HTML
