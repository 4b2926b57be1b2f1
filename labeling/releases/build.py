"""Making a release: the work of a job. What was made is never made again, and never changed."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from labeling.models import Decision, Job, Member, Project, Release, Role
from labeling.refusals import RefusedError
from labeling.releases import archive, codebook, dictionary, method, report, state, tables
from labeling.releases.archive import Title
from labeling.releases.state import State
from labeling.selectors import findings
from labeling.services import jobs
from labeling.services.people import require

LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "ODbL-1.0")
STEPS = (tables.files, dictionary.files, codebook.files, method.files, report.files)


def ask(*, lead: Member, title: str, authors: Sequence[str], licence: str, note: str) -> Job:
    """Ask for a release. Raises RefusedError where it could not be cited."""
    require(lead, Role.LEAD)
    named = [name.strip() for name in authors if name.strip()]
    if not title.strip() or not named:
        raise RefusedError("A release needs a title and at least one author, so that it can be cited.")
    if licence not in LICENCES:
        raise RefusedError("Choose a licence, so that others know what they may do with it.")
    arguments = {"title": title.strip(), "authors": named, "licence": licence, "note": note.strip()}
    return jobs.begin(lead=lead, kind=Job.Kind.RELEASE, arguments=arguments)


def make(job: Job) -> Mapping[str, Any]:
    """Freeze the project's results. Raises RefusedError when nothing changed since the last release."""
    steps = len(STEPS) + 2
    found = state.read(project=job.project)
    jobs.report(job, done=1, total=steps)
    files: dict[str, bytes] = {}
    for number, step in enumerate(STEPS, start=2):
        files |= step(found)
        jobs.report(job, done=number, total=steps)
    made = _store(job, found, files)
    return {"release": made.number, "issues": made.issues, "votes": made.votes, "bytes": made.size}


@transaction.atomic
def _store(job: Job, found: State, files: Mapping[str, bytes]) -> Release:
    Project.objects.select_for_update().get(pk=job.project_id)
    state_hash = archive.state_hash(files)
    earlier = Release.objects.filter(project=job.project).defer("archive")
    same = earlier.filter(state_hash=state_hash).first()
    if same is not None:
        raise RefusedError(f"Nothing has changed since release {same.number}: cite that one.")
    number = (earlier.aggregate(last=Max("number"))["last"] or 0) + 1
    packed = archive.pack(files, _title(job.arguments, found, number))
    return Release.objects.create(
        project=job.project, number=number, title=job.arguments["title"], authors="\n".join(job.arguments["authors"]),
        licence=job.arguments["licence"], note=job.arguments["note"], codebook=found.codebook, issues=len(found.held),
        votes=found.votes, state_hash=state_hash, sha256=hashlib.sha256(packed).hexdigest(), size=len(packed),
        archive=packed, created_by=jobs.asker(job),
    )  # fmt: skip


def _title(arguments: Mapping[str, Any], found: State, number: int) -> Title:
    answers = sum(len(some) for some in found.held.values())
    return Title(
        title=arguments["title"],
        number=number,
        authors=tuple(arguments["authors"]),
        licence=arguments["licence"],
        note=arguments["note"],
        dated=_dated(found.project.pk),
        question=found.project.question,
        counts=f"{answers:,} decided answers on {len(found.held):,} issues, from {found.votes_in_words}.",
    )


def _dated(project_id: int) -> str:
    """The day of the newest change, so that the same results have the same date; a round's closing at the least."""
    decided = findings.decisions_in_force(project_id=project_id).aggregate(last=Max("created_at"))["last"]
    reopened = Decision.objects.filter(item__round__project=project_id).aggregate(last=Max("reopened_at"))["last"]
    closed = Project.objects.filter(pk=project_id).aggregate(last=Max("rounds__closed_at"))["last"]
    moments = [moment for moment in (decided, reopened, closed) if moment is not None]
    newest: dt.datetime = max(moments)
    return newest.date().isoformat()
