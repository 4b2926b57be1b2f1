"""The issues that a sample is drawn from: the results of a search of the knowledge base, or a list of addresses."""

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
    """The addresses of all issues that a search (`q=hang&framework=vllm`) finds, in no particular order.

    Raises RefusedError when the search has errors, or its words find more than can be listed.
    """
    params = QueryDict(query, mutable=True)
    params["sort"] = Sort.NEWEST.value
    results = search(params, limit=0, with_facets=False)
    _require_understood(results.errors)
    if results.asked.query.is_empty:
        return list(_addresses(results.asked.form.qs))
    if results.total > MOST_REACHABLE:
        raise RefusedError(
            f"These words find {results.total:,} issues, and at most {MOST_REACHABLE:,} can be drawn from. "
            "Add a filter or remove the words."
        )
    ids: list[int] = []
    for start in range(0, results.total, PAGE):
        ids += search(params, offset=start, limit=PAGE).ids
    return list(_addresses(Issue.objects.filter(pk__in=ids)))


def best(*, query: str, size: int) -> list[str]:
    """The addresses of the first results of a search, in its own order."""
    results = search(QueryDict(query), limit=min(size, MOST_REACHABLE), with_facets=False)
    _require_understood(results.errors)
    urls = dict(Issue.objects.filter(pk__in=results.ids).true_issues().values_list("pk", "url"))
    return [urls[pk] for pk in results.ids if pk in urls]


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
    """The issues in a list of addresses, and its rejected lines, in its order."""

    urls: list[str]
    rejected: list[Rejected]


def preview(*, query: str, project_id: int, fresh: bool, shown: int = 5) -> Preview:
    """What could be drawn from a search. Raises RefusedError as `matching` does."""
    urls = matching(query=query)
    taken = drawn_before(project_id=project_id) if fresh else set()
    first = search(QueryDict(query), limit=shown, with_facets=False).ids
    by_id = Issue.objects.select_related("repository").in_bulk(first)
    left = sum(url not in taken for url in urls)
    return Preview(matches=len(urls), left=left, first=[by_id[pk] for pk in first if pk in by_id])


def listed(*, lines: Iterable[str]) -> Listed:
    """The issues at these addresses; empty lines do not count. One statement."""
    texts = {number: line.strip() for number, line in enumerate(lines, start=1) if line.strip()}
    addresses = {number: tidy_address(text) for number, text in texts.items()}
    kinds = dict(Issue.objects.filter(url__in=set(addresses.values())).values_list("url", "kind"))
    line_of: dict[str, int] = {}
    rejected = []
    for number, url in addresses.items():
        if url in line_of:
            reason = f"It is already on line {line_of[url]} already."
        elif not url.startswith("https://"):
            reason = "This is not the address of an issue."
        elif kinds.get(url) == Kind.PULL_REQUEST or "/pull/" in url:
            reason = "This is a pull request, not an issue."
        elif url not in kinds:
            reason = "This issue is not in the knowledge base."
        else:
            line_of[url] = number
            continue
        rejected.append(Rejected(number, texts[number], reason))
    return Listed(list(line_of), rejected)


def drawn_before(*, project_id: int, other_than: Round | None = None) -> set[str]:
    """The addresses of the issues in the project's rounds, or in those `other_than` one."""
    items = Item.objects.filter(round__project=project_id)
    if other_than is not None:
        items = items.exclude(round=other_than)
    return set(items.values_list("issue__url", flat=True))


def _addresses(issues: QuerySet[Issue]) -> QuerySet[Issue, str]:
    return issues.exclude(kind=Kind.PULL_REQUEST).order_by("url").values_list("url", flat=True)


def _require_understood(errors: object) -> None:
    if errors:
        raise RefusedError("The search could not be read. Try it on the search page and copy the address from there.")
