"""A database worth keeping: some of the records, the demo project with its votes, and a release of them.

Everything goes by commands and services that every version since 0.2.0 has.
"""

import shutil
import tempfile
from pathlib import Path

from tests.drills.served import Served

# Of the records so many are taken, spread evenly: all of them take half a minute.
RECORDS = 80
RELEASE = """
from labeling.models import Job, Member, Round
from labeling.services import jobs
from labeling.services.rounds import close_round
from labeling.tasks import WORK

lead = Member.objects.get(project__slug="demo", roles__contains=["lead"])
close_round(lead=lead, round_=Round.objects.get(project=lead.project, kind="pilot"))
cited = {"title": "Faults", "authors": ["Doe, Jo"], "licence": "CC-BY-4.0", "note": ""}
job = jobs.begin(lead=lead, kind=Job.Kind.RELEASE, arguments=cited)
jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
"""


def fill(site: Served) -> None:
    """Fill the database of a site whose codebook is loaded."""
    records = site.code / "kb" / "starter" / "records"
    with tempfile.TemporaryDirectory() as some:
        all_of_them = sorted(records.rglob("*.yaml"))
        for record in all_of_them[:: len(all_of_them) // RECORDS]:
            target = Path(some) / record.relative_to(records)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(record, target)
        site.manage("load_starter", "--root", some)
    site.manage("demo_project", "--password", "only-for-drills")
    site.manage("shell", "-c", RELEASE)
