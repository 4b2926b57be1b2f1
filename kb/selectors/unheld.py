"""What is known of an issue that is not held: fixes at its number, issues that name it, and held ones of its themes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q

from kb.models import Fix, Issue, Label, Repository, RepositoryAlias

MOST_NAMING, MOST_NEAR = 10, 5
WORDS = ("issues", "pull", "pulls", "discussions")


@dataclass(frozen=True)
class Traces:
    """Fixes that have the number, and held issues whose records or threads name it."""

    fixes: Sequence[Fix]
    naming: Sequence[Issue]


def names_of(*, host: str, full_name: str) -> list[str]:
    """Every name of the repository, its present one and those it had; the given one alone where it is not known."""
    by_alias = RepositoryAlias.objects.filter(host=host, full_name__iexact=full_name).values("repository")
    known = Repository.objects.filter(Q(host=host, full_name__iexact=full_name) | Q(pk__in=by_alias))
    names = [full_name, *known.values_list("full_name", flat=True)]
    names += RepositoryAlias.objects.filter(repository__in=known, host=host).values_list("full_name", flat=True)
    return list(dict.fromkeys(names))


def traces(*, host: str, full_names: Collection[str], ref: str) -> Traces:
    """What the base says of this number, under any of these names of its repository."""
    urls = [f"https://{host}/{name}/{word}/{ref}" for name in full_names for word in WORDS]
    fixes = Fix.objects.filter(url__in=urls).prefetch_related("issues__repository")
    named = [Q(related_urls__overlap=urls), Q(closing_references__url__in=urls)]
    named += [Q(evidence__contains=[{"url": url}]) | Q(neighbours__contains=[{"url": url}]) for url in urls]
    naming = Issue.objects.filter(reduce(or_, named)).select_related("repository").defer("body", "search_vector")
    return Traces(list(fixes), list(naming.order_by("pk").distinct()[:MOST_NAMING]))


def held_with_themes(*, codes: Collection[str], full_names: Collection[str]) -> Sequence[Issue]:
    """Held issues that people labelled with one of these themes, those of the repository first."""
    if not codes:
        return ()
    labels = Label.objects.by_people().filter(
        node__axis__code="theme", node__axis__scheme__study=None, node__code__in=codes
    )
    issues = Issue.objects.true_issues().filter(pk__in=labels.values("issue")).select_related("repository")
    of_repository = Q(repository__full_name__in=full_names)
    near = list(issues.filter(of_repository).defer("body", "search_vector").order_by("-pk")[:MOST_NEAR])
    if len(near) < MOST_NEAR:
        near += issues.exclude(of_repository).defer("body", "search_vector").order_by("-pk")[: MOST_NEAR - len(near)]
    return near


def held_at(urls: Collection[str]) -> dict[str, Issue]:
    """The held issues at these addresses, also where their repository has another name by now."""
    found = Issue.objects.filter(url__in=urls).select_related("repository").defer("body", "search_vector")
    held = {issue.url: issue for issue in found}
    others = [url for url in urls if url not in held]
    old_names = {"/".join(url.split("/")[3:5]) for url in others}
    renamed = RepositoryAlias.objects.filter(full_name__in=old_names).select_related("repository")
    present = {alias.full_name: alias.repository.full_name for alias in renamed}
    moved = {}
    for url in others:
        name = "/".join(url.split("/")[3:5])
        if name in present:
            moved[url.replace(name, present[name], 1)] = url
    for issue in Issue.objects.filter(url__in=moved).select_related("repository").defer("body", "search_vector"):
        held[moved[issue.url]] = issue
    return held
