"""The page about Faultbook: what is in it, how it is made, and how far to trust it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.exports import citations
from kb.models import Source, Trust
from kb.selectors import overview
from kb.selectors.codebook import studies
from kb.site import absolute

SOURCE_KINDS = {
    Source.Kind.CURATED: "The thread was read and each label put down with a reason: follow the link.",
    Source.Kind.CONSENSUS: "Several people labelled the issue independently and settled where they differed.",
    Source.Kind.STUDY: "Taken over unchanged from a published data set, with that study's own note on how it was made.",
    Source.Kind.RULE: "A program's suggestion from the text. Nobody has checked it.",
}


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """About Faultbook and the quality of its data."""
    item = citations.Item(key="faultbook", title="Faultbook", page_url=absolute(request, reverse("home")))
    today = timezone.localdate()
    context = {
        "counts": overview.counts(),
        "quality": overview.quality(),
        "studies": studies(),
        "source_kinds": [(kind, kind.label, text) for kind, text in SOURCE_KINDS.items()],
        "trust_marks": Trust.choices,
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }
    return render(request, "kb/about.html", context)
