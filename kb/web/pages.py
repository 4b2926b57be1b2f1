"""The pages about Faultbook and its contents: data quality, the readers' agreement, and the way into Learn."""

import re
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
from kb.web.parameters import reads

# The name in the path of a page, and what search engines show of it.
DOCUMENTS = {
    "agreement": (
        "Agreement",
        "How the labels of the curated records were made, and how far the two passes of automated readers agree.",
    ),
    "faq": ("Questions", "Why a search finds nothing, which number may be cited, who labelled the issues, and more."),
    "cookbook": ("API cookbook", "Short Python programs: known fixes, causes, charts, and the diagnosis of a log."),
    "agents": ("Agents", "How to connect an agent over MCP, what its tools answer, and when not to trust an answer."),
}
# What the site shows of the docs under another address, and its own pages that the docs name.
ELSEWHERE = {"api": "api-docs", "searching": "codebook"}
PAGE_OF_SITE = re.compile(r"`(/(?:about|issues)/[\w/]+/)`")
LINK_TO_DOCS = re.compile(r"\[([^\]]+)\]\((?:\.\./)?([\w-]+)\.md(?:#[^)]*)?\)")


@reads()
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


@reads()
@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """The playbooks, the codebook and the studies: what each is for, and how much there is of it."""
    return render(request, "kb/learn.html", {"library": overview.library()})


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """How to begin with the API, and Swagger UI to try it."""
    return render(request, "kb/api_docs.html", {"api": absolute(request, reverse("api-root"))})


@reads()
@require_safe
def record_agreement(request: HttpRequest) -> HttpResponse:
    """`docs/agreement.md`, the agreement of the two passes over the curated records, as a page."""
    return _document(request, "agreement")


@reads()
@require_safe
def faq(request: HttpRequest) -> HttpResponse:
    """`docs/faq.md`: what readers ask most."""
    return _document(request, "faq")


@reads()
@require_safe
def cookbook(request: HttpRequest) -> HttpResponse:
    """`docs/cookbook.md`: short programs for the API."""
    return _document(request, "cookbook")


@reads()
@require_safe
def agents(request: HttpRequest) -> HttpResponse:
    """`docs/agents.md`: how to connect an agent."""
    return _document(request, "agents")


def _document(request: HttpRequest, name: str) -> HttpResponse:
    heading, body = _read_document(name)
    here, description = DOCUMENTS[name]
    context = {
        "heading": heading, "body": body, "here": here, "description": description,
        "trail": [("About", reverse("about"))],
    }  # fmt: skip
    return render(request, "kb/about/document.html", context)


@cache
def _read_document(name: str) -> tuple[str, SafeString]:
    """A page of the docs: its heading and its body. Links to pages that the site does not show are plain text here."""
    text = (settings.BASE_DIR / "docs" / f"{name}.md").read_text(encoding="utf-8")
    heading, *lines = text.splitlines()
    body = "\n".join(line for line in lines if not line.startswith("<!--"))
    return heading.removeprefix("# "), render_document(
        PAGE_OF_SITE.sub(r"[\1](\1)", LINK_TO_DOCS.sub(_link_on_site, body))
    )


def _link_on_site(link: re.Match[str]) -> str:
    text, name = link.groups()
    if name in ELSEWHERE:
        return f"[{text}]({reverse(ELSEWHERE[name])})"
    return f"[{text}](/about/{name}/)" if name in DOCUMENTS else text
