"""Whose membership, which round, which issue: how both faces of labeling find what an address names.

What is not the reader's to see is not there: everything here raises the model's `DoesNotExist`, which a face answers
as it answers any address without anything behind it.
"""

from django.contrib.auth.models import User

from labeling.models import Item, Member, Role, Round
from labeling.selectors import visible


def membership(*, user: User, slug: str) -> Member:
    """The person's membership in a project. Raises Member.DoesNotExist, also where they have left."""
    return Member.objects.select_related("project", "user").get(user=user, project__slug=slug, left_at=None)


def round_of(*, member: Member, number: int) -> Round:
    """A round of the member's project by its number; what is still prepared only for leads. Raises DoesNotExist."""
    rounds = Round.objects.select_related("codebook", "guideline", "project").filter(project=member.project_id)
    if not member.has(Role.LEAD):
        rounds = rounds.exclude(state=Round.State.DRAFT)
    return rounds.get(number=number)


def item_of(*, round_: Round, position: int) -> Item:
    """An issue of a round by its place in the sample. Raises Item.DoesNotExist."""
    items = Item.objects.select_related("snapshot", "issue")
    # Of the issue as it is now, only its address is shown: what people read is the snapshot.
    items = items.defer("issue__body", "issue__search_vector", "issue__label_terms")
    found = items.get(round=round_, position=position)
    found.round = round_
    return found


def released_item_of(*, member: Member, round_: Round, position: int) -> Item:
    """The same, if its votes are no secret for the member any more. Raises Item.DoesNotExist."""
    found = item_of(round_=round_, position=position)
    if not visible.released_items(member=member).filter(pk=found.pk).exists():
        raise Item.DoesNotExist
    return found
