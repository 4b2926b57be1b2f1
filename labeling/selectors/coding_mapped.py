"""Open codes by the board's nodes: which nodes each vote would have named, and how far annotators agree by them.

Computed after merging by people who saw all codes: never the agreement of blind labels by the frozen codebook.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labeling.agreement import NOT_TOLD, SAMPLES, AxisReport, VoteTable, tabulate
from labeling.agreement.report import report_axis
from labeling.codes import mapped
from labeling.models import Item, Member, ProjectAxis
from labeling.selectors.coding import board_of, empty_votes, uses

# The intervals of more votes would take longer than a page may.
MOST_MEASURED = 1_000


@dataclass(frozen=True)
class MappedIssue:
    """An issue with what each annotator's codes say by the nodes; an empty text: none of the codes is in a node."""

    round: int
    position: int
    name: str
    answers: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Mapped:
    """The issues, and the agreement; `left_out`: votes of which no code is in a node, and which do not count."""

    issues: Sequence[MappedIssue]
    report: AxisReport | None
    left_out: int


def mapped_votes(*, axis: ProjectAxis) -> Mapped:
    """What the votes of closed rounds would have been by the board, for those who see it; six statements."""
    found = uses(axis=axis)
    board = board_of(axis=axis, found=found)
    node_of = {key: board.node_of(key) for key in board.codes}
    written: dict[tuple[int, int], list[str]] = {key: [] for key in empty_votes(axis=axis)}
    told = set(written)
    for use in found:
        written.setdefault((use.place.item, use.place.member), []).append(use.key)
    answers = {}
    for key, keys in written.items():
        answers[key] = frozenset({NOT_TOLD}) if key in told else mapped(keys, node_of)
    names = {code: node.name for code, node in board.nodes.items()} | {NOT_TOLD: NOT_TOLD.capitalize()}
    counted = {key: answer for key, answer in answers.items() if answer}
    people = dict(Member.objects.filter(project=axis.project_id).values_list("pk", "pseudonym"))
    return Mapped(_issues(axis, answers, names), _report(counted, people), len(answers) - len(counted))


def _report(answers: Mapping[tuple[int, int], frozenset[str]], people: Mapping[int, str]) -> AxisReport | None:
    table: VoteTable = tabulate((item, people[member], answer) for (item, member), answer in answers.items())
    if not table.answers:
        return None
    return report_axis("nodes", table, samples=SAMPLES if table.votes <= MOST_MEASURED else 0)


def _issues(
    axis: ProjectAxis, answers: Mapping[tuple[int, int], frozenset[str]], names: Mapping[str, str]
) -> list[MappedIssue]:
    members = Member.objects.filter(project=axis.project_id).select_related("user")
    called = {member.pk: member.called for member in members}
    by_item: dict[int, list[tuple[str, str]]] = {}
    for (item, member), answer in sorted(answers.items(), key=lambda pair: pair[0]):
        by_item.setdefault(item, []).append((called[member], ", ".join(sorted(names[code] for code in answer))))
    items = Item.objects.filter(pk__in=by_item).order_by("round__number", "position")
    places = items.values_list("pk", "round__number", "position", "snapshot__content__name")
    return [MappedIssue(number, position, name, by_item[pk]) for pk, number, position, name in places]
