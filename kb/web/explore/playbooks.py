"""The playbooks: all of them, those of fix patterns with their numbers, and one of these with its real fixes.

One of a common fault is in `fault_playbook`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.codebook.hints import hints
from kb.core.fault_playbooks import FaultPlaybook, fault_playbooks
from kb.core.search.lookup import fold
from kb.models import Fix, Playbook
from kb.selectors import playbooks as read
from kb.selectors.codebook import mentions
from kb.selectors.fix_patterns import PatternCount, PatternFacts, pattern_counts, pattern_facts
from kb.web.explore import Context
from kb.web.explore.cooccurrence import company_tables, framework_rows
from kb.web.explore.diff import sides
from kb.web.explore.fix_sizes import SizeFacts, distributions, size_facts
from kb.web.hints import short_hints
from kb.web.markup import markdown
from kb.web.parameters import chosen, reads
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


class Column(NamedTuple):
    """A column that the list can be sorted by, the largest first."""

    name: str
    key: Callable[[PatternRow], float]


# The codebook's own order has none.
COLUMNS = {
    "issues": Column("Issues", lambda row: row.issues),
    "fixes": Column("Real fixes", lambda row: row.sizes.fixes),
    "lines": Column("Median lines", lambda row: row.sizes.middle.value if row.sizes.middle else -1),
    "small": Column("Small fixes", lambda row: row.sizes.small_share),
}


class CountedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of fixes that have been counted elsewhere."""

    def __init__(self, fixes: QuerySet[Fix], per_page: int, total: int | None) -> None:
        super().__init__(fixes, per_page)
        self._fixes, self._total = fixes, total

    @cached_property
    def count(self) -> int:
        """How many fixes there are; read from the database unless it is known."""
        return self._fixes.count() if self._total is None else self._total


@reads("q", "sort")
@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    """Every playbook below its group: `?q=` keeps those that mention the words, `?sort=` orders them by a number."""
    words = _words(request.GET)
    sort = chosen(request.GET, "sort", [(key, column.name) for key, column in COLUMNS.items()], noun="column")
    groups = _groups(list(read.playbooks()), words)
    if sort:
        key = COLUMNS[sort].key
        # What stands below each group, too.
        groups = [replace(group, below=tuple(sorted(group.below, key=key, reverse=True))) for group in groups]
        groups.sort(key=key, reverse=True)
    context = {
        "faults": _common_faults(words),
        "groups": groups,
        "words": words,
        "shown": sum(1 + len(group.below) for group in groups),
        "sort": sort,
        "columns": [{"key": key, "name": column.name} for key, column in COLUMNS.items()],
        "is_empty": not groups and not words,
    }
    return render(request, "kb/explore/playbooks.html", context)


def _common_faults(words: str) -> list[FaultPlaybook]:
    """The playbooks of common faults that mention the words."""
    wanted = [fold(word) for word in words.split()]
    shown = []
    for playbook in fault_playbooks():
        text = fold(" ".join((playbook.name, *playbook.asked, *playbook.lines, playbook.summary)))
        if all(word in text for word in wanted):
            shown.append(playbook)
    return shown


def _words(params: QueryDict) -> str:
    return params.get("q", "").replace("\x00", " ").strip()[:MOST_CHARACTERS]


def _groups(playbooks: Sequence[Playbook], words: str) -> list[PatternRow]:
    """Each pattern without a listed parent, with those below it; a group that mentions the words is kept whole."""
    counts = pattern_counts() if playbooks else {}
    listed = {playbook.node_id for playbook in playbooks}
    children: dict[int, list[Playbook]] = {}
    for playbook in playbooks:
        if playbook.node.parent_id in listed:
            children.setdefault(playbook.node.parent_id, []).append(playbook)
    groups = []
    for playbook in playbooks:
        if playbook.node.parent_id in listed:
            continue
        below = children.get(playbook.node_id, [])
        is_whole = _mentions(playbook, words)
        if not is_whole:
            below = [child for child in below if _mentions(child, words)]
        if is_whole or below:
            rows = tuple(_row(child, counts) for child in below)
            groups.append(replace(_row(playbook, counts), below=rows))
    return groups


def _mentions(playbook: Playbook, words: str) -> bool:
    text = playbook.applies_when.casefold()
    return all(mentions(playbook.node, word) or word.casefold() in text for word in words.split())


def _row(playbook: Playbook, counts: Mapping[int, PatternCount]) -> PatternRow:
    count = counts.get(playbook.node_id, PatternCount())
    return PatternRow(playbook, count.issues, node_issues_url(playbook.node), size_facts(count))


@reads("q", "framework", "sort", "page")
@require_safe
def playbook(request: HttpRequest, code: str) -> HttpResponse:
    """A fix pattern's playbook; `?q=`, `?framework=`, `?sort=` and `?page=` choose among its real fixes."""
    try:
        shown = read.playbook_detail(code=code)
    except Playbook.DoesNotExist as error:
        raise Http404("There is no such playbook.") from error
    node, parent = shown.node, shown.node.parent
    facts = pattern_facts(node=node)
    trail = [("Playbooks", reverse("playbooks"))]
    if parent:
        trail.append((parent.name, reverse("playbook", args=(parent.code,))))
    context = {
        "playbook": shown,
        "node": node,
        "trail": trail,
        "steps": [markdown.render(step) for step in shown.steps],
        "caveats": [markdown.render(caveat) for caveat in shown.caveats],
        "sides": sides(shown.before, shown.after) if shown.before else None,
        "facts": facts,
        "sizes": size_facts(facts.count),
        "distributions": distributions(facts.count),
        "frameworks": framework_rows(node, facts),
        "company": company_tables(node, facts),
        "hints": short_hints(hints().of_pattern(node.code)),
        "issues_url": node_issues_url(node),
        "fixed_issues_url": issues_url(**node_filter(node), has_fix="true"),
        **_listed_fixes(request.GET, facts),
    }
    return render(request, "kb/explore/playbook.html", context)


def _listed_fixes(params: QueryDict, facts: PatternFacts) -> Context:
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
