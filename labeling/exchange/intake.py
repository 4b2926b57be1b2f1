"""Imports the votes of a round that was held elsewhere: storing the file, its dry run, and the work of its job.

The file is stored as it came, and its plan is computed anew by each run. A batch of issues is one transaction with all
their votes, so that an issue is imported completely or not at all. A killed import resumes where it was, rows that were
written keep their ids, and the same file gives the same rows however often it is sent.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from labeling.ballots import Choice
from labeling.exchange.texts import earlier_snapshots
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
from labeling.samples import Sample
from labeling.selectors.subjects import Subject, about, subject_of
from labeling.services import jobs
from labeling.services.people import require
from labeling.services.snapshots import snapshots_of
from labeling.services.voting import answer_row

MOST_BYTES = 64_000_000
BATCH = 500
SHOWN = 500
RECEIPT_BYTES = 6


def keep_file(
    *, lead: Member, content: bytes, filename: str, format_: str, name: str, options: Options
) -> tuple[VoteImport, bool]:
    """Store a file with the report of its dry run; the same file is stored once. Returns it, and whether it is new.

    Raises RefusedError for a file that cannot be read at all, or is too long.
    """
    require(lead, Role.LEAD)
    if not 0 < len(content) <= MOST_BYTES:
        raise RefusedError(f"A file has between 1 byte and {MOST_BYTES // 1_000_000} MB.")
    stored_options = {"axis": options.axis, "leave_out": list(options.leave_out)}
    settings = json.dumps([format_, stored_options], sort_keys=True).encode()
    sha256 = hashlib.sha256(settings + b"\n" + content).hexdigest()
    stored = VoteImport.objects.filter(project=lead.project, sha256=sha256).defer("content").first()
    if stored is not None:
        return stored, False
    codebook = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if codebook is None:
        raise RefusedError("Choose the project's axes first: votes need a codebook.")
    try:
        plan = check(content=content, format_=format_, options=options, codebook=codebook)
    except UnreadableError as error:
        raise RefusedError(str(error)) from error
    # Of two who send the same file at once, the second gets the row of the first.
    return VoteImport.objects.defer("content").get_or_create(
        project=lead.project, sha256=sha256,
        defaults={
            "name": name.strip() or "Imported", "filename": filename[:200], "format": format_,
            "options": stored_options, "content": content, "codebook": codebook, "member": lead,
            "report": {
                "lines": plan.read, "issues": len(plan.votes), "votes": plan.number, "people": dict(plan.people),
                "rejected": len(plan.rejected), "reasons": [[row.line, row.reason] for row in plan.rejected[:SHOWN]],
            },
            "people": _guess_members(lead, plan),
        },
    )  # fmt: skip


def plan_of(found: VoteImport) -> Plan:
    """The plan of a stored file."""
    options = Options(found.options["axis"], tuple(found.options["leave_out"]))
    content = bytes(found.content)
    return check(content=content, format_=found.format, options=options, codebook=found.codebook)


@transaction.atomic
def ask(*, lead: Member, found: VoteImport, people: Mapping[str, int | None]) -> Job:
    """Queue the import of a stored file. `people`: annotator in the file -> member id, or None for a new placeholder.

    Raises RefusedError when it was imported, gives no vote, or two annotators would be one member.
    """
    require(lead, Role.LEAD)
    locked = VoteImport.objects.select_for_update(of=("self",)).defer("content").get(pk=found.pk, project=lead.project)
    if locked.finished_at:
        raise RefusedError("This file was imported already.")
    if not locked.report["votes"]:
        raise RefusedError("No row of this file holds a vote.")
    if locked.round_id is None:
        members = [pk for pk in people.values() if pk is not None]
        known = set(Member.objects.filter(project=lead.project, pk__in=members).values_list("pk", flat=True))
        if len(set(members)) < len(members) or set(members) - known:
            raise RefusedError("Each member can be one annotator of the file only.")
        locked.people = {name: people.get(name) for name in locked.report["people"]}
        locked.save(update_fields=["people"])
    return jobs.begin(lead=lead, kind=Job.Kind.IMPORT, arguments={"import": locked.pk})


def take_in(job: Job) -> Mapping[str, int]:
    """Write the file's round and votes; the work of a job."""
    vote_import = VoteImport.objects.select_related("codebook", "project").get(
        pk=job.arguments["import"], project=job.project
    )
    plan = plan_of(vote_import)
    round_, members = _ensure_round(vote_import.pk, plan)
    axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=job.project_id)}
    issues = list(plan.votes)
    for start in range(0, len(issues), BATCH):
        _write_batch(round_, issues[start : start + BATCH], start, plan, members, axes)
        jobs.report(job, done=min(start + BATCH, len(issues)), total=len(issues))
    with transaction.atomic():
        now = timezone.now()
        Item.objects.filter(round=round_, released_at=None).update(released_at=now)
        VoteImport.objects.filter(pk=vote_import.pk, finished_at=None).update(finished_at=now)
    return {"issues": len(issues), "votes": plan.number, "rejected_lines": len(plan.rejected), "round": round_.number}


@transaction.atomic
def _ensure_round(pk: int, plan: Plan) -> tuple[Round, dict[str, Member]]:
    """The import's round, closed from the start so that nobody is sent to it, and its members by annotator."""
    imports = VoteImport.objects.select_for_update(of=("self",)).select_related("codebook").defer("content")
    vote_import = imports.get(pk=pk)
    project = Project.objects.select_for_update().get(pk=vote_import.project_id)
    people = vote_import.people
    if vote_import.round_id is None:
        last = Round.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
        now = timezone.now()
        vote_import.round = Round.objects.create(
            project=project, number=last + 1, kind=Round.Kind.MAIN, name=vote_import.name, state=Round.State.CLOSED,
            codebook=vote_import.codebook, votes_wanted=plan.most, opened_at=now, closed_at=now,
            sample=Sample(
                kind="import", file=vote_import.filename, sha256=vote_import.sha256, drawn=len(plan.votes)
            ),
        )  # fmt: skip
        people = {name: people.get(name) or _create_placeholder(project, name).pk for name in plan.people}
        vote_import.people = people
        vote_import.save(update_fields=["round", "people"])
    members = Member.objects.in_bulk(people.values())
    return Round.objects.get(vote_import=vote_import), {name: members[member] for name, member in people.items()}


def _create_placeholder(project: Project, name: str) -> Member:
    """A member for somebody who voted elsewhere: the account allows no log-in, and has left from the start."""
    number = Member.objects.filter(project=project).count() + 1
    user = User(username=f"imported-{project.pk}-{secrets.token_hex(4)}", first_name=name[:150], is_active=False)
    user.set_unusable_password()
    user.save()
    return Member.objects.create(
        project=project, user=user, roles=[Role.ANNOTATOR], pseudonym=f"Coder {number}", left_at=timezone.now()
    )


@transaction.atomic
def _write_batch(
    round_: Round, issues: Sequence[Subject], start: int, plan: Plan, members: Mapping[str, Member],
    axes: Mapping[str, ProjectAxis],
) -> None:  # fmt: skip
    """Write the issues that are not there yet, as items with all their votes, in the positions after `start`."""
    with connection.cursor() as cursor:
        # Else every row's trigger looks through all the deferred checks of the transaction.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    written = {subject_of(item) for item in Item.objects.filter(about(issues), round=round_)}
    positions = {each: position for position, each in enumerate(issues, start=start + 1) if each not in written}
    snapshots = _snapshots(list(positions), plan)
    items = Item.objects.bulk_create(
        Item(round=round_, **{f"{kind}_id": pk}, snapshot=snapshots[kind, pk], position=position)
        for (kind, pk), position in positions.items()
    )
    slots, planned = [], []
    for item in items:
        for number, vote in enumerate(plan.votes[subject_of(item)], start=1):
            slots.append(Slot(item=item, number=number, member=members[vote.annotator]))
            planned.append(vote)
    slots = Slot.objects.bulk_create(slots)
    votes = Vote.objects.bulk_create(
        Vote(
            slot=slot, item=slot.item, member=slot.member, codebook_id=round_.codebook_id,
            confidence=vote.confidence or Confidence.FAIR, receipt=secrets.token_hex(RECEIPT_BYTES).upper(),
        )
        for slot, vote in zip(slots, planned, strict=True)
    )  # fmt: skip
    pairs = list(zip(votes, planned, strict=True))
    _write_answers(pairs, axes)
    _write_evidence(pairs, axes)


def _snapshots(issues: Sequence[Subject], plan: Plan) -> dict[Subject, Snapshot]:
    """Each of these as it is now, or as it was when the votes were cast, where the plan names another snapshot."""
    snapshots = snapshots_of(subjects=issues)
    earlier = {
        pk: plan.texts[pk] for pk in snapshots if plan.texts.get(pk, snapshots[pk].text_hash) != snapshots[pk].text_hash
    }
    snapshots |= earlier_snapshots(named=earlier)
    if changed := [pk for pk in earlier if snapshots[pk].text_hash != earlier[pk]]:
        raise RefusedError(f"The texts of {len(changed)} issues changed during the import. Try again.")
    return snapshots


def _write_answers(votes: Sequence[tuple[Vote, PlannedVote]], axes: Mapping[str, ProjectAxis]) -> None:
    answers, chosen = [], []
    for row, vote in votes:
        for code, planned in vote.answers.items():
            choice = Choice(is_undecidable=not (planned.versions or planned.text), text=planned.text)
            answers.append(answer_row(vote=row, axis=axes[code], choice=choice))
            chosen.append(planned.versions)
    nodes = []
    for answer, versions in zip(Answer.objects.bulk_create(answers), chosen, strict=True):
        for version in versions:
            nodes.append(AnswerNode(answer=answer, axis=answer.axis, several=answer.axis.several, version=version))
    AnswerNode.objects.bulk_create(nodes)


def _write_evidence(votes: Sequence[tuple[Vote, PlannedVote]], axes: Mapping[str, ProjectAxis]) -> None:
    evidence = []
    for row, vote in votes:
        for passage in vote.evidence:
            part, start, end = passage.part, passage.start, passage.end
            axis = axes[passage.axis] if passage.axis else None
            quote = row.item.snapshot.content[part][start:end]
            evidence.append(Evidence(vote=row, axis=axis, part=part, start=start, end=end, quote=quote))
    Evidence.objects.bulk_create(evidence)


def _guess_members(lead: Member, plan: Plan) -> dict[str, int | None]:
    """Annotator in the file -> the member with this pseudonym or user name, each at most once, or None."""
    members: dict[str, int] = {}
    for member in Member.objects.filter(project=lead.project).select_related("user"):
        members[member.user.get_username().casefold()] = members[member.pseudonym.casefold()] = member.pk
    guessed: dict[str, int | None] = {}
    for name in plan.people:
        pk = members.get(name.casefold())
        guessed[name] = None if pk in guessed.values() else pk
    return guessed
