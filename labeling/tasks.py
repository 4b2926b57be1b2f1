"""Celery tasks of labeling. A task calls the function that does the work, and has no logic of its own."""

from celery import shared_task

from labeling.exchange import intake as importing
from labeling.exchange import item_intake
from labeling.models import Job, Member, Round
from labeling.releases import build as making
from labeling.selectors import effects, results
from labeling.services import fill as filling
from labeling.services import jobs, notices, people, publishing
from labeling.web import notice_mail

WORK = {
    Job.Kind.PUBLISH: publishing.publish,
    Job.Kind.WITHDRAW: publishing.withdraw,
    Job.Kind.RELEASE: making.make,
    Job.Kind.IMPORT: importing.take_in,
    Job.Kind.FILL: filling.fill,
    Job.Kind.ITEMS: item_intake.take_in,
}
HOUR = 3_600


@shared_task(name="labeling.tasks.run_job", time_limit=HOUR, soft_time_limit=HOUR - 60)
def run_job(job_id: int) -> None:
    """Run a job."""
    kind = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first()
    if kind is not None:
        jobs.run(job_id=job_id, work=WORK[Job.Kind(kind)])


@shared_task(name="labeling.tasks.measure_round")
def measure_round(member_id: int, round_id: int) -> None:
    """Measure a round's agreement with its intervals, as this member sees it, and keep it for the page."""
    member = Member.objects.select_related("project").get(pk=member_id)
    round_ = Round.objects.select_related("codebook").get(pk=round_id)
    names = results.names_of(codebook=round_.codebook)
    votes = results.seen_votes(member=member, round_=round_)
    results.measured(votes, names, samples=0)
    results.by_round(member=member)
    results.by_codebook(member=member)
    results.measured(votes, names)


@shared_task(name="labeling.tasks.measure_project")
def measure_project(member_id: int) -> None:
    """Measure the agreement in each round, as this member sees it, and keep it for the pages."""
    results.by_round(member=Member.objects.select_related("project").get(pk=member_id))


@shared_task(name="labeling.tasks.compare_round")
def compare_round(member_id: int, round_id: int) -> None:
    """Compare a round's agreement before and after the discussion, as this member sees it, and keep it for the page."""
    member = Member.objects.select_related("project").get(pk=member_id)
    effects.discussion_effects(member=member, round_=Round.objects.get(pk=round_id))


@shared_task(name="labeling.tasks.tell_what_is_due")
def tell_what_is_due() -> None:
    """Tell members of deadlines that are near and of discussions that wait for them."""
    notices.tell_what_is_due()


@shared_task(name="labeling.tasks.mail_notices")
def mail_notices() -> None:
    """Mail everybody the notices that came since the last digest."""
    notice_mail.send_digests()


@shared_task(name="labeling.tasks.mail_invitations")
def mail_invitations() -> None:
    """Mail invitations to whom they are addressed, and forget those of the ones that are over."""
    notice_mail.send_invitations()
    people.forget_addressees()
