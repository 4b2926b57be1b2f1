"""What a change of roles would reveal: who has seen others' votes may not give a blind opinion on the same issues.

The rule, also for who left and comes back:

- Who sees blind votes does not become an annotator while any is there, nor an adjudicator while one is undecided.
- Who may read released votes becomes an adjudicator only once the issues they did not vote on are decided.
- Who labels in an open round does not change to roles that see its votes; leading and labeling stays blind.
"""

from collections.abc import Collection
from copy import copy

from django.db.models import Exists, OuterRef, Q, QuerySet

from labeling.models import Decision, Member, ProjectAxis, Role, Round, Vote
from labeling.selectors import visible


def why_not(*, member: Member, roles: Collection[str]) -> str:
    """Why the member may not have these roles now, with what to do instead; empty where they may."""
    before, after = copy(member), copy(member)
    # Who left saw what they saw until then.
    before.left_at = after.left_at = None
    after.roles = list(roles)
    gained = set(roles) - set(member.roles)
    seen = visible.votes(member=before).exclude(member=member)
    if member.left_at:
        seen = seen.filter(submitted_at__lte=member.left_at)
    if Role.ANNOTATOR in gained and seen.filter(item__released_at=None).exists():
        return (
            "Who could see votes that are still blind cannot vote beside them. "
            "Close the rounds that have votes first; from then on this person can be an annotator."
        )
    if Role.ADJUDICATOR in gained and _undecided(seen).exclude(item__votes__member=member).exists():
        return (
            "An adjudicator gives a first opinion without having seen the votes, and this person could see votes that "
            "are not decided yet. Have these decided first, or let somebody else adjudicate."
        )
    # Not whether they have voted: that is nothing for a lead who votes.
    if visible.is_blind(before) and not visible.is_blind(after) and _takes_part(before):
        return (
            "This person labels in an open round, and would see the others' votes before their own are in. "
            "Keep the role of annotator until the round is closed; nobody has to go on labeling for that."
        )
    return ""


def _takes_part(member: Member) -> bool:
    """May the member vote in an open round?"""
    if not member.has(Role.ANNOTATOR):
        return False
    rounds = Round.objects.filter(project=member.project_id, state=Round.State.OPEN)
    return rounds.filter(Q(annotators=None) | Q(annotators=member)).exists()


def _undecided(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    """Those on items with an axis that no decision is in force on."""
    decision = Decision.objects.filter(item=OuterRef(OuterRef("item")), axis=OuterRef("pk"), reopened_at=None)
    waiting = ProjectAxis.objects.filter(~Exists(decision), project=OuterRef("item__round__project"))
    return votes.filter(Exists(waiting))
