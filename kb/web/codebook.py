"""The codebook, a node's page, and the playbooks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.charts.figures import few_note, percent, percent_range
from kb.charts.intervals import wilson
from kb.models import Node, Playbook
from kb.selectors import codebook as read
from kb.selectors import playbooks as playbook_rows
from kb.web import markdown
from kb.web.issue_links import issues_url, node_filter, node_issues_url
from kb.web.link_rows import link_tables
from kb.web.words import highlight

SHOWN_FIXES = 30


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
    wanted = request.GET.get("scheme") or "house"
    scheme = next((scheme for scheme in schemes if scheme.slug == wanted), None)
    if scheme is None:
        raise Http404("There is no such scheme.")
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
    return render(request, "kb/codebook.html", context)


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
        "sizes": _sizes_of(found) if hasattr(found, "playbook") else None,
    }
    return render(request, "kb/node.html", context)


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


@dataclass(frozen=True)
class Sizes:
    """How large a pattern's fixes are, in words; `share` and `interval` are empty when no size is known."""

    sizes: playbook_rows.FixSizes
    share: str = ""
    interval: str = ""
    few: str = ""


def _sizes(sizes: playbook_rows.FixSizes) -> Sizes:
    if not sizes.known:
        return Sizes(sizes)
    interval = wilson(sizes.small, sizes.known)
    few = few_note(sizes.known, one="fix", many="fixes")
    return Sizes(sizes, percent(sizes.small / sizes.known), percent_range(interval), few)


def _sizes_of(pattern: Node) -> Sizes:
    lines = playbook_rows.fixes_of(node=pattern).values_list("lines_changed", "is_small")
    return _sizes(playbook_rows.sizes_of(lines))


@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    """Every playbook below its group, with how often its pattern fixed something."""
    sizes = playbook_rows.fix_sizes()
    counts = read.issue_counts(scheme=get_object_or_404(read.schemes(), study=None))
    rows = {
        row.node_id: {
            "playbook": row,
            "issues": counts.get(row.node_id, 0),
            "issues_url": node_issues_url(row.node),
            "sizes": _sizes(sizes.get(row.node_id, playbook_rows.FixSizes())),
        }
        for row in playbook_rows.playbooks()
    }
    return render(request, "kb/playbooks.html", {"groups": _groups(rows)})


def _groups(rows: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Each pattern without a listed parent, with the rows of its children."""
    groups: dict[int, dict[str, Any]] = {}
    for row in rows.values():
        node = row["playbook"].node
        if node.parent_id in groups:
            groups[node.parent_id]["rows"].append(row)
        else:
            groups[node.pk] = {"head": row, "rows": []}
    return list(groups.values())


@require_safe
def playbook(request: HttpRequest, code: str) -> HttpResponse:
    """A fix pattern's playbook and the real fixes behind it."""
    try:
        found = playbook_rows.playbook_detail(code=code)
    except Playbook.DoesNotExist as error:
        raise Http404("There is no such playbook.") from error
    evidence = read.node_evidence(node=found.node, latest=0)
    context = {
        "playbook": found,
        "node": found.node,
        "trail": [
            ("Playbooks", reverse("playbooks")),
            *(
                [(found.node.parent.name, reverse("playbook", args=(found.node.parent.code,)))]
                if found.node.parent
                else []
            ),
        ],
        "steps": [markdown.render(step) for step in found.steps],
        "caveats": [markdown.render(caveat) for caveat in found.caveats],
        "example": markdown.render(found.example),
        "sizes": _sizes_of(found.node),
        "fixes": list(playbook_rows.fixes_of(node=found.node)[:SHOWN_FIXES]),
        "evidence": evidence,
        "frameworks": _framework_rows(found.node, evidence),
        "issues_url": node_issues_url(found.node),
        "fixed_issues_url": issues_url(**node_filter(found.node), has_fix="true"),
    }
    return render(request, "kb/playbook.html", context)
