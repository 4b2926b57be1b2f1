"""Rounds: which there are, who labels in them, and what keeps one from being opened."""

from django.db.models import QuerySet

from labeling.models import Job, Member, Role, Round
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


def filling(*, round_: Round) -> Job | None:
    """The job that gives the round its issues, done or not, until all are there; None where they are, or none were."""
    return Job.objects.filter(project=round_.project_id, pk=round_.sample.get("filling")).first()


def is_being_filled(*, round_: Round) -> bool:
    """Does such a job wait or run?"""
    job = filling(round_=round_)
    return job is not None and job.state in (Job.State.WAITING, Job.State.RUNNING)


def obstacles(*, round_: Round) -> list[str]:
    """What keeps a prepared round from being opened, a sentence each; nothing when it can be."""
    found = [] if round_.items.exists() else ["This round has no issues yet: draw a sample first."]
    if "filling" in round_.sample:
        found = ["This round has not all its issues yet: wait for the job that gives them, or draw a sample anew."]
    found += gate_misses(round_=round_)
    people = annotators_of(round_=round_)
    if (number := people.count()) < round_.votes_wanted:
        found.append(f"Every issue needs {round_.votes_wanted} annotators; the round has {number}. Invite more.")
    elif (seniors := people.filter(is_senior=True).count()) < round_.seniors_wanted:
        found.append(f"Every issue needs {round_.seniors_wanted} seniors; the round has {seniors}.")
    return found
