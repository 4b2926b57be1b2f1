"""What a project can label, issues of the knowledge base and its own items, by the addresses that name them."""

from collections.abc import Iterable

from django.db.models import Q
from django.db.models.functions import Coalesce

from kb.models import Issue
from labeling.models import Item, OwnItem, Snapshot

AT_ONCE = 5_000
# What stands in a framework's place for own items.
OWN = "Own items"
# "issue" or "own", which are the columns of `Item` and `Snapshot`, and its id.
Subject = tuple[str, int]


def subjects(*, project_id: int, names: Iterable[str]) -> dict[str, Subject]:
    """Name -> what it names: an own item by its address or id, else an issue by its address; pull requests are none.

    What is not known is left out.
    """
    found: dict[str, Subject] = {}
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), AT_ONCE):
        batch = wanted[start : start + AT_ONCE]
        issues = Issue.objects.filter(url__in=batch).true_issues().values_list("url", "pk")
        found |= {url: ("issue", pk) for url, pk in issues}
        own = OwnItem.objects.filter(project=project_id)
        # By each index for itself; an address wins over an id that is written in the same way.
        found |= {key: ("own", pk) for pk, key in own.filter(key__in=batch).values_list("pk", "key")}
        found |= {url: ("own", pk) for pk, url in own.filter(url__in=batch).values_list("pk", "url")}
    return {name: found[name] for name in wanted if name in found}


def own_urls(*, project_id: int, names: Iterable[str]) -> dict[str, str]:
    """Name -> the address that names it in files, of those that are own items, by their ids or addresses."""
    found = subjects(project_id=project_id, names=names)
    rows = OwnItem.objects.filter(pk__in=[pk for kind, pk in found.values() if kind == "own"])
    urls = dict(rows.values_list("pk", "url"))
    return {name: urls[pk] for name, (kind, pk) in found.items() if kind == "own"}


def subject_of(item: Item | Snapshot) -> Subject:
    """What an item or snapshot is about, as a key."""
    return ("issue", item.issue_id) if item.issue_id is not None else ("own", item.own_id or 0)


def about(some: Iterable[Subject]) -> Q:
    """What finds the items and snapshots that are about these."""
    ids: dict[str, list[int]] = {"issue": [], "own": []}
    for kind, pk in some:
        ids[kind].append(pk)
    return Q(issue__in=ids["issue"]) | Q(own__in=ids["own"])


def url_of_item(path: str = "") -> Coalesce:
    """The address that names an item in files, for queries; `path` leads to the item, as in `item__`."""
    return Coalesce(f"{path}issue__url", f"{path}own__url")
