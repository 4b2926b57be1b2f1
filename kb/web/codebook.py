"""The codebook and a node's page."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.models import Node
from kb.selectors import codebook as read
from kb.selectors.fix_patterns import pattern_count
from kb.web.explore.fix_sizes import size_facts
from kb.web.link_rows import link_tables
from kb.web.parameters import chosen
from kb.web.search.links import node_issues_url
from kb.web.search.words import highlight


@dataclass(frozen=True)
class Branch:
    """A node of the tree as the codebook page shows it."""

    node: Node
    name: SafeString
    definition: SafeString
    aliases: SafeString
    issues: int
    issues_url: str
    is_open: bool
    children: tuple["Branch", ...]


@require_safe
def codebook(request: HttpRequest) -> HttpResponse:
    """A scheme as a tree, the house codebook unless `?scheme=` names another; `?q=` keeps what mentions the words."""
    schemes = list(read.schemes())
    named = [(scheme.slug, scheme.name) for scheme in schemes]
    wanted = chosen(request.GET, "scheme", named, noun="scheme", default="house")
    scheme = next((scheme for scheme in schemes if scheme.slug == wanted), None)
    if scheme is None:
        raise Http404("The codebook is not loaded.")
    words = request.GET.get("q", "").replace("\x00", " ").strip()[:200]
    opened = request.GET.get("open") == "all"
    trees = read.scheme_tree(scheme=scheme, words=words)
    context = {
        "scheme": scheme,
        "schemes": schemes,
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


@require_safe
def node(request: HttpRequest, scheme: str, axis: str, code: str) -> HttpResponse:
    """A node: what it means, what goes with it, who calls it what, and its issues."""
    try:
        found = read.node_detail(scheme=scheme, axis=axis, code=code)
    except Node.DoesNotExist as error:
        raise Http404("There is no such category.") from error
    evidence = read.node_evidence(node=found)
    context = {
        "node": found,
        "trail": _trail(found),
        "links": link_tables(found),
        "evidence": evidence,
        "frameworks": _framework_rows(found, evidence),
        "issues_url": node_issues_url(found),
        "pull_requests_url": node_issues_url(found, kind="pull_request"),
        "history": read.node_history(node=found),
        "sizes": size_facts(pattern_count(node=found)) if hasattr(found, "playbook") else None,
    }
    return render(request, "kb/codebook/node.html", context)


def _trail(found: Node) -> list[tuple[str, str]]:
    """The pages above a node: its scheme, its axis and its ancestors."""
    scheme = found.axis.scheme
    top = reverse("codebook") + ("" if scheme.is_house else f"?scheme={scheme.slug}")
    name = f"Categories of {scheme.study.code}" if scheme.study else "Codebook"
    above = [parent for parent in (found.parent and found.parent.parent, found.parent) if parent]
    ancestors = [(parent.name, reverse("node", args=(scheme.slug, found.axis.code, parent.code))) for parent in above]
    return [(name, top), (found.axis.name, f"{top}#{found.axis.code}"), *ancestors]


def _framework_rows(found: Node, evidence: read.Evidence) -> list[dict[str, object]]:
    """Each framework's count with the address of those issues."""
    return [
        {"name": row.name, "issues": row.issues, "url": node_issues_url(found, framework=row.slug)}
        for row in evidence.frameworks
    ]
