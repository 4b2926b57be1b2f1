"""Giving a round many issues in the background: freezing thousands of texts takes longer than anybody waits for a page.

Which issues is settled when the job is asked for. Each batch is one transaction with the count of what is done, so that
a job that was killed goes on where it was. What else may happen to the round meanwhile waits for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from labeling.models import Job, Member, Round
from labeling.refusals import RefusedError
from labeling.services import jobs
from labeling.services.rounds import add_items, fill_round, known_issues

# So many are frozen in half a second: then people see their sample at once.
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
def give(*, lead: Member, round_: Round, urls: Sequence[str], sample: dict[str, Any], population: int) -> Given:
    """Give a round that is being prepared these issues, many of them by a job. The round must be locked.

    Raises RefusedError as `fill_round` does, and while another round is being filled.
    """
    if len(urls) <= MOST_AT_ONCE:
        return Given(fill_round(lead=lead, round_=round_, urls=urls, sample=sample), population, None)
    known = known_issues(urls)
    arguments = {"round": round_.pk, "issues": known, "sample": sample}
    job = jobs.begin(lead=lead, kind=Job.Kind.FILL, arguments=arguments)
    Round.objects.filter(pk=round_.pk).update(sample={"filling": job.pk})
    return Given(len(known), population, job)


def fill(job: Job) -> Mapping[str, Any]:
    """Freeze the job's issues for its round; the work of a job."""
    issues = job.arguments["issues"]
    while (done := _next_batch(job)) < len(issues):
        pass
    return {"issues": done}


@transaction.atomic
def _next_batch(job: Job) -> int:
    """Add what comes next; returns how many of the issues are there then. Raises RefusedError where they may not be."""
    round_ = Round.objects.select_for_update(of=("self",)).filter(pk=job.arguments["round"]).first()
    if round_ is None or round_.state != Round.State.DRAFT or round_.sample.get("filling") != job.pk:
        raise RefusedError("The round has been given other issues meanwhile, or is not being prepared any more.")
    issues = job.arguments["issues"]
    start = Job.objects.values_list("done", flat=True).get(pk=job.pk)
    if start == 0:
        round_.items.all().delete()
    batch = issues[start : start + BATCH]
    add_items(round_, batch, start)
    if start + len(batch) == len(issues):
        Round.objects.filter(pk=round_.pk).update(sample=job.arguments["sample"])
    jobs.report(job, done=start + len(batch), total=len(issues))
    return start + len(batch)
