"""What a page or a file shows of the answers that publishing would change: words, votes and agreement.

`publication` says which rows there are. Decided answers are released: nothing here is secret.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kb.models import Axis, Issue, Label, Node, Provenance, Source
from labeling.agreement import NOT_TOLD
from labeling.models import Decision, Round
from labeling.selectors import findings
from labeling.selectors.findings import Held
from labeling.selectors.publication import Kind, Row
from labeling.selectors.trust import RoundAgreement, agreement_of

AT_ONCE = 500
COLUMNS = (
    "issue", "axis", "change", "says_now", "would_say", "decided_since_request", "votes", "support", "how", "round",
    "pilot", "from_file", "equal_pairs", "alpha_of_round",
)  # fmt: skip


@dataclass(frozen=True)
class Basis:
    """What an answer rests on. `alpha`: Krippendorff's, of the whole round on this axis; None where undefined."""

    votes: int
    support: int
    how: str
    round: str
    is_pilot: bool
    is_from_file: bool
    equal_pairs: float | None
    alpha: float | None


@dataclass(frozen=True)
class Shown:
    """A row in words. `now`: (source, answer) for each source with one; `is_new`: decided after it was asked for."""

    issue: Issue
    axis: str
    kind: Kind
    now: tuple[tuple[str, str], ...]
    would: str
    basis: Basis | None
    is_new: bool


@dataclass(frozen=True)
class Category:
    """A category that can be chosen, and the number of rows whose whole answer it is part of."""

    key: str
    name: str
    answers: int


@dataclass(frozen=True)
class AxisChoice:
    """An axis that can be chosen, with its categories."""

    key: str
    name: str
    answers: int
    categories: tuple[Category, ...]


def choices(rows: Sequence[Row]) -> list[AxisChoice]:
    """The axes and categories in these rows, in the order of the house codebook; two statements."""
    by_axis = Counter(row.axis for row in rows)
    by_key = Counter(key for row in rows for key in row.answered.keys)
    nodes = Node.objects.filter(axis__in=by_axis).order_by("position", "code").values_list("axis", "code", "name")
    found = []
    for axis in Axis.objects.filter(pk__in=by_axis).order_by("position"):
        keys = [(f"{axis.code}/{code}", name) for pk, code, name in nodes if pk == axis.pk]
        categories = [Category(key, name, by_key[key]) for key, name in keys if by_key[key]]
        found.append(AxisChoice(axis.code, axis.name, by_axis[axis.pk], tuple(categories)))
    return found


def described(
    rows: Sequence[Row], *, project_id: int, pilots: bool, asked: Collection[int] | None = None
) -> list[Shown]:
    """The rows in words; `asked`: the decisions when it was asked for, where it was. A fixed number of statements."""
    agreement = agreement_of(rounds=_rounds(rows), is_for_page=True)
    return _described(rows, project_id=project_id, pilots=pilots, asked=asked, agreement=agreement)


def lines(
    rows: Sequence[Row], *, project_id: int, pilots: bool, asked: Collection[int]
) -> Iterator[Sequence[str | int | float | None]]:
    """The rows for a file, below their header, some at a time."""
    yield COLUMNS
    agreement = agreement_of(rounds=_rounds(rows), is_for_page=True)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        for row in _described(part, project_id=project_id, pilots=pilots, asked=asked, agreement=agreement):
            now = "; ".join(f"{source}: {answer}" for source, answer in row.now)
            new = "yes" if row.is_new else ""
            yield (row.issue.url, row.axis, row.kind.value, now, row.would, new, *_cells(row.basis))


def _cells(basis: Basis | None) -> Sequence[str | int | float | None]:
    if basis is None:
        return (None,) * 8
    pilot, file = "yes" if basis.is_pilot else "", "yes" if basis.is_from_file else ""
    return (basis.votes, basis.support, basis.how, basis.round, pilot, file, basis.equal_pairs, basis.alpha)


def _rounds(rows: Sequence[Row]) -> set[int]:
    decisions = [row.decision for row in rows if row.decision is not None]
    return set(Decision.objects.filter(pk__in=decisions).order_by().values_list("item__round", flat=True))


def _described(
    rows: Sequence[Row], *, project_id: int, pilots: bool, asked: Collection[int] | None,
    agreement: Mapping[int, RoundAgreement],
) -> list[Shown]:  # fmt: skip
    issues = {row.issue for row in rows}
    by_id = Issue.objects.select_related("repository__framework").defer("body", "search_vector", "label_terms")
    found = by_id.in_bulk(issues)
    axes = dict(Axis.objects.filter(pk__in={row.axis for row in rows}).values_list("pk", "name"))
    nodes = {node for row in rows for node in row.after or ()}
    names = dict(Node.objects.filter(pk__in=nodes).values_list("pk", "name"))
    says = _says(issues)
    held_now = findings.held(project_id=project_id, issue_ids=issues, pilots=pilots)
    held = {each.decision.pk: each for decisions in held_now.values() for each in decisions}
    known = None if asked is None else set(asked)
    shown = []
    for row in rows:
        basis = held.get(row.decision or 0)
        shown.append(
            Shown(
                issue=found[row.issue],
                axis=axes[row.axis],
                kind=row.kind,
                now=says.get((row.issue, row.axis), ()),
                would=_in_words([names[node] for node in row.after]) if row.after is not None else "",
                basis=_basis(basis, agreement) if basis else None,
                is_new=known is not None and row.decision is not None and row.decision not in known,
            )
        )
    return shown


def _says(issues: Collection[int]) -> dict[tuple[int, int], tuple[tuple[str, str], ...]]:
    """(issue, axis) -> what each source says there in public, the most trusted first; suggestions are left out."""
    texts: dict[tuple[int, int, Source], list[str]] = {}
    untold = Provenance.objects.filter(issue__in=issues, is_undecidable=True).select_related("source").order_by()
    for provenance in untold:
        texts[provenance.issue_id, provenance.axis_id, provenance.source] = []
    labels = Label.objects.filter(issue__in=issues).by_people().select_related("source", "node")
    for label in labels.order_by("node__position", "node"):
        texts.setdefault((label.issue_id, label.axis_id, label.source), []).append(label.node.name)
    says: dict[tuple[int, int], tuple[tuple[str, str], ...]] = {}
    for (issue, axis, source), answer in sorted(texts.items(), key=lambda pair: pair[0][2].by_trust):
        says[issue, axis] = (*says.get((issue, axis), ()), (source.name, _in_words(answer)))
    return says


def _in_words(names: Sequence[str]) -> str:
    return " + ".join(names) or NOT_TOLD.capitalize()


def _basis(held: Held, agreement: Mapping[int, RoundAgreement]) -> Basis:
    decision, round_ = held.decision, held.decision.item.round
    measure = agreement.get(round_.pk, RoundAgreement()).axes.get(decision.axis.code)
    return Basis(
        votes=decision.votes,
        support=decision.support,
        how=decision.get_how_display(),
        round=round_.called,
        is_pilot=round_.kind == Round.Kind.PILOT,
        is_from_file=round_.is_from_file,
        equal_pairs=held.agreement,
        alpha=measure.alpha.value if measure else None,
    )
