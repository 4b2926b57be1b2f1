"""The pages about Faultbook and its contents: data quality, the readers' agreement, and the way into Learn."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.exports import citations
from kb.http.site import absolute
from kb.models import Source, Trust
from kb.selectors import overview
from kb.selectors.codebook import studies
from kb.web.markup.markdown import render_document


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """About Faultbook and the quality of its data."""
    item = citations.Item(key="faultbook", title="Faultbook", page_url=absolute(request, reverse("home")))
    today = timezone.localdate()
    context = {
        "counts": overview.counts(),
        "quality": overview.quality(),
        "studies": studies(),
        "source_kinds": list(Source.Kind),
        "trust_marks": Trust.choices,
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }
    return render(request, "kb/about/about.html", context)


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """The playbooks, the codebook and the studies: what each is for, and how much there is of it."""
    return render(request, "kb/learn.html", {"library": overview.library()})


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """How to begin with the API, and Swagger UI to try it."""
    return render(request, "kb/api_docs.html", {"api": absolute(request, reverse("api-root"))})


@require_safe
def record_agreement(request: HttpRequest) -> HttpResponse:
    """`docs/agreement.md`, the agreement of the two passes over the curated records, as a page."""
    heading, report = _record_agreement()
    context = {"heading": heading, "report": report, "trail": [("About", reverse("about"))]}
    return render(request, "kb/about/record_agreement.html", context)


@cache
def _record_agreement() -> tuple[str, SafeString]:
    text = (settings.BASE_DIR / "docs" / "agreement.md").read_text(encoding="utf-8")
    heading, *lines = text.splitlines()
    body = "\n".join(line for line in lines if not line.startswith("<!--"))
    return heading.removeprefix("# "), render_document(body)
