"""The issues that a sample is drawn from: what a search of the knowledge base finds, or what somebody has listed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict

from kb.models import Issue, Kind
from kb.search import MOST_REACHABLE, Sort, search
from labeling.models import Item, Round
from labeling.refusals import RefusedError
from labeling.samples import tidy_address

PAGE = 1_000


def matching(*, query: str) -> list[str]:
    """The addresses of the issues that a search address (`q=hang&framework=vllm`) finds, whatever their order.

    Raises RefusedError when the search is not understood, or its words find more than can be listed.
    """
    params = QueryDict(query, mutable=True)
    params["sort"] = Sort.NEWEST.value
    found = search(params, limit=0, with_facets=False)
    _require_understood(found.errors)
    if found.asked.query.is_empty:
        return list(_addresses(found.asked.form.qs))
    if found.total > MOST_REACHABLE:
        raise RefusedError(
            f"These words find {found.total:,} issues, and at most {MOST_REACHABLE:,} can be drawn from. "
            "Add a filter, or leave the words out."
        )
    ids = [pk for start in range(0, found.total, PAGE) for pk in search(params, offset=start, limit=PAGE).ids]
    return list(_addresses(Issue.objects.filter(pk__in=ids)))


def best(*, query: str, size: int) -> list[str]:
    """The addresses of the first results of a search, in its own order."""
    found = search(QueryDict(query), limit=min(size, MOST_REACHABLE), with_facets=False)
    _require_understood(found.errors)
    known = dict(Issue.objects.filter(pk__in=found.ids).true_issues().values_list("pk", "url"))
    return [known[pk] for pk in found.ids if pk in known]


def by_framework(*, urls: list[str]) -> dict[str, list[str]]:
    """The addresses by their framework's slug."""
    strata: dict[str, list[str]] = {}
    pairs = Issue.objects.filter(url__in=urls).values_list("repository__framework__slug", "url").order_by("url")
    for framework, url in pairs:
        strata.setdefault(framework, []).append(url)
    return dict(sorted(strata.items()))


@dataclass(frozen=True)
class Preview:
    """How many issues a search finds, how many of them can be drawn, and the titles of its first results."""

    matches: int
    left: int
    first: list[Issue]


@dataclass(frozen=True)
class Rejected:
    """A line of a list that stands for no issue, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True)
class Listed:
    """What a list of addresses holds, in its order."""

    urls: list[str]
    rejected: list[Rejected]


def preview(*, query: str, project_id: int, fresh: bool, shown: int = 5) -> Preview:
    """What could be drawn from a search. Raises RefusedError when it is not understood or finds too much."""
    urls = matching(query=query)
    taken = drawn_before(project_id=project_id) if fresh else set()
    first = search(QueryDict(query), limit=shown, with_facets=False).ids
    by_id = Issue.objects.select_related("repository").in_bulk(first)
    left = sum(url not in taken for url in urls)
    return Preview(matches=len(urls), left=left, first=[by_id[pk] for pk in first if pk in by_id])


def listed(*, lines: Iterable[str]) -> Listed:
    """The issues that these addresses stand for; empty lines do not count. One statement."""
    wanted = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    addresses = {text: tidy_address(text) for _, text in wanted}
    kinds = dict(Issue.objects.filter(url__in=set(addresses.values())).values_list("url", "kind"))
    found: dict[str, int] = {}
    rejected = []
    for number, text in wanted:
        url = addresses[text]
        if reason := _why_not(url, kinds, found):
            rejected.append(Rejected(number, text, reason))
        else:
            found[url] = number
    return Listed(list(found), rejected)


def _why_not(url: str, kinds: dict[str, str], found: dict[str, int]) -> str:
    if url in found:
        return f"It stands in line {found[url]} already."
    if not url.startswith("https://"):
        return "This is not the address of an issue."
    if kinds.get(url) == Kind.PULL_REQUEST or "/pull/" in url:
        return "This is a pull request, not an issue."
    return "" if url in kinds else "This issue is not in the knowledge base."


def drawn_before(*, project_id: int, other_than: Round | None = None) -> set[str]:
    """The addresses of the issues that are in a round of the project, this one left out."""
    items = Item.objects.filter(round__project=project_id)
    items = items.exclude(round=other_than) if other_than else items
    return set(items.values_list("issue__url", flat=True))


def _addresses(issues: QuerySet[Issue]) -> QuerySet[Issue, str]:
    return issues.exclude(kind=Kind.PULL_REQUEST).order_by("url").values_list("url", flat=True)


def _require_understood(errors: object) -> None:
    if errors:
        raise RefusedError("The search was not understood. Try it on the search page, and take its address from there.")
