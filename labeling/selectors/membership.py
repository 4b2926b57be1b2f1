"""Looks up the membership, round and issue that an address names, for the pages and the API.

Everything raises the model's `DoesNotExist`, also where the reader may not see what is there: both answer 404.
"""

from django.contrib.auth.models import User

from labeling.models import Item, Member, Role, Round


def membership(*, user: User, slug: str) -> Member:
    """The person's membership in a project. Raises Member.DoesNotExist, also where they have left."""
    member = Member.objects.select_related("project").get(user=user, project__slug=slug, left_at=None)
    member.user = user
    return member


def round_of(*, member: Member, number: int) -> Round:
    """A round of the member's project by its number; draft rounds for leads only. Raises Round.DoesNotExist."""
    rounds = Round.objects.select_related("codebook", "guideline").filter(project=member.project_id)
    if not member.has(Role.LEAD):
        rounds = rounds.exclude(state=Round.State.DRAFT)
    round_ = rounds.get(number=number)
    round_.project = member.project
    return round_


def item_of(*, round_: Round, position: int) -> Item:
    """An item of a round by its position in the sample. Raises Item.DoesNotExist."""
    items = Item.objects.select_related("snapshot", "issue", "own")
    # Of the issue as it is now, only its address is shown: people read the snapshot.
    items = items.defer("issue__body", "issue__search_vector", "issue__label_terms", "own__body")
    item = items.get(round=round_, position=position)
    item.round = round_
    return item
