"""The playbooks: all of them with their numbers, and one with its example, sizes, company and real fixes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.models import Fix, Playbook
from kb.selectors import playbooks as read
from kb.selectors.codebook import mentions
from kb.selectors.fix_patterns import PatternCount, PatternFacts, pattern_counts, pattern_facts
from kb.web.explore.cooccurrence import company_tables, framework_rows
from kb.web.explore.diff import sides
from kb.web.explore.fix_sizes import SizeFacts, distributions, size_facts
from kb.web.markup import markdown
from kb.web.parameters import chosen
from kb.web.search.links import issues_url, node_filter, node_issues_url

PER_PAGE = 20
MOST_CHARACTERS = 200
FIX_ORDERS = {"newest": "Newest first", "smallest": "Smallest first", "largest": "Largest first"}


@dataclass(frozen=True)
class PatternRow:
    """A playbook in the list, with its pattern's numbers and those of the patterns below it."""

    playbook: Playbook
    issues: int
    issues_url: str
    sizes: SizeFacts
    below: tuple["PatternRow", ...] = ()


# What a column is sorted by, the largest first; the codebook's own order has no key.
SORTS: dict[str, tuple[str, Callable[[PatternRow], float]]] = {
    "issues": ("Issues", lambda row: row.issues),
    "fixes": ("Real fixes", lambda row: row.sizes.fixes),
    "lines": ("Median lines", lambda row: -1 if row.sizes.middle is None else row.sizes.middle.value),
    "small": ("Small fixes", lambda row: row.sizes.small_share),
}


class CountedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of fixes that have been counted elsewhere."""

    def __init__(self, fixes: QuerySet[Fix], per_page: int, total: int | None) -> None:
        super().__init__(fixes, per_page)
        self._fixes, self._total = fixes, total

    @cached_property
    def count(self) -> int:
        """How many fixes there are; asked of the database unless it is known."""
        return self._fixes.count() if self._total is None else self._total


@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    """Every playbook below its group: `?q=` keeps those that mention the words, `?sort=` orders them by a number."""
    words = _words(request.GET)
    sort = chosen(request.GET, "sort", [(key, name) for key, (name, _) in SORTS.items()], noun="column")
    groups = _groups(read.playbooks(), words)
    if sort:
        groups = _sorted(groups, SORTS[sort][1])
    context = {
        "groups": groups,
        "words": words,
        "shown": sum(1 + len(group.below) for group in groups),
        "sort": sort,
        "columns": [{"key": key, "name": name} for key, (name, _) in SORTS.items()],
        "is_empty": not groups and not words,
    }
    return render(request, "kb/explore/playbooks.html", context)


def _words(params: QueryDict) -> str:
    return params.get("q", "").replace("\x00", " ").strip()[:MOST_CHARACTERS]


def _groups(found: Iterable[Playbook], words: str) -> list[PatternRow]:
    """Each pattern without a listed parent, with those below it; a group that mentions the words is kept whole."""
    rows = list(found)
    counts = pattern_counts() if rows else {}
    listed = {row.node_id for row in rows}
    below: dict[int, list[Playbook]] = {}
    for row in rows:
        if row.node.parent_id in listed:
            below.setdefault(row.node.parent_id, []).append(row)
    groups = []
    for row in rows:
        if row.node.parent_id in listed:
            continue
        whole = _mentions(row, words)
        kept = [child for child in below.get(row.node_id, []) if whole or _mentions(child, words)]
        if whole or kept:
            children = tuple(_row(child, counts.get(child.node_id)) for child in kept)
            groups.append(_row(row, counts.get(row.node_id), children))
    return groups


def _mentions(playbook: Playbook, words: str) -> bool:
    text = playbook.applies_when.casefold()
    return all(mentions(playbook.node, word) or word.casefold() in text for word in words.split())


def _row(playbook: Playbook, count: PatternCount | None, below: tuple[PatternRow, ...] = ()) -> PatternRow:
    count = count or PatternCount()
    return PatternRow(playbook, count.issues, node_issues_url(playbook.node), size_facts(count), below)


def _sorted(groups: Iterable[PatternRow], key: Callable[[PatternRow], float]) -> list[PatternRow]:
    """Groups by their own number, and what stands below each by its own, the largest first."""
    within = (
        PatternRow(g.playbook, g.issues, g.issues_url, g.sizes, tuple(sorted(g.below, key=key, reverse=True)))
        for g in groups
    )
    return sorted(within, key=key, reverse=True)


@require_safe
def playbook(request: HttpRequest, code: str) -> HttpResponse:
    """A fix pattern's playbook; `?q=`, `?framework=`, `?sort=` and `?page=` choose among its real fixes."""
    try:
        found = read.playbook_detail(code=code)
    except Playbook.DoesNotExist as error:
        raise Http404("There is no such playbook.") from error
    facts = pattern_facts(node=found.node)
    parent = found.node.parent
    above = [(parent.name, reverse("playbook", args=(parent.code,)))] if parent else []
    context = {
        "playbook": found,
        "node": found.node,
        "trail": [("Playbooks", reverse("playbooks")), *above],
        "steps": [markdown.render(step) for step in found.steps],
        "caveats": [markdown.render(caveat) for caveat in found.caveats],
        "sides": sides(found.before, found.after) if found.before else None,
        "facts": facts,
        "sizes": size_facts(facts.count),
        "distributions": distributions(facts.count),
        "frameworks": framework_rows(found.node, facts),
        "company": company_tables(found.node, facts),
        "issues_url": node_issues_url(found.node),
        "fixed_issues_url": issues_url(**node_filter(found.node), has_fix="true"),
        **_listed_fixes(request.GET, facts),
    }
    return render(request, "kb/explore/playbook.html", context)


def _listed_fixes(params: QueryDict, facts: PatternFacts) -> dict[str, Any]:
    """The page of fixes that the address asks for. Raises `BadRequest` for a framework that has none of them."""
    words = _words(params)
    used = {use.slug: use for use in facts.frameworks if use.issues}
    slug = chosen(params, "framework", [(use.slug, use.name) for use in used.values()], noun="framework")
    framework = used.get(slug)
    order = chosen(params, "sort", FIX_ORDERS.items(), noun="order", default="newest")
    fixes = read.real_fixes(facts=facts, words=words, framework=framework.id if framework else None, order=order)
    total = None if words or framework else len(facts.count.fixes)
    page = CountedPaginator(fixes, PER_PAGE, total).get_page(params.get("page"))
    return {
        "words": words,
        "framework": framework,
        "order": order,
        "orders": FIX_ORDERS,
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
    }
