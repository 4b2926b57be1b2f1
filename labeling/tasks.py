"""What runs in the background. The task calls the service that does a job's work and adds nothing."""

from celery import shared_task

from labeling.models import Job
from labeling.services import jobs, publishing

WORK = {
    Job.Kind.PUBLISH: publishing.publish,
    Job.Kind.WITHDRAW: publishing.withdraw,
}
HOUR = 3_600


@shared_task(name="labeling.tasks.run_job", time_limit=HOUR, soft_time_limit=HOUR - 60)
def run_job(job_id: int) -> None:
    """Do one job."""
    kind = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first()
    if kind is not None:
        jobs.run(job_id=job_id, work=WORK[Job.Kind(kind)])
