"""Rounds: which there are, who labels in them, and what keeps one from being opened."""

from django.db.models import QuerySet

from labeling.models import Member, Role, Round
from labeling.selectors.agreement import gate_misses


def rounds_of(*, member: Member) -> QuerySet[Round]:
    """The project's rounds that the member may know of, the newest first."""
    rounds = Round.objects.filter(project=member.project_id)
    if not member.has(Role.LEAD):
        rounds = rounds.exclude(state=Round.State.DRAFT)
    return rounds.order_by("-number")


def annotators_of(*, round_: Round) -> QuerySet[Member]:
    """Who may vote in the round: those who were chosen, else all annotators of the project."""
    people = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    if round_.annotators.exists():
        people = people.filter(rounds=round_)
    return people.select_related("user").order_by("pk")


def obstacles(*, round_: Round) -> list[str]:
    """What keeps a prepared round from being opened, a sentence each; nothing when it can be."""
    found = [] if round_.items.exists() else ["This round has no issues yet: draw a sample first."]
    found += gate_misses(round_=round_)
    people = annotators_of(round_=round_)
    if (number := people.count()) < round_.votes_wanted:
        found.append(f"Every issue needs {round_.votes_wanted} annotators; the round has {number}. Invite more.")
    elif (seniors := people.filter(is_senior=True).count()) < round_.seniors_wanted:
        found.append(f"Every issue needs {round_.seniors_wanted} seniors; the round has {seniors}.")
    return found
