"""Takes a project's own items in, from a file, and deletes those that no round has.

Nothing but the file is stored before the lead confirms; a large one gets its dry run by a job. It is read anew when it
is taken in, batch by batch, each in a transaction: items that are there already are passed over, so that a killed job
continues where it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from kb.core.secrets import mask_in_place
from labeling.exchange.items import ItemRow, read
from labeling.exchange.rows import Rejected
from labeling.exchange.values import UnreadableError
from labeling.models import AuditEntry, Job, Member, OwnItem, OwnItemFile, Project, Role, Snapshot
from labeling.refusals import RefusedError
from labeling.selectors.own_items import unused_items
from labeling.services import audit, jobs
from labeling.services.people import require, require_at_work

MOST_ITEMS = 100_000
MOST_BYTES = 64_000_000
# More of either takes longer than a page may.
MOST_AT_ONCE, MOST_BYTES_AT_ONCE = 500, 2_000_000
BATCH = 500
SHOWN = 200


@dataclass(frozen=True)
class Batch:
    """Some rows of a file: those that are new, how many are here already, and those that cannot be taken."""

    new: Sequence[ItemRow]
    known: int
    rejected: Sequence[Rejected]


@transaction.atomic
def keep_file(*, lead: Member, content: bytes, filename: str) -> tuple[OwnItemFile, Job | None]:
    """Store a file with the report of its dry run, in place of one that waits; a large one's is the returned job's.

    Raises RefusedError for what is no such file.
    """
    project = _locked(lead)
    if not 0 < len(content) <= MOST_BYTES:
        raise RefusedError(f"A file has between 1 byte and {MOST_BYTES // 1_000_000} MB. Upload more in parts.")
    is_large = len(content) > MOST_BYTES_AT_ONCE
    report = {} if is_large else _report(project.pk, content)
    OwnItemFile.objects.filter(project=project).delete()
    file = OwnItemFile.objects.create(
        project=project, filename=filename[:200], content=content, report=report, member=lead
    )
    return file, jobs.begin(lead=lead, kind=Job.Kind.ITEMS, arguments={"file": file.pk}) if is_large else None


@transaction.atomic
def take_file_in(*, lead: Member, file: OwnItemFile, leave_out: bool = False) -> Job | None:
    """Take the new items of a file in: few at once, many by the job that is returned.

    Raises RefusedError where rows were rejected, unless they are to be left out, and where nothing is new.
    """
    _locked(lead)
    report = file.report
    if not report:
        raise RefusedError("This file could not be read. Correct it, and upload it again.")
    if report["rejected"] and not leave_out:
        raise RefusedError("Some rows cannot be taken: leave them out, or correct the file and upload it again.")
    if not report["new"]:
        raise RefusedError("Every item that can be taken from this file is here already.")
    if report["new"] > MOST_AT_ONCE:
        return jobs.begin(lead=lead, kind=Job.Kind.ITEMS, arguments={"file": file.pk})
    for batch in check(project_id=lead.project_id, content=bytes(file.content)):
        _write(lead.project_id, batch.new)
    _finish(lead, file)
    return None


def take_in(job: Job) -> Mapping[str, int]:
    """Write the items of a file, or report what it would give, where that is not known yet; the work of a job."""
    file = OwnItemFile.objects.filter(pk=job.arguments["file"]).first()
    if file is None:
        raise RefusedError("This file is no longer here. Look at the list of items, and upload it again.")
    if not file.report:
        file.report = _report(job.project_id, bytes(file.content))
        file.save(update_fields=["report"])
        return {name: file.report[name] for name in ("new", "known", "rejected")}
    report = file.report
    done, total = 0, report["new"] + report["known"] + report["rejected"]
    for batch in check(project_id=job.project_id, content=bytes(file.content)):
        done += len(batch.new) + batch.known + len(batch.rejected)
        with transaction.atomic():
            _write(job.project_id, batch.new)
            jobs.report(job, done=done, total=max(done, total))
    with transaction.atomic():
        _finish(jobs.asker(job), file)
    return {"new": report["new"], "here_already": report["known"], "left_out": report["rejected"]}


def _report(project_id: int, content: bytes) -> dict[str, Any]:
    """What a file would give, and the first rejected rows. Raises RefusedError for what is no such file."""
    new = known = 0
    rejected: list[Rejected] = []
    try:
        for batch in check(project_id=project_id, content=content):
            new, known = new + len(batch.new), known + batch.known
            rejected += batch.rejected
    except UnreadableError as error:
        raise RefusedError(str(error)) from error
    return {
        "new": new, "known": known, "rejected": len(rejected),
        "reasons": [[row.line, row.reason] for row in rejected[:SHOWN]],
    }  # fmt: skip


def check(*, project_id: int, content: bytes) -> Iterator[Batch]:
    """The rows of a file, batch by batch, beside what the project has. Raises UnreadableError as `read` does."""
    room = MOST_ITEMS - OwnItem.objects.filter(project=project_id).count()
    rows: list[ItemRow | Rejected] = []
    for row in read(content):
        rows.append(row)
        if len(rows) == BATCH:
            yield (batch := _compare(project_id, rows, room))
            room -= len(batch.new)
            rows = []
    yield _compare(project_id, rows, room)


@transaction.atomic
def delete_unused(*, lead: Member, pk: int | None = None) -> int:
    """Delete one item, or all, that no round has. Returns how many. Raises RefusedError where there is none."""
    _locked(lead)
    if jobs.unfinished(project_id=lead.project_id, kind=Job.Kind.FILL):
        raise RefusedError("A round is being given its issues. Wait until that is done.")
    items = unused_items(project_id=lead.project_id)
    ids = list(items.filter(pk=pk).values_list("pk", flat=True) if pk else items.values_list("pk", flat=True))
    if not ids:
        raise RefusedError("No such item: those that a round has stay.")
    # What a round had for a while leaves its frozen text behind.
    Snapshot.objects.filter(own__in=ids).delete()
    OwnItem.objects.filter(pk__in=ids).delete()
    audit.record(by=lead, kind=AuditEntry.Kind.ITEMS_GONE, detail=f"{len(ids):,}")
    return len(ids)


def _locked(lead: Member) -> Project:
    """The lead's project, locked. Raises RefusedError while a file is being taken in."""
    require(lead, Role.LEAD)
    require_at_work(lead)
    project = Project.objects.select_for_update().get(pk=lead.project_id)
    if jobs.unfinished(project_id=project.pk, kind=Job.Kind.ITEMS):
        raise RefusedError("A file is being taken in. Wait for it, or retry it from its page.")
    return project


def _compare(project_id: int, rows: Sequence[ItemRow | Rejected], room: int) -> Batch:
    items = [row for row in rows if isinstance(row, ItemRow)]
    keys, urls = [row.key for row in items], [row.url for row in items]
    there = OwnItem.objects.filter(Q(key__in=keys) | Q(url__in=urls), project=project_id)
    by_key = {item.key: item for item in there}
    key_of = {item.url: item.key for item in by_key.values()}
    new: list[ItemRow] = []
    known, rejected = 0, [row for row in rows if isinstance(row, Rejected)]
    for row in items:
        item = by_key.get(row.key)
        if item is not None and _is_same(item, row):
            known += 1
        elif item is not None:
            reason = "An item with this id is here and says something else: use another id, or delete that one first."
            rejected.append(Rejected(row.line, reason))
        elif row.url in key_of:
            rejected.append(Rejected(row.line, f"The item “{key_of[row.url]}” has this address already."))
        elif len(new) >= room:
            rejected.append(Rejected(row.line, f"A project has at most {MOST_ITEMS:,} items of its own."))
        else:
            new.append(row)
    return Batch(new, known, sorted(rejected, key=lambda row: row.line))


def _is_same(item: OwnItem, row: ItemRow) -> bool:
    """Whether the item is what the row says, secrets apart, which are masked in the item."""
    pairs = ((item.title, row.title), (item.body, row.body))
    return item.url == row.url and all(here in (given, mask_in_place(given).text) for here, given in pairs)


def _write(project_id: int, rows: Sequence[ItemRow]) -> None:
    OwnItem.objects.bulk_create(
        OwnItem(
            project_id=project_id, key=row.key, url=row.url,
            title=mask_in_place(row.title).text, body=mask_in_place(row.body).text,
        )
        for row in rows
    )  # fmt: skip


def _finish(lead: Member, file: OwnItemFile) -> None:
    """Record what was taken in, and let the file go."""
    new, left_out = file.report["new"], file.report["rejected"]
    audit.record(by=lead, kind=AuditEntry.Kind.ITEMS, detail=f"{new:,} new, {left_out:,} left out")
    file.delete()
