"""A project's jobs, and the round that one is about."""

from labeling.models import Job, Member, Round


def job_of(*, member: Member, pk: int) -> Job:
    """A job of the member's project. Raises Job.DoesNotExist."""
    return Job.objects.select_related("project", "member__user").get(project=member.project_id, pk=pk)


def round_number(*, job: Job) -> int | None:
    """The number of the round that a filling job is about; None once the round was discarded."""
    rounds = Round.objects.filter(pk=job.arguments["round"], project=job.project_id)
    return rounds.values_list("number", flat=True).first()
