"""Exports the votes that the member may see, some hundred issues at a time.

Receipt times are rounded down to the day in UTC, so that a file does not give away when anybody works.
"""

import datetime as dt
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from labeling.ballots import number_text
from labeling.exchange.rows import AnswerRow, Document
from labeling.exchange.serialize import WRITERS
from labeling.models import Answer, AnswerNode, Evidence, Item, Member, Round, Vote
from labeling.passages import Marked
from labeling.selectors import visible

AT_ONCE = 200


def export(*, member: Member, rounds: Sequence[Round], format_: str) -> Iterator[str]:
    """The file's text, in pieces."""
    seen = _votes_in(member, rounds)
    people = sorted(set(seen.order_by().values_list("member__pseudonym", flat=True)))
    return WRITERS[format_].write(documents(member=member, rounds=rounds), people)


def documents(*, member: Member, rounds: Sequence[Round]) -> Iterator[Document]:
    """The issues of these rounds on which the member may see votes, with those votes."""
    seen = _votes_in(member, rounds)
    evidence = visible.evidence(member=member).select_related("axis").order_by("part", "start", "end")
    items = Item.objects.filter(Exists(seen.filter(item=OuterRef("pk"))), round__in=rounds)
    item_ids = list(items.order_by("round__number", "position").values_list("pk", flat=True))
    for start in range(0, len(item_ids), AT_ONCE):
        batch = item_ids[start : start + AT_ONCE]
        votes: dict[int, list[Vote]] = {}
        for vote in _votes(seen.filter(item__in=batch), evidence):
            votes.setdefault(vote.item_id, []).append(vote)
        rows = Item.objects.filter(pk__in=batch).select_related("snapshot", "round__codebook")
        for item in rows.order_by("round__number", "position"):
            content = item.snapshot.content
            answers: list[AnswerRow] = []
            for vote in votes.get(item.pk, ()):
                answers += _answers(vote, item)
            yield Document(
                issue=content["url"],
                title=content["title"],
                text=content["body"],
                text_hash=item.snapshot.text_hash,
                round=item.round.number,
                codebook=item.round.codebook.number,
                answers=answers,
                is_from_file=item.round.is_from_file,
            )


def _votes_in(member: Member, rounds: Sequence[Round]) -> QuerySet[Vote]:
    """The votes of these rounds that the member may see; those on dropped issues count for nothing."""
    return visible.votes(member=member).filter(item__round__in=rounds, item__dropped_at=None)


def _votes(votes: QuerySet[Vote], evidence: QuerySet[Evidence]) -> QuerySet[Vote]:
    """The votes by annotator, with all that `_answers` reads."""
    nodes = Prefetch("nodes", AnswerNode.objects.select_related("version__node").order_by("version__node__code"))
    answers = Prefetch("answers", Answer.objects.select_related("axis").prefetch_related(nodes))
    rows = votes.select_related("member", "codebook")
    return rows.prefetch_related(answers, Prefetch("evidence", evidence)).order_by("item", "member__pseudonym")


def _answers(vote: Vote, item: Item) -> Iterator[AnswerRow]:
    passages = []
    for row in vote.evidence.all():
        passages.append(Marked(row.part, row.start, row.end, row.axis.code if row.axis else ""))
    for answer in sorted(vote.answers.all(), key=lambda answer: answer.axis.position):
        yield AnswerRow(
            issue=item.snapshot.content["url"],
            annotator=vote.member.pseudonym,
            axis=answer.axis.code,
            codes=tuple(node.version.node.code for node in answer.nodes.all()),
            is_undecidable=answer.is_undecidable,
            confidence=vote.confidence,
            round=item.round.number,
            codebook=vote.codebook.number,
            received_on=vote.submitted_at.astimezone(dt.UTC).date().isoformat(),
            note=vote.note,
            evidence=tuple(passage for passage in passages if passage.axis in (answer.axis.code, "")),
            text_hash=item.snapshot.text_hash,
            is_from_file=item.round.is_from_file,
            text=answer.text if answer.number is None else number_text(answer.number),
            is_number=answer.number is not None,
        )
