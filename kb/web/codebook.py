"""The codebook and a node's page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.models import Node
from kb.selectors import codebook as read
from kb.selectors.fix_patterns import pattern_count
from kb.web.examples import node_examples
from kb.web.explore.fix_sizes import size_facts
from kb.web.hints import node_hints
from kb.web.link_rows import link_tables
from kb.web.parameters import chosen, reads
from kb.web.search.links import node_issues_url
from kb.web.search.words import highlight


@dataclass(frozen=True)
class Branch:
    """A node of the tree with its matches highlighted."""

    node: Node
    name: SafeString
    definition: SafeString
    aliases: SafeString
    issues: int
    issues_url: str
    is_open: bool
    children: tuple["Branch", ...]


class FrameworkRow(NamedTuple):
    """How many issues of a framework carry a node, with the address of their list."""

    name: str
    issues: int
    url: str


@reads("scheme", "q", "open")
@require_safe
def codebook(request: HttpRequest) -> HttpResponse:
    """A scheme as a tree, the house codebook unless `?scheme=` names another; `?q=` filters it by words."""
    schemes = {scheme.slug: scheme for scheme in read.schemes()}
    names = [(slug, scheme.name) for slug, scheme in schemes.items()]
    slug = chosen(request.GET, "scheme", names, noun="scheme", default="house")
    if slug not in schemes:
        raise Http404("The codebook is not loaded.")
    scheme = schemes[slug]
    words = request.GET.get("q", "").replace("\x00", " ").strip()[:200]
    opened = request.GET.get("open") == "all"
    trees = read.scheme_tree(scheme=scheme, words=words)
    context = {
        "scheme": scheme,
        "schemes": list(schemes.values()),
        "q": words,
        "axes": [{"tree": tree, "branches": _branches(tree.roots, words, opened)} for tree in trees],
        "opened": opened,
        "matches": sum(tree.matches for tree in trees),
        "history": read.scheme_history(scheme=scheme),
    }
    return render(request, "kb/codebook/codebook.html", context)


def _branches(nodes: Iterable[read.TreeNode], words: str, opened: bool) -> tuple[Branch, ...]:
    return tuple(
        Branch(
            node=row.node,
            name=highlight(row.node.name, words),
            definition=highlight(row.node.definition, words),
            aliases=highlight(", ".join(read.matching_aliases(row.node, words)), words),
            issues=row.issues,
            issues_url=node_issues_url(row.node),
            is_open=opened or row.leads_to_match,
            children=_branches(row.children, words, opened),
        )
        for row in nodes
    )


@reads()
@require_safe
def node(request: HttpRequest, scheme: str, axis: str, code: str) -> HttpResponse:
    """A node: its meaning, related nodes and studies' categories, its issues and its history."""
    try:
        category = read.node_detail(scheme=scheme, axis=axis, code=code)
    except Node.DoesNotExist as error:
        raise Http404("There is no such category.") from error
    evidence = read.node_evidence(node=category)
    context = {
        "node": category,
        "trail": _trail(category),
        "hints": node_hints(category),
        "examples": node_examples(category),
        "links": link_tables(category),
        "evidence": evidence,
        "frameworks": [
            FrameworkRow(framework.name, framework.issues, node_issues_url(category, framework=framework.slug))
            for framework in evidence.frameworks
        ],
        "issues_url": node_issues_url(category),
        "pull_requests_url": node_issues_url(category, kind="pull_request"),
        "history": read.node_history(node=category),
        "sizes": size_facts(pattern_count(node=category)) if hasattr(category, "playbook") else None,
    }
    return render(request, "kb/codebook/node.html", context)


def _trail(node: Node) -> list[tuple[str, str]]:
    """Names and addresses of the pages above a node: its scheme, its axis and its ancestors."""
    scheme, axis = node.axis.scheme, node.axis
    top = reverse("codebook")
    name = "Codebook"
    if scheme.study:
        top += f"?scheme={scheme.slug}"
        name = f"Categories of {scheme.study.code}"
    ancestors: list[tuple[str, str]] = []
    parent = node.parent
    while parent:
        ancestors.insert(0, (parent.name, reverse("node", args=(scheme.slug, axis.code, parent.code))))
        parent = parent.parent
    return [(name, top), (axis.name, f"{top}#{axis.code}"), *ancestors]
