"""Votes as they leave: exactly what the member may see, some hundred issues at a time.

Receipt times are rounded down to the day in UTC, so that nobody's evenings can be read from a file.
"""

import datetime as dt
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from labeling.exchange.rows import Answered, Document
from labeling.exchange.serialize import WRITERS
from labeling.models import Answer, AnswerNode, Evidence, Item, Member, Round, Vote
from labeling.passages import Marked
from labeling.selectors import visible

AT_ONCE = 200


def export(*, member: Member, rounds: Sequence[Round], format_: str) -> Iterator[str]:
    """A file's text, piece by piece."""
    write, _, _ = WRITERS[format_]
    return write(documents(member=member, rounds=rounds), _people(member, rounds))


def documents(*, member: Member, rounds: Sequence[Round]) -> Iterator[Document]:
    """The issues of these rounds on which the member may see votes, with those votes."""
    seen = visible.votes(member=member).filter(item__round__in=rounds)
    passages = visible.evidence(member=member).select_related("axis")
    items = Item.objects.filter(Exists(seen.filter(item=OuterRef("pk"))), round__in=rounds)
    places = list(items.order_by("round__number", "position").values_list("pk", flat=True))
    for start in range(0, len(places), AT_ONCE):
        some = places[start : start + AT_ONCE]
        votes = _votes(seen.filter(item__in=some), passages)
        rows = Item.objects.filter(pk__in=some).select_related("snapshot", "round__codebook")
        for item in rows.order_by("round__number", "position"):
            yield _document(item, votes.get(item.pk, []))


def _people(member: Member, rounds: Sequence[Round]) -> list[str]:
    seen = visible.votes(member=member).filter(item__round__in=rounds)
    return sorted(set(seen.order_by().values_list("member__pseudonym", flat=True)))


def _votes(votes: QuerySet[Vote], passages: QuerySet[Evidence]) -> dict[int, list[Vote]]:
    nodes = Prefetch("nodes", AnswerNode.objects.select_related("version__node").order_by("version__node__code"))
    answers = Prefetch("answers", Answer.objects.select_related("axis").prefetch_related(nodes))
    found: dict[int, list[Vote]] = {}
    rows = votes.select_related("member", "codebook").prefetch_related(
        answers, Prefetch("evidence", passages.order_by("part", "start", "end"))
    )
    for vote in rows.order_by("item", "member__pseudonym"):
        found.setdefault(vote.item_id, []).append(vote)
    return found


def _document(item: Item, votes: Sequence[Vote]) -> Document:
    content = item.snapshot.content
    return Document(
        issue=content["url"],
        title=content["title"],
        text=content["body"],
        text_hash=item.snapshot.text_hash,
        round=item.round.number,
        codebook=item.round.codebook.number,
        answers=[answered for vote in votes for answered in _answers(vote, item)],
        is_from_file=item.round.is_from_file,
    )


def _answers(vote: Vote, item: Item) -> Iterator[Answered]:
    marked = [(one.axis_id, _marked(one)) for one in vote.evidence.all()]
    day = vote.submitted_at.astimezone(dt.UTC).date().isoformat()
    for answer in sorted(vote.answers.all(), key=lambda one: one.axis.position):
        yield Answered(
            issue=item.snapshot.content["url"],
            annotator=vote.member.pseudonym,
            axis=answer.axis.code,
            codes=tuple(one.version.node.code for one in answer.nodes.all()),
            is_undecidable=answer.is_undecidable,
            confidence=vote.confidence,
            round=item.round.number,
            codebook=vote.codebook.number,
            received_on=day,
            note=vote.note,
            evidence=tuple(one for axis, one in marked if axis in (answer.axis_id, None)),
            text_hash=item.snapshot.text_hash,
            is_from_file=item.round.is_from_file,
        )


def _marked(one: Evidence) -> Marked:
    return Marked(one.part, one.start, one.end, one.axis.code if one.axis else "")
