"""Annotators' votes, row by row, as measures of agreement need them."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef

from ingest.models import AnnotatorVote, ImportedAnswer, ImportedRow
from kb.models import Source


@dataclass(frozen=True)
class RowVotes:
    """The codes that a row's annotators chose, in the annotators' order, and its final answers on that axis."""

    row: int
    finals: tuple[str, ...]
    votes: tuple[str, ...]


def list_votes(*, source: Source, axis: str) -> Iterator[RowVotes]:
    """Yield the votes of every row of the source on an axis, in the order of the rows."""
    votes = AnnotatorVote.objects.filter(row=OuterRef("pk"), node__axis__code=axis).order_by("annotator")
    finals = ImportedAnswer.objects.filter(row=OuterRef("pk"), node__axis__code=axis).order_by("node")
    rows = (
        ImportedRow.objects.filter(file__source=source)
        .order_by("pk")
        .values_list("pk", ArraySubquery(finals.values("node__code")), ArraySubquery(votes.values("node__code")))
    )
    for pk, final_codes, vote_codes in rows.iterator(chunk_size=5_000):
        yield RowVotes(pk, tuple(final_codes), tuple(vote_codes))
