"""Readers of a round: storing a file of a model's answers, taking them, removing them, and letting one assist.

A file is stored as it came, with the report of its dry run; its answers are written at once, in one transaction, so
that an interrupted one leaves nothing. What ballots show is `suggestions`'.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from labeling.exchange.validation import Plan, check
from labeling.exchange.values import Options, UnreadableError
from labeling.models import (
    LEAST_PERCENT,
    MOST_PERCENT,
    AuditEntry,
    Item,
    Member,
    ProjectAxis,
    Reader,
    ReaderAnswer,
    Role,
    Round,
)
from labeling.refusals import RefusedError
from labeling.selectors.readers import hides_readers, rule_answers
from labeling.selectors.subjects import subject_of
from labeling.services import audit
from labeling.services.people import require, require_at_work
from labeling.services.rounds import SEED_BYTES, locked_round

MOST_BYTES = 16_000_000
MOST_READERS = 20
SHOWN = 500
BATCH = 5_000
FORMATS = {"long_csv": "CSV, one line per answer", "long_jsonl": "JSON lines, one object per answer"}
RULES = "rules"
ANY_STATE = (Round.State.DRAFT, Round.State.OPEN, Round.State.CLOSED)


@dataclass(frozen=True)
class About:
    """What a lead says of a reader; all but the name may be left out."""

    name: str
    version: str = ""
    answered_on: dt.date | None = None
    note: str = ""
    cost: str = ""


@transaction.atomic
def keep_file(
    *, lead: Member, round_: Round, content: bytes, filename: str, format_: str, about: About
) -> tuple[Reader, bool]:
    """Store a file with the report of its dry run; the same file is stored once. Returns it, and whether it is new.

    Raises RefusedError for a file that cannot be read at all, or is too long.
    """
    round_ = _round(lead, round_)
    if not 0 < len(content) <= MOST_BYTES:
        raise RefusedError(f"A file has between 1 byte and {MOST_BYTES // 1_000_000} MB.")
    if not about.name.strip():
        raise RefusedError("Name the model or the program that gave these answers.")
    sha256 = hashlib.sha256(f"{format_}\n".encode() + content).hexdigest()
    stored = Reader.objects.filter(round=round_, sha256=sha256).defer("content").first()
    if stored is not None:
        return stored, False
    if round_.readers.count() >= MOST_READERS:
        raise RefusedError(f"A round has at most {MOST_READERS} readers. Remove one first.")
    reader = Reader(
        round=round_, filename=filename[:200], format=format_, sha256=sha256, content=content, member=lead,
        **vars(about),
    )  # fmt: skip
    plan = plan_of(reader)
    reader.report = {
        "lines": plan.read, "issues": len(plan.votes), "answers": _answers_in(plan), "rejected": len(plan.rejected),
        "reasons": [[row.line, row.reason] for row in plan.rejected[:SHOWN]],
    }  # fmt: skip
    reader.save()
    return reader, True


def plan_of(reader: Reader) -> Plan:
    """What a stored file gives, on the round's issues and by its codebook. Raises RefusedError as `keep_file` does."""
    if reader.format == RULES:
        return Plan({}, {}, (), 0)
    try:
        return check(
            content=bytes(reader.content), format_=reader.format, options=Options(annotator=reader.called[:100]),
            codebook=reader.round.codebook, within=reader.round,
        )  # fmt: skip
    except UnreadableError as error:
        raise RefusedError(str(error)) from error


@transaction.atomic
def take_rules(*, lead: Member, round_: Round) -> Reader:
    """Store what the knowledge base's rules suggest on the round's issues now, by the categories they share."""
    round_ = _round(lead, round_)
    if Reader.objects.filter(round=round_, sha256=RULES).exists():
        raise RefusedError("What the rules suggest is stored already. Remove it to read them again.")
    answers = rule_answers(round_=round_)
    if not answers:
        raise RefusedError("The rules suggest nothing on these issues that this codebook asks for.")
    issues = len({item for item, _ in answers})
    reader = Reader.objects.create(
        round=round_, name="Rules", filename="", format=RULES, sha256=RULES, content=b"", member=lead,
        note="The knowledge base's suggestions by rules.", answered_on=timezone.localdate(), taken_at=timezone.now(),
        report={"lines": len(answers), "issues": issues, "answers": len(answers), "rejected": 0, "reasons": []},
    )  # fmt: skip
    ReaderAnswer.objects.bulk_create(
        [
            ReaderAnswer(reader=reader, item_id=item, axis_id=axis, codes=codes)
            for (item, axis), codes in answers.items()
        ],
        batch_size=BATCH,
    )
    audit.record(by=lead, kind=AuditEntry.Kind.READER, round_=round_, detail=f"Rules: {len(answers)} answers")
    return reader


@transaction.atomic
def take_answers(*, lead: Member, reader: Reader) -> int:
    """Store a file's answers as those of its reader; returns how many. Raises RefusedError where there are none."""
    reader = _locked(lead, reader)
    if reader.taken_at:
        raise RefusedError("The answers of this file are stored already.")
    plan = plan_of(reader)
    if not plan.votes:
        raise RefusedError("No line of this file holds an answer on an issue of this round.")
    ReaderAnswer.objects.bulk_create(_rows(reader, plan), batch_size=BATCH)
    Reader.objects.filter(pk=reader.pk).update(taken_at=timezone.now())
    number = _answers_in(plan)
    detail = f"{reader.called}: {number} answers"
    audit.record(by=lead, kind=AuditEntry.Kind.READER, round_=reader.round, detail=detail)
    return number


@transaction.atomic
def remove_reader(*, lead: Member, reader: Reader) -> None:
    """Remove a reader with its answers. Raises RefusedError where ballots of an opened round show them."""
    reader = _locked(lead, reader)
    if reader.assist_percent is not None and reader.round.state != Round.State.DRAFT:
        raise RefusedError("Ballots of this round showed this reader's answers: they are part of how it was labelled.")
    if reader.taken_at:
        audit.record(by=lead, kind=AuditEntry.Kind.UNREAD, round_=reader.round, detail=reader.called)
    reader.delete()


@transaction.atomic
def set_assistance(*, lead: Member, round_: Round, reader: Reader | None, percent: int = 50) -> None:
    """Show a reader's answers on so many of a draft round's places; no `reader`: on none.

    The seed is drawn anew, so that nobody chooses which places.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    require_at_work(lead)
    if not LEAST_PERCENT <= percent <= MOST_PERCENT:
        raise RefusedError(f"Between {LEAST_PERCENT} and {MOST_PERCENT} % of the ballots may show suggestions.")
    Reader.objects.filter(round=round_).update(assist_percent=None, assist_seed="")
    detail = "none"
    if reader is not None:
        seed = secrets.token_hex(SEED_BYTES)
        taken = Reader.objects.filter(pk=reader.pk, round=round_, taken_at__isnull=False)
        if not taken.update(assist_percent=percent, assist_seed=seed):
            raise RefusedError("Choose a reader of this round whose answers are stored.")
        detail = f"{percent} % by {reader.called}"
    audit.record(by=lead, kind=AuditEntry.Kind.ASSISTED, round_=round_, detail=detail)


def _round(lead: Member, round_: Round) -> Round:
    round_ = locked_round(lead, round_, *ANY_STATE)
    require(lead, Role.LEAD)
    if hides_readers(member=lead, round_=round_):
        raise RefusedError("You may vote in this round, so its readers are kept from you until it closes.")
    return round_


def _locked(lead: Member, reader: Reader) -> Reader:
    """The reader, its round locked. Raises RefusedError where it is gone, or kept from this lead."""
    round_ = _round(lead, reader.round)
    locked = Reader.objects.select_related("round__codebook").filter(pk=reader.pk, round=round_).first()
    if locked is None:
        raise RefusedError("This reader was removed.")
    return locked


def _answers_in(plan: Plan) -> int:
    return sum(len(vote.answers) for votes in plan.votes.values() for vote in votes)


def _rows(reader: Reader, plan: Plan) -> list[ReaderAnswer]:
    axes: Mapping[str, ProjectAxis] = {
        axis.code: axis for axis in ProjectAxis.objects.filter(project=reader.round.project_id)
    }
    items = {subject_of(item): item.pk for item in Item.objects.filter(round=reader.round).only("issue", "own")}
    rows = []
    for issue, votes in plan.votes.items():
        for code, answer in votes[0].answers.items():
            rows.append(
                ReaderAnswer(
                    reader=reader, item_id=items[issue], axis=axes[code], text=answer.text,
                    codes=[version.node.code for version in answer.versions],
                    is_undecidable=not (answer.versions or answer.text),
                )
            )  # fmt: skip
    return rows
