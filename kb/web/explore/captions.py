"""Captions and citations of charts for a request: when, by which codebook, with which filters, at which address."""

from django.http import HttpRequest
from django.utils import timezone

from kb.charts.caption import Origin
from kb.charts.evidence import Evidence
from kb.exports import citations
from kb.http.site import absolute
from kb.selectors.catalogue import scheme_version

MOST_WORDS = 80


def origin_of(request: HttpRequest, evidence: Evidence, path: str) -> Origin:
    """Where the numbers at this path come from, as of today."""
    return Origin(
        codebook=evidence.scheme,
        version=scheme_version(slug=evidence.scheme),
        day=timezone.localdate(),
        filters=_filters(evidence),
        url=absolute(request, path).removesuffix("?"),
    )


def cite_chart(key: str, title: str, origin: Origin) -> citations.Citation:
    """A citation with the day and the codebook's version: numbers of another day may be others."""
    item = citations.Item(key=key, title=title, page_url=origin.url, basis=origin.codebook_text)
    return citations.cite(item, accessed=origin.day)


def _filters(evidence: Evidence) -> list[str]:
    fields = evidence.asked.form.base_filters
    texts = []
    for term in evidence.asked.terms:
        if term.key in fields:
            name = f"not {term.name}" if term.value.unwanted else term.name
            texts.append(f"{str(fields[term.key].label).lower()}: {name}")
    words = evidence.asked.query.words
    return [*texts, f"the words “{words[:MOST_WORDS]}”"] if words else texts
