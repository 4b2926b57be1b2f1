"""A project's rounds, their annotators, and the obstacles to opening one."""

from django.db.models import QuerySet

from labeling.models import Job, Member, Role, Round
from labeling.selectors.agreement import gate_misses
from labeling.selectors.readers import assisting


def rounds_of(*, member: Member) -> QuerySet[Round]:
    """The project's rounds that the member may know of, the newest first."""
    rounds = Round.objects.filter(project=member.project_id)
    if not member.has(Role.LEAD):
        rounds = rounds.exclude(state=Round.State.DRAFT)
    return rounds.order_by("-number")


def annotators_of(*, round_: Round) -> QuerySet[Member]:
    """The members who may vote in the round: those who were chosen for it, else all annotators of the project."""
    people = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    if round_.annotators.exists():
        people = people.filter(rounds=round_)
    return people.select_related("user").order_by("pk")


def filling(*, round_: Round) -> Job | None:
    """The job that gives the round its issues, in any state; None where it has none, or all issues are there."""
    return Job.objects.filter(project=round_.project_id, pk=round_.sample.get("filling")).first()


def is_being_filled(*, round_: Round) -> bool:
    """Whether such a job waits or runs."""
    job = filling(round_=round_)
    return job is not None and job.state in (Job.State.WAITING, Job.State.RUNNING)


def obstacles(*, round_: Round) -> list[str]:
    """What keeps a draft round from being opened, a sentence each; empty when it can be."""
    reasons = []
    if "filling" in round_.sample:
        reasons.append("This round has not all its issues yet: wait for the job that gives them, or draw a new sample.")
    elif not round_.items.exists():
        reasons.append("This round has no issues yet: draw a sample first.")
    reasons += gate_misses(round_=round_)
    reader = assisting(round_=round_)
    if reader and not reader.answers.exists():
        reasons.append(
            f"The issues have changed, and with them went what {reader.called} answers. Turn suggestions off, or "
            "remove the reader and upload its answers again."
        )
    annotators = annotators_of(round_=round_)
    if (number := annotators.count()) < round_.votes_wanted:
        reasons.append(f"Every issue needs {round_.votes_wanted} annotators; the round has {number}. Invite more.")
    elif (number := annotators.filter(is_senior=True).count()) < round_.seniors_wanted:
        reasons.append(f"Every issue needs {round_.seniors_wanted} seniors; the round has {number}.")
    return reasons
