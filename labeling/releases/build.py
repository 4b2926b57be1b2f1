"""Makes a release, as the work of a job. A release is never made twice, and never changed."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max

from labeling.models import AuditEntry, Decision, Job, Member, Notice, Project, Release, Role
from labeling.refusals import RefusedError
from labeling.releases import archive, codebook, coding, dictionary, method, quality, readers, report, state, tables
from labeling.releases.metadata import Title
from labeling.releases.state import State
from labeling.selectors import findings
from labeling.services import audit, jobs
from labeling.services.notices import tell
from labeling.services.people import require

LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "ODbL-1.0")
STEPS = (
    tables.files,
    readers.files,
    quality.files,
    coding.files,
    dictionary.files,
    codebook.files,
    method.files,
    report.files,
)


def ask(*, lead: Member, title: str, authors: Sequence[str], licence: str, note: str) -> Job:
    """Queue the job that makes a release. Raises RefusedError where it could not be cited."""
    require(lead, Role.LEAD)
    names = [name.strip() for name in authors if name.strip()]
    if not title.strip() or not names:
        raise RefusedError("A release needs a title and at least one author, so that it can be cited.")
    if licence not in LICENCES:
        raise RefusedError("Choose a licence, so that others know how they may use it.")
    arguments = {"title": title.strip(), "authors": names, "licence": licence, "note": note.strip()}
    return jobs.begin(lead=lead, kind=Job.Kind.RELEASE, arguments=arguments)


def make(job: Job) -> Mapping[str, int]:
    """Freeze the project's results; the work of a job. Raises RefusedError where nothing has changed."""
    steps = len(STEPS) + 2
    current = state.read(project=job.project)
    jobs.report(job, done=1, total=steps)
    files: dict[str, bytes] = {}
    for number, step in enumerate(STEPS, start=2):
        files |= step(current)
        jobs.report(job, done=number, total=steps)
    release = _store(job, current, files)
    return {"release": release.number, "issues": release.issues, "votes": release.votes, "bytes": release.size}


@transaction.atomic
def _store(job: Job, current: State, files: Mapping[str, bytes]) -> Release:
    Project.objects.select_for_update().get(pk=job.project_id)
    state_hash = archive.state_hash(files)
    earlier = Release.objects.filter(project=job.project).defer("archive")
    same = earlier.filter(state_hash=state_hash).first()
    if same is not None:
        raise RefusedError(f"Nothing has changed since release {same.number}: cite that one.")
    number = (earlier.aggregate(last=Max("number"))["last"] or 0) + 1
    title, authors = job.arguments["title"], job.arguments["authors"]
    licence, note = job.arguments["licence"], job.arguments["note"]
    answers = sum(map(len, current.held.values()))
    counts = f"{answers:,} decided answers on {len(current.held):,} issues, from {current.votes_in_words}."
    packed = archive.pack(
        files,
        Title(
            title=title, number=number, authors=tuple(authors), licence=licence, note=note,
            dated=_last_change(current.project.pk), question=current.project.question, counts=counts,
        ),
    )  # fmt: skip
    release = Release.objects.create(
        project=job.project, number=number, title=title, authors="\n".join(authors), licence=licence, note=note,
        codebook=current.codebook, issues=len(current.held), votes=current.votes, state_hash=state_hash,
        sha256=hashlib.sha256(packed).hexdigest(), size=len(packed), archive=packed, created_by=jobs.asker(job),
    )  # fmt: skip
    others = Member.objects.filter(project=job.project, left_at=None).exclude(pk=release.created_by_id)
    tell(members=others, kind=Notice.Kind.RELEASE, event=str(number), number=number)
    audit.record(by=release.created_by, kind=AuditEntry.Kind.RELEASED, detail=f"release {number}")
    return release


def _last_change(project_id: int) -> str:
    """The day of the newest decision, reopening or closing of a round, so that the same results have the same date."""
    decided = findings.decisions_in_force(project_id=project_id).aggregate(last=Max("created_at"))["last"]
    reopened = Decision.objects.filter(item__round__project=project_id).aggregate(last=Max("reopened_at"))["last"]
    closed = Project.objects.filter(pk=project_id).aggregate(last=Max("rounds__closed_at"))["last"]
    newest: dt.datetime = max(moment for moment in (decided, reopened, closed) if moment is not None)
    return newest.date().isoformat()
