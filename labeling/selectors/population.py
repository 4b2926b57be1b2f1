"""The issues that a sample is drawn from: the results of a search of the knowledge base, or a list of addresses."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.http import QueryDict

from kb.models import Issue, Kind
from kb.search import MOST_REACHABLE, Sort, read, search
from labeling.models import Item, Project, Round
from labeling.refusals import RefusedError
from labeling.samples import tidy_address
from labeling.selectors.subjects import own_urls, url_of_item

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


def best(*, query: str) -> list[str]:
    """The addresses of the first results of a search, as many as can be listed, in its own order."""
    results = search(QueryDict(query), limit=MOST_REACHABLE, with_facets=False)
    _require_understood(results.errors)
    urls = dict(Issue.objects.filter(pk__in=results.ids).true_issues().values_list("pk", "url"))
    return [urls[pk] for pk in results.ids if pk in urls]


@dataclass(frozen=True)
class Reports:
    """Issues and what is here of their reports: no thread, so that nothing can be frozen, or no text but a title."""

    urls: list[str]
    unmirrored: set[str]
    without_text: set[str]


def reports(*, urls: list[str], words: Collection[str] = ()) -> Reports:
    """The reports of these issues, in their order; `words`: only of those that have each in the title or the text."""
    issues = Issue.objects.filter(url__in=urls)
    for word in words:
        issues = issues.filter(_has_word("title", word) | _has_word("body", word))
    kept = set(issues.values_list("url", flat=True)) if words else set(urls)
    unmirrored = set(issues.unmirrored().values_list("url", flat=True))
    empty = issues.exclude(body__regex=r"[^[:space:]]").values_list("url", flat=True)
    return Reports([url for url in urls if url in kept], unmirrored, set(empty) - unmirrored)


def words_of(*, query: str) -> tuple[str, ...]:
    """The words and phrases of a search; what it excludes, it excludes by itself."""
    asked = read(QueryDict(query)).query
    return (*asked.words.split(), *asked.phrases)


def _has_word(field: str, word: str) -> Q:
    """Whether the word stands in the field, not as a part of another; Chinese has no blanks between words."""
    if not word.isascii():
        return Q(**{f"{field}__icontains": word})
    edge = "[^[:alnum:]_]"
    return Q(**{f"{field}__iregex": f"(^|{edge}){re.escape(word)}({edge}|$)"})


def by_framework(*, urls: list[str]) -> dict[str, list[str]]:
    """The addresses by their framework's slug."""
    strata: dict[str, list[str]] = {}
    pairs = Issue.objects.filter(url__in=urls).values_list("repository__framework__slug", "url").order_by("url")
    for framework, url in pairs:
        strata.setdefault(framework, []).append(url)
    return dict(sorted(strata.items()))


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


def listed(*, project: Project, lines: Iterable[str]) -> Listed:
    """The issues at these addresses, and the project's own items of these ids; empty lines do not count.

    Only a demo takes issues whose thread is not mirrored.
    """
    texts = {number: line.strip() for number, line in enumerate(lines, start=1) if line.strip()}
    own = own_urls(project_id=project.pk, names=texts.values())
    addresses = {number: own.get(text) or tidy_address(text) for number, text in texts.items()}
    issues = Issue.objects.filter(url__in=set(addresses.values()))
    kinds = dict(issues.values_list("url", "kind"))
    unmirrored = set() if project.is_demo else set(issues.unmirrored().values_list("url", flat=True))
    line_of: dict[str, int] = {}
    rejected = []
    for number, url in addresses.items():
        if url in line_of:
            reason = f"It is on line {line_of[url]} already."
        elif url in own.values():
            line_of[url] = number
            continue
        elif not url.startswith("https://"):
            reason = "This is neither the address of an issue nor the id of an item of the project."
        elif kinds.get(url) == Kind.PULL_REQUEST or "/pull/" in url:
            reason = "This is a pull request, not an issue."
        elif url not in kinds:
            reason = "This issue is not in the knowledge base."
        elif url in unmirrored:
            reason = "Its thread is not mirrored here: there is no report to read."
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
    return set(items.values_list(url_of_item(), flat=True))


def _addresses(issues: QuerySet[Issue]) -> QuerySet[Issue, str]:
    return issues.exclude(kind=Kind.PULL_REQUEST).order_by("url").values_list("url", flat=True)


def _require_understood(errors: object) -> None:
    if errors:
        raise RefusedError("The search could not be read. Try it on the search page and copy the address from there.")
