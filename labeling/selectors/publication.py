"""What publishing would change in the knowledge base: one row for each answer, and counts.

Rows hold ids only, so that thousands are compared at once; what a page shows of them is in `publication_rows`.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from django.db.models import F

from kb.models import Axis, Node, Source
from kb.selectors.consensus import published_answers
from labeling.models import Decision, Publication
from labeling.scopes import Action, Answered, holds, withdrawal
from labeling.selectors import findings
from labeling.selectors.targets import Target, targets
from labeling.selectors.withdrawals import publication_actions


class Kind(Enum):
    """What publishing does to an answer."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    SAME = "same"


@dataclass(frozen=True)
class Row:
    """An answer of the project, by ids of the house: what it says now in public and what it would say; None: nothing.

    `answered` is what it would say, or what is taken away. `decision` is what it would say it by.
    """

    issue: int
    axis: int
    answered: Answered
    decision: int | None
    before: tuple[int, ...] | None
    after: tuple[int, ...] | None

    @property
    def kind(self) -> Kind:
        """What publishing does to it."""
        if self.before is None:
            return Kind.ADDED
        if self.after is None:
            return Kind.REMOVED
        return Kind.SAME if self.before == self.after else Kind.CHANGED


@dataclass(frozen=True)
class Blocked:
    """A category that cannot be published, why, and on how many issues it was decided."""

    reason: str
    issues: int


@dataclass(frozen=True)
class Preview:
    """Everything that publishing could do. `issues`: with a decision; `pilots`: decided in pilot rounds alone.

    `own`: decided items of the project's own, which are never public.
    `withdrawn`: answers that a curator keeps out of public, by the reason. `waiting`: categories without a house node.
    """

    rows: tuple[Row, ...]
    issues: int
    pilots: int
    own: int
    undecided: int
    is_published: bool
    waiting: tuple[str, ...]
    blocked: tuple[Blocked, ...]
    withdrawn: Mapping[str, int]
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Count the rows by kind."""
        object.__setattr__(self, "counts", counts_of(self.rows))

    @property
    def added(self) -> int:
        """Labels to add."""
        return sum(len(set(row.after or ()) - set(row.before or ())) for row in self.rows)

    @property
    def removed(self) -> int:
        """Labels to remove."""
        return sum(len(set(row.before or ()) - set(row.after or ())) for row in self.rows)

    @property
    def kept(self) -> int:
        """Labels that stay."""
        return sum(len(set(row.before or ()) & set(row.after or ())) for row in self.rows)

    @property
    def is_current(self) -> bool:
        """Whether what is public is what was decided."""
        return self.is_published and not self.added and not self.removed

    def within(self, scope: Collection[str]) -> list[Row]:
        """The rows of a scope."""
        return [row for row in self.rows if holds(scope, row.answered)]


def preview(*, project_id: int, pilots: bool = False) -> Preview:
    """The difference between the project's decisions now and what it has in the knowledge base."""
    decided_on = set(findings.decided(project_id=project_id, pilots=pilots))
    left_out = set() if pilots else set(findings.decided(project_id=project_id)) - decided_on
    kinds = Counter(kind for kind, _ in decided_on)
    source = source_of(project_id)
    before = published_answers(source=source) if source else {}
    decided = _decided(project_id, pilots=pilots)
    codes = _Codes({*before, *decided.answers})
    actions = publication_actions(project_id=project_id)
    rows, withdrawn = [], Counter[str]()
    for answer in sorted({*before, *decided.answers}, key=lambda pair: (pair[0], codes.position(pair[1]))):
        decision, after = decided.answers.get(answer, (None, None))
        answered = codes.answered(answer[1], (after if after is not None else before.get(answer)) or ())
        if stands := withdrawal(actions, answered):
            withdrawn[stands.reason] += 1
        else:
            rows.append(Row(*answer, answered, decision, before.get(answer), after))
    return Preview(
        rows=tuple(rows),
        issues=kinds["issue"],
        pilots=len([kind for kind, _ in left_out if kind == "issue"]),
        own=kinds["own"],
        undecided=findings.undecided(project_id=project_id, own=False),
        is_published=source is not None,
        waiting=tuple(sorted(decided.waiting)),
        blocked=tuple(Blocked(reason, number) for reason, number in sorted(decided.blocked.items())),
        withdrawn=dict(withdrawn),
    )


def counts_of(rows: Iterable[Row]) -> dict[str, int]:
    """How many answers are added, changed, removed, and stay."""
    counts = Counter(row.kind for row in rows)
    return {kind.value: counts[kind] for kind in Kind}


def digest_of(rows: Sequence[Row]) -> str:
    """A hash of what would be public, and by which decisions: it differs as soon as one of them does."""
    lines = [f"{row.issue} {row.axis} {row.decision} {row.after}" for row in rows]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def withdrawn_answers(*, source: Source, actions: Sequence[Action]) -> list[tuple[int, int]]:
    """The answers, (issue, axis), that are public though a curator withdrew them."""
    rows = public_rows(source=source)
    return sorted((row.issue, row.axis) for row in rows if withdrawal(actions, row.answered))


def public_rows(*, source: Source | None) -> list[Row]:
    """What a project has in the knowledge base, as rows that would take it out."""
    public = published_answers(source=source) if source else {}
    codes = _Codes(public)
    return [Row(*pair, codes.answered(pair[1], nodes), None, nodes, None) for pair, nodes in public.items()]


def publication_of(*, project_id: int) -> Publication | None:
    """The project's publication with its source; None before the first."""
    return Publication.objects.select_related("source").filter(project=project_id).first()


def source_of(project_id: int) -> Source | None:
    """The source under which the project publishes, or None where it never did."""
    publication = publication_of(project_id=project_id)
    return publication.source if publication else None


class _Codes:
    """The codes of house axes and their nodes, for the axes of these answers."""

    def __init__(self, answers: Iterable[tuple[int, int]]) -> None:
        axes = {axis for _, axis in answers}
        self._axes = {axis.pk: axis for axis in Axis.objects.filter(pk__in=axes)}
        self._nodes = dict(Node.objects.filter(axis__in=axes).order_by().values_list("pk", "code"))

    def position(self, axis: int) -> int:
        """Where the axis stands in its scheme."""
        return self._axes[axis].position

    def answered(self, axis: int, nodes: Iterable[int]) -> Answered:
        """An answer in codes."""
        return Answered(self._axes[axis].code, frozenset(self._nodes[node] for node in nodes))


@dataclass(frozen=True)
class _Decided:
    """(issue, axis) -> decision and nodes; categories that wait, and reasons against others with issues."""

    answers: dict[tuple[int, int], tuple[int, tuple[int, ...]]]
    waiting: set[str]
    blocked: Counter[str]


def _decided(project_id: int, *, pilots: bool) -> _Decided:
    decisions = findings.decisions_in_force(project_id=project_id, pilots=pilots).filter(item__own=None).order_by()
    through = Decision.versions.through.objects.filter(decision__in=decisions.values("pk"))
    all_targets = targets(project_id=project_id)
    named: dict[int, list[Target]] = {}
    waiting: set[str] = set()
    blocked: set[tuple[str, int]] = set()
    for decision, issue, node in through.values_list("decision", "decision__item__issue", "nodeversion__node"):
        if issue is None or node is None:
            continue
        target = all_targets[node]
        named.setdefault(decision or 0, []).append(target)
        if target.version is not None:
            waiting.add(target.version.name)
        elif target.node is None:
            blocked.add((target.blocked, issue))
    answers: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
    # Axes of the house come first: where one of the project's own is mapped to the same, the house's answer stays.
    own_last = F("axis__axis").asc(nulls_last=True)
    for decision, issue, axis in decisions.order_by(own_last, "pk").values_list("pk", "item__issue", "axis__axis"):
        nodes = {target.node for target in named.get(decision, ())}
        published = {node.pk: node.axis_id for node in nodes if node is not None}
        # An axis of the project's own is published as that of the house nodes it is mapped to.
        house_axis = axis or next(iter(published.values()), None)
        # Part of a set of categories would be another answer: all are in the house codebook, or none is published.
        if house_axis is not None and len(published) == len(nodes):
            answers.setdefault((issue, house_axis), (decision, tuple(sorted(published))))
    return _Decided(answers, waiting, Counter(reason for reason, _ in blocked))
