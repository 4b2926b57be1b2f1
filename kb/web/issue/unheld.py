"""The page of an issue that is not held: that it is not, what is known of it all the same, and what comes near."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from kb.codebook.examples import Example, cited
from kb.core.addresses import HOSTS, RepositoryAddress, issue_address
from kb.models import Node
from kb.selectors.unheld import held_with_themes, names_of, traces


@dataclass(frozen=True)
class Cited:
    """A study's category for the issue, as its paper says it and as its rows do; a node is None where it is unknown."""

    example: Example
    node: Node | None


def unheld_page(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse | None:
    """404 with what is known; None for a host that has no issues."""
    if host not in HOSTS:
        return None
    full_name = f"{owner}/{name}"
    names = names_of(host=host, full_name=full_name)
    small = {each.lower() for each in names}
    examples = [(study, each) for study, several in cited().items() for each in several if each.is_at(small, ref)]
    found = traces(host=host, full_names=names, ref=ref)
    codes = {each.code for _, each in examples}
    near = held_with_themes(codes=codes, full_names=names)
    context = {
        "name": f"{name}#{ref}",
        "original": issue_address(RepositoryAddress(host, full_name), ref, is_pull_request=False),
        "trail": [("Issues", reverse("search"))],
        "cited": _cited(examples),
        "fixes": found.fixes,
        "naming": found.naming,
        "near": near,
        "is_traced": bool(examples or found.fixes or found.naming),
    }
    return render(request, "kb/issue/unheld.html", context, status=404)


def _cited(examples: Sequence[tuple[str, Example]]) -> list[Cited]:
    studies, codes = {study for study, _ in examples}, {each.code for _, each in examples}
    nodes = Node.objects.filter(axis__scheme__slug__in=studies, code__in=codes).select_related("axis__scheme__study")
    by_place = {(node.axis.scheme.slug, node.code): node for node in nodes} if examples else {}
    return [Cited(each, by_place.get((study, each.code))) for study, each in examples]
