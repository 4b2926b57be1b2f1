"""A project's jobs, and the round or file that one is about."""

from labeling.models import Job, Member, OwnItemFile, Round


def job_of(*, member: Member, pk: int) -> Job:
    """A job of the member's project. Raises Job.DoesNotExist."""
    return Job.objects.select_related("project", "member__user").get(project=member.project_id, pk=pk)


def round_number(*, job: Job) -> int | None:
    """The number of the round that a filling job is about; None once the round was discarded."""
    rounds = Round.objects.filter(pk=job.arguments["round"], project=job.project_id)
    return rounds.values_list("number", flat=True).first()


def waiting_file(*, job: Job) -> int | None:
    """The file of own items that a job is about; None once it was taken in, or another took its place."""
    files = OwnItemFile.objects.filter(pk=job.arguments["file"], project=job.project_id)
    return files.values_list("pk", flat=True).first()
