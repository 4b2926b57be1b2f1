"""Open codes and the acts on their board as rows of files: downloads for members, and releases."""

from collections.abc import Iterator, Mapping
from typing import Any

from labeling.models import CodingAct, Member, ProjectAxis
from labeling.selectors.coding import board_of, uses
from labeling.selectors.coding_board import names_of

CODE_COLUMNS = ("round", "issue", "annotator", "code", "memo", "merged_into", "node")


def code_rows(*, axis: ProjectAxis, people: Mapping[int, str]) -> list[tuple[Any, ...]]:
    """A row for each use, as typed, by round, issue and annotator's name; `people`: member id -> name in the file."""
    found = uses(axis=axis)
    board = board_of(axis=axis, found=found)
    names = names_of(board, found)
    rows = []
    for use in found:
        into = board.codes[use.key].into
        rows.append(
            (
                use.place.round, use.place.url, people[use.place.member], use.words, use.memo,
                names[into] if into else "", board.node_of(use.key),
            )
        )  # fmt: skip
    return sorted(rows, key=lambda row: row[:4])


def downloaded_rows(*, axis: ProjectAxis) -> list[tuple[Any, ...]]:
    """The same with the pseudonyms that the team knows."""
    people = Member.objects.filter(project=axis.project_id).values_list("pk", "pseudonym")
    return code_rows(axis=axis, people=dict(people))


def act_rows(*, axis: ProjectAxis, people: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Every act, the oldest first, with what it touched before and after; days, no times."""
    acts = CodingAct.objects.filter(axis=axis).select_related("codebook", "asked").order_by("created_at", "pk")
    numbers: dict[int, int] = {}
    for number, act in enumerate(acts, start=1):
        numbers[act.pk] = number
        yield {
            "number": number,
            "kind": act.kind,
            "by": people[act.member_id],
            "on": act.created_at.date().isoformat(),
            "undoes": numbers.get(act.undoes_id or 0),
            "codebook": act.codebook.number if act.codebook else None,
            "question": act.asked.code if act.asked else None,
            "before": act.before,
            "after": act.after,
        }
