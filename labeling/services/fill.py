"""Gives a round many issues in the background: freezing thousands of texts takes longer than a page may.

The issues are fixed when the job is queued. Each batch is one transaction with the count of what is done, so that a job
that was killed resumes where it was. Other changes to the round wait for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from labeling.models import Job, Member, Round
from labeling.refusals import RefusedError
from labeling.samples import Sample
from labeling.selectors.subjects import Subject
from labeling.services import jobs
from labeling.services.rounds import add_items, fill_round, known_subjects

# So many are frozen in half a second, within the request.
MOST_AT_ONCE = 500
BATCH = 500


@dataclass(frozen=True)
class Given:
    """How many issues a round gets, and the job that gives them, where they are too many to be there at once.

    `population`: how many there were to draw from.
    """

    issues: int
    population: int
    job: Job | None


@transaction.atomic
def give(*, lead: Member, round_: Round, urls: Sequence[str], sample: Sample, population: int) -> Given:
    """Give a draft round these issues, more than `MOST_AT_ONCE` by a job. The round must be locked.

    Raises RefusedError as `fill_round` does, and while another round is being filled.
    """
    if len(urls) <= MOST_AT_ONCE:
        return Given(fill_round(lead=lead, round_=round_, urls=urls, sample=sample), population, None)
    known = known_subjects(urls, project=round_.project)
    arguments = {"round": round_.pk, "issues": known, "sample": sample}
    job = jobs.begin(lead=lead, kind=Job.Kind.FILL, arguments=arguments)
    Round.objects.filter(pk=round_.pk).update(sample={"filling": job.pk})
    return Given(len(known), population, job)


def fill(job: Job) -> Mapping[str, int]:
    """Freeze the job's issues for its round; the work of a job."""
    total, done = len(job.arguments["issues"]), 0
    while done < total:
        done = _add_next_batch(job)
    return {"issues": done}


@transaction.atomic
def _add_next_batch(job: Job) -> int:
    """Returns how many issues the round has then. Raises RefusedError where the round is not this job's to fill."""
    round_ = Round.objects.select_for_update(of=("self",)).filter(pk=job.arguments["round"]).first()
    if round_ is None or round_.state != Round.State.DRAFT or round_.sample.get("filling") != job.pk:
        raise RefusedError("The round was given other issues in the meantime, or is no longer being prepared.")
    # A job that is older than own items has the ids of issues alone.
    issues: list[Subject] = [
        ("issue", each) if isinstance(each, int) else tuple(each) for each in job.arguments["issues"]
    ]
    start = Job.objects.values_list("done", flat=True).get(pk=job.pk)
    if start == 0:
        round_.items.all().delete()
    batch = issues[start : start + BATCH]
    add_items(round_, batch, start)
    if start + len(batch) == len(issues):
        Round.objects.filter(pk=round_.pk).update(sample=job.arguments["sample"])
    jobs.report(job, done=start + len(batch), total=len(issues))
    return start + len(batch)
