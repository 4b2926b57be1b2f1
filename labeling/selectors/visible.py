"""Who may see whose work: the one place that keeps votes blind.

Until an item is released, a vote is seen by its author, and by leads and observers who neither vote nor adjudicate.
Everything that shows or counts votes, notes, evidence, passes or drafts starts from a query of this module.
"""

from django.db.models import Q, QuerySet

from labeling.models import Draft, Evidence, Item, Member, Pass, Role, Vote


def is_blind(member: Member) -> bool:
    """May the member's own opinion be swayed by what others said? Then others' votes are kept from them."""
    return not member.has(Role.LEAD, Role.OBSERVER) or member.has(Role.ANNOTATOR, Role.ADJUDICATOR)


def votes(*, member: Member) -> QuerySet[Vote]:
    """The votes of the member's project that they may see now."""
    return Vote.objects.filter(_seen_by(member, ""), item__round__project=member.project_id)


def evidence(*, member: Member) -> QuerySet[Evidence]:
    """The passages of those votes."""
    return Evidence.objects.filter(_seen_by(member, "vote__"), vote__item__round__project=member.project_id)


def passes(*, member: Member) -> QuerySet[Pass]:
    """What was skipped or flagged, with the reasons: one's own, and a lead who is not blind sees everybody's."""
    return Pass.objects.filter(_seen_by(member, ""), item__round__project=member.project_id)


def drafts(*, member: Member) -> QuerySet[Draft]:
    """Nobody sees another person's draft, ever."""
    return Draft.objects.filter(member=member)


def released_items(*, member: Member) -> QuerySet[Item]:
    """The items of the project whose votes are no secret any more for this member."""
    items = Item.objects.filter(round__project=member.project_id)
    if not member.is_active:
        return items.none()
    return items if not is_blind(member) else items.filter(_open_to(member, ""))


def _seen_by(member: Member, path: str) -> Q:
    """`path` leads from the model to the vote or pass."""
    own = Q(**{f"{path}member": member})
    if not member.is_active:
        return own
    if not is_blind(member):
        return Q()
    return own | _open_to(member, f"{path}item__")


def _open_to(member: Member, path: str) -> Q:
    # An adjudicator gives a first opinion before seeing anything; opinions come with adjudication.
    if member.has(Role.ADJUDICATOR):
        return Q(pk__in=())
    return Q(**{f"{path}released_at__isnull": False})
