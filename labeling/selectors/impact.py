"""The issues that a change of the codebook could affect: shown before the vote on it, and labelled again after it."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from labeling.models import Item, Member, Proposal
from labeling.selectors import visible
from labeling.selectors.subjects import url_of_item

# How many issues and own items some items are about.
NUMBER = Count("issue", distinct=True) + Count("own", distinct=True)


@dataclass(frozen=True)
class Impact:
    """How many of the labelled issues a change would affect, and how many people would label again."""

    issues: int
    labelled: int
    people: int


def touched_items(*, proposal: Proposal) -> QuerySet[Item]:
    """The labelled items whose votes name one of the proposal's nodes, and those of the issues it names as evidence.

    Released items only, because blind votes are secret. Renaming touches nothing: the meaning stays.
    """
    items = Item.objects.filter(round__project=proposal.project_id, votes__isnull=False, released_at__isnull=False)
    if proposal.kind == Proposal.Kind.RENAME:
        return items.none()
    named = Q(votes__answers__nodes__version__node__in=proposal.nodes.all())
    return items.filter(named | Q(issue__in=proposal.evidence.all())).distinct()


def touched_issues(*, member: Member, proposal: Proposal) -> QuerySet[Item]:
    """The issues and own items that the change touches, one item of each, where the member may see the votes."""
    seen = visible.released_items(member=member).filter(pk__in=touched_items(proposal=proposal))
    once = seen.order_by("issue_id", "own_id", "pk").distinct("issue_id", "own_id")
    items = Item.objects.filter(pk__in=once.values("pk")).select_related("issue__repository", "own")
    return items.order_by(url_of_item())


def impact(*, member: Member, proposal: Proposal) -> Impact:
    """The numbers of `touched_issues`, counted over the items that the member may see."""
    seen = visible.released_items(member=member).filter(votes__isnull=False, released_at__isnull=False)
    touched = seen.filter(pk__in=touched_items(proposal=proposal))
    counts = touched.aggregate(issues=NUMBER, people=Count("votes__member", distinct=True))
    labelled = seen.aggregate(number=NUMBER)["number"]
    return Impact(issues=counts["issues"], labelled=labelled, people=counts["people"])
