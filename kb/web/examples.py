"""The issues that a study cites as examples of its categories: which of them are held here, and what its rows say."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.codebook.examples import Example, cited, examples_of
from kb.core.addresses import BadAddressError, parse_issue_address
from kb.models import Issue, Node, Study
from kb.selectors.unheld import held_at
from kb.web.parameters import reads


@dataclass(frozen=True)
class ExampleRow:
    """A cited issue with its page here; `issue` is None where it is not held, `node` where the category is unknown."""

    example: Example
    issue: Issue | None
    page: str
    node: Node | None = None


@reads()
@require_safe
def study_examples(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that a study cites, in the order of its categories."""
    found = cited().get(slug)
    study = Study.objects.filter(slug=slug).first()
    if found is None or study is None:
        raise Http404("No examples of this study are known.")
    nodes = Node.objects.filter(axis__scheme__slug=slug).select_related("axis__scheme")
    rows = _rows(found, {node.code: node for node in nodes})
    addresses = {row.example.url: row for row in rows}.values()
    context = {
        "study": study,
        "trail": [("Studies", reverse("studies")), (study.code, study.get_absolute_url())],
        "rows": rows,
        "addresses": len(addresses),
        "held": sum(row.issue is not None for row in addresses),
        "curated": sum(row.issue is not None and row.issue.is_curated for row in addresses),
        "in_rows": sum(row.example.row is not None for row in addresses),
        "agreeing": sum(row.example.agrees for row in addresses),
    }
    return render(request, "kb/codebook/examples.html", context)


def node_examples(node: Node) -> list[ExampleRow]:
    """What a study cites for one of its categories and those below it."""
    return _rows(examples_of(node.axis.scheme.slug, node.code), {})


def _rows(examples: Iterable[Example], nodes: dict[str, Node]) -> list[ExampleRow]:
    found = list(examples)
    held = held_at({example.url for example in found}) if found else {}
    rows = []
    for example in found:
        issue = held.get(example.url)
        rows.append(ExampleRow(example, issue, _page(example, issue), nodes.get(example.code)))
    return rows


def _page(example: Example, issue: Issue | None) -> str:
    """Its page here, which says of an issue that is not held what is known of it; a discussion has only its own."""
    if issue is not None:
        return issue.get_absolute_url()
    try:
        address = parse_issue_address(example.url)
    except BadAddressError:
        return example.url
    owner, name = address.repository.full_name.split("/")
    return reverse("issue", args=[address.repository.host, owner, name, address.ref])
