"""The issues that a sample is drawn from: everything that a search of the knowledge base finds."""

from django.db.models import QuerySet
from django.http import QueryDict

from kb.models import Issue, Kind
from kb.search import MOST_REACHABLE, Sort, search
from labeling.models import Item
from labeling.refusals import RefusedError

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


def drawn_before(*, project_id: int) -> set[str]:
    """The addresses of the issues that are in a round of the project."""
    return set(Item.objects.filter(round__project=project_id).values_list("issue__url", flat=True))


def _addresses(issues: QuerySet[Issue]) -> QuerySet[Issue, str]:
    return issues.exclude(kind=Kind.PULL_REQUEST).order_by("url").values_list("url", flat=True)


def _require_understood(errors: object) -> None:
    if errors:
        raise RefusedError("The search was not understood. Try it on the search page, and take its address from there.")
