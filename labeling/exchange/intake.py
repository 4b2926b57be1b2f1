"""Taking in the votes of a round that was held elsewhere: keeping the file, its dry run, and the work of its job.

The file is kept as it came, and what it gives is computed from it anew by whoever takes it in. Each batch of issues is
one transaction with all their votes; an issue that is there is whole. So a killed import goes on where it was, rows
that were written keep their ids, and the same file gives the same rows however often it comes.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from kb.models import Issue
from labeling.exchange.validation import Plan, PlannedVote, check
from labeling.exchange.values import Options, UnreadableError
from labeling.models import (
    Answer,
    AnswerNode,
    Codebook,
    Confidence,
    Evidence,
    Item,
    Job,
    Member,
    Project,
    ProjectAxis,
    Role,
    Round,
    Slot,
    Snapshot,
    Vote,
    VoteImport,
)  # fmt: skip
from labeling.refusals import RefusedError
from labeling.services import jobs
from labeling.services.people import require
from labeling.services.snapshots import take_snapshots

MOST_BYTES = 64_000_000
BATCH = 500
SHOWN = 500
RECEIPT_BYTES = 6


def keep_file(
    *, lead: Member, content: bytes, filename: str, format_: str, name: str, options: Options
) -> tuple[VoteImport, bool]:
    """Keep a file with what its dry run finds; the same file is kept once. Returns it, and whether it is new.

    Raises RefusedError for a file that cannot be read at all, or is too long.
    """
    require(lead, Role.LEAD)
    if not 0 < len(content) <= MOST_BYTES:
        raise RefusedError(f"A file has between 1 byte and {MOST_BYTES // 1_000_000} MB.")
    told = {"axis": options.axis, "leave_out": list(options.leave_out)}
    sha256 = hashlib.sha256(json.dumps([format_, told], sort_keys=True).encode() + b"\n" + content).hexdigest()
    known = VoteImport.objects.filter(project=lead.project, sha256=sha256).defer("content").first()
    if known is not None:
        return known, False
    codebook = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if codebook is None:
        raise RefusedError("Choose the project's axes first: votes need a codebook.")
    try:
        plan = check(content=content, format_=format_, options=options, codebook=codebook)
    except UnreadableError as error:
        raise RefusedError(str(error)) from error
    # Of two who bring the same file at once, the second gets what the first one kept.
    return VoteImport.objects.defer("content").get_or_create(
        project=lead.project, sha256=sha256,
        defaults={
            "name": name.strip() or "Imported", "filename": filename[:200], "format": format_, "options": told,
            "content": content, "codebook": codebook, "member": lead, "report": _report(plan),
            "people": _guess(lead, plan),
        },
    )  # fmt: skip


def plan_of(found: VoteImport) -> Plan:
    """What a kept file gives."""
    options = Options(found.options["axis"], tuple(found.options["leave_out"]))
    content = bytes(found.content)
    return check(content=content, format_=found.format, options=options, codebook=found.codebook)


@transaction.atomic
def ask(*, lead: Member, found: VoteImport, people: Mapping[str, int | None]) -> Job:
    """Ask for a kept file to be taken in. `people`: annotator in the file -> member, or nobody for a new placeholder.

    Raises RefusedError when it was taken in, gives no vote, or two names would be one member.
    """
    require(lead, Role.LEAD)
    locked = VoteImport.objects.select_for_update(of=("self",)).defer("content").get(pk=found.pk, project=lead.project)
    if locked.finished_at:
        raise RefusedError("This file was taken in already.")
    if not locked.report["votes"]:
        raise RefusedError("No line of this file gives a vote.")
    if locked.round_id is None:
        members = [pk for pk in people.values() if pk is not None]
        known = set(Member.objects.filter(project=lead.project, pk__in=members).values_list("pk", flat=True))
        if len(set(members)) < len(members) or set(members) - known:
            raise RefusedError("Each member can be one annotator of the file only.")
        locked.people = {name: people.get(name) for name in locked.report["people"]}
        locked.save(update_fields=["people"])
    return jobs.begin(lead=lead, kind=Job.Kind.IMPORT, arguments={"import": locked.pk})


def take_in(job: Job) -> Mapping[str, Any]:
    """Write the file's round and votes; the work of a job."""
    found = VoteImport.objects.select_related("codebook", "project").get(
        pk=job.arguments["import"], project=job.project
    )
    plan = plan_of(found)
    round_, members = _begin(found.pk, plan)
    axes = {one.code: one for one in ProjectAxis.objects.filter(project=job.project_id)}
    issues = list(plan.votes)
    for start in range(0, len(issues), BATCH):
        _write(round_, issues[start : start + BATCH], start, plan, members, axes)
        jobs.report(job, done=min(start + BATCH, len(issues)), total=len(issues))
    _end(found.pk, round_)
    return {"issues": len(issues), "votes": plan.number, "rejected_lines": len(plan.rejected), "round": round_.number}


@transaction.atomic
def _begin(pk: int, plan: Plan) -> tuple[Round, dict[str, Member]]:
    """The round, which is closed from the start, so that nobody is sent to it; and the file's people."""
    found = VoteImport.objects.select_for_update(of=("self",)).select_related("codebook").defer("content").get(pk=pk)
    project = Project.objects.select_for_update().get(pk=found.project_id)
    if found.round_id is None:
        last = Round.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
        now = timezone.now()
        found.round = Round.objects.create(
            project=project, number=last + 1, kind=Round.Kind.MAIN, name=found.name, state=Round.State.CLOSED,
            codebook=found.codebook, votes_wanted=plan.most, opened_at=now, closed_at=now,
            sample={"kind": "import", "file": found.filename, "sha256": found.sha256, "drawn": len(plan.votes)},
        )  # fmt: skip
        found.people = {name: found.people.get(name) or _placeholder(project, name).pk for name in plan.people}
        found.save(update_fields=["round", "people"])
    members = Member.objects.in_bulk(found.people.values())
    round_ = Round.objects.get(vote_import=found)
    return round_, {name: members[member] for name, member in found.people.items()}


def _placeholder(project: Project, name: str) -> Member:
    """Somebody who voted elsewhere: an account that nobody can log in to, and who has left from the start."""
    number = Member.objects.filter(project=project).count() + 1
    user = User(username=f"imported-{project.pk}-{secrets.token_hex(4)}", first_name=name[:150], is_active=False)
    user.set_unusable_password()
    user.save()
    return Member.objects.create(
        project=project, user=user, roles=[Role.ANNOTATOR], pseudonym=f"Coder {number}", left_at=timezone.now()
    )


@transaction.atomic
def _write(
    round_: Round, issue_ids: Sequence[int], start: int, plan: Plan, members: Mapping[str, Member],
    axes: Mapping[str, ProjectAxis],
) -> None:  # fmt: skip
    """Items with all their votes, but those that are there already."""
    with connection.cursor() as cursor:
        # Else every row's trigger looks through all the checks that wait for the end of the transaction.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    there = set(Item.objects.filter(round=round_, issue__in=issue_ids).values_list("issue", flat=True))
    places = {pk: place for place, pk in enumerate(issue_ids, start=start + 1) if pk not in there}
    rows = Issue.objects.filter(pk__in=places).select_related("repository").prefetch_related("fixes")
    snapshots = _snapshots(rows, plan)
    items = Item.objects.bulk_create(
        Item(round=round_, issue_id=pk, snapshot=snapshots[pk], position=place) for pk, place in places.items()
    )
    planned = [(item, number, vote) for item in items for number, vote in enumerate(plan.votes[item.issue_id], start=1)]
    slots = Slot.objects.bulk_create(
        Slot(item=item, number=number, member=members[vote.annotator]) for item, number, vote in planned
    )
    votes = Vote.objects.bulk_create(
        Vote(
            slot=slot, item=item, member=members[vote.annotator], codebook_id=round_.codebook_id,
            confidence=vote.confidence or Confidence.FAIR, receipt=secrets.token_hex(RECEIPT_BYTES).upper(),
        )
        for slot, (item, _, vote) in zip(slots, planned, strict=True)
    )  # fmt: skip
    written = [(row, vote) for row, (_, _, vote) in zip(votes, planned, strict=True)]
    _write_answers(written, axes)
    Evidence.objects.bulk_create(
        Evidence(
            vote=row, axis=axes[one.axis] if one.axis else None, part=one.part, start=one.start, end=one.end,
            quote=snapshots[row.item.issue_id].content[one.part][one.start : one.end],
        )
        for row, vote in written
        for one in vote.evidence
    )  # fmt: skip


def _snapshots(issues: QuerySet[Issue], plan: Plan) -> dict[int, Snapshot]:
    """Each issue as it is now, or as it was when the votes were cast, where the file tells and it is kept."""
    found = take_snapshots(issues=issues)
    told = {pk: plan.texts[pk] for pk in found if plan.texts.get(pk, found[pk].text_hash) != found[pk].text_hash}
    kept = Snapshot.objects.filter(issue__in=told, text_hash__in=told.values())
    found |= {one.issue_id: one for one in kept if told[one.issue_id] == one.text_hash}
    if changed := [pk for pk in told if found[pk].text_hash != told[pk]]:
        raise RefusedError(f"The texts of {len(changed)} issues changed while they were taken in. Try again.")
    return found


def _write_answers(votes: Sequence[tuple[Vote, PlannedVote]], axes: Mapping[str, ProjectAxis]) -> None:
    said = [(row, axes[code], versions) for row, vote in votes for code, versions in vote.answers.items()]
    answers = Answer.objects.bulk_create(
        Answer(vote=row, axis=axis, is_undecidable=not versions) for row, axis, versions in said
    )
    AnswerNode.objects.bulk_create(
        AnswerNode(answer=answer, axis=axis, several=axis.several, version=version)
        for answer, (_, axis, versions) in zip(answers, said, strict=True)
        for version in versions
    )


@transaction.atomic
def _end(pk: int, round_: Round) -> None:
    """The round was held: its votes are no secret."""
    now = timezone.now()
    Item.objects.filter(round=round_, released_at=None).update(released_at=now)
    VoteImport.objects.filter(pk=pk, finished_at=None).update(finished_at=now)


def _report(plan: Plan) -> dict[str, Any]:
    return {
        "lines": plan.read,
        "issues": len(plan.votes),
        "votes": plan.number,
        "people": dict(plan.people),
        "rejected": len(plan.rejected),
        "reasons": [[one.line, one.reason] for one in plan.rejected[:SHOWN]],
    }


def _guess(lead: Member, plan: Plan) -> dict[str, int | None]:
    """Members whose pseudonym or user name stands in the file."""
    known: dict[str, int] = {}
    for member in Member.objects.filter(project=lead.project).select_related("user"):
        known[member.user.get_username().casefold()] = known[member.pseudonym.casefold()] = member.pk
    guessed: dict[str, int | None] = {}
    for name in plan.people:
        pk = known.get(name.casefold())
        guessed[name] = None if pk in guessed.values() else pk
    return guessed
