"""What publishing would change in the knowledge base: to be read before it is done."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.models import Issue, Label, Node, Source
from labeling.models import Decision, Publication
from labeling.selectors import findings
from labeling.selectors.targets import Target, targets

SHOWN = 50


@dataclass(frozen=True)
class Blocked:
    """A category that cannot be published, why, and on how many issues it was decided."""

    reason: str
    issues: int


@dataclass(frozen=True)
class IssueChange:
    """One issue whose labels would change."""

    issue: Issue
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """What publishing would do. `changed` is how many issues get other labels; `changes` are the first of them."""

    issues: int
    added: int
    removed: int
    kept: int
    changed: int
    changes: tuple[IssueChange, ...]
    waiting: tuple[str, ...]
    blocked: tuple[Blocked, ...]
    pilots: int
    undecided: int
    is_current: bool


def preview(*, project_id: int, pilots: bool = False) -> Preview:
    """The difference between what the project holds now and what the knowledge base says it holds."""
    known = targets(project_id=project_id)
    decided = _decided(project_id, pilots=pilots)
    issues = set(findings.decided_issues(project_id=project_id, pilots=pilots))
    wanted = _wanted(decided, known)
    source = source_of(project_id)
    held = set(Label.objects.filter(source=source).values_list("issue", "node")) if source else set()
    added, removed = wanted - held, held - wanted
    touched = sorted({issue for issue, _ in added | removed})
    return Preview(
        issues=len(issues),
        added=len(added),
        removed=len(removed),
        kept=len(wanted & held),
        changed=len(touched),
        changes=_changes(touched[:SHOWN], added, removed),
        waiting=_waiting(decided, known),
        blocked=_blocked(decided, known),
        pilots=len(findings.decided_issues(project_id=project_id)) - len(issues) if not pilots else 0,
        undecided=findings.undecided(project_id=project_id),
        is_current=not added and not removed and source is not None,
    )


def publication_of(*, project_id: int) -> Publication | None:
    """The project's publication with its source; None before the first."""
    return Publication.objects.select_related("source").filter(project=project_id).first()


def source_of(project_id: int) -> Source | None:
    """The source under which the project publishes, if it ever did."""
    found = Publication.objects.filter(project=project_id).select_related("source").first()
    return found.source if found else None


@dataclass(frozen=True)
class _Decided:
    """One category of one decision: the decision, its issue, and the project node."""

    decision: int
    issue: int
    node: int


def _decided(project_id: int, *, pilots: bool) -> list[_Decided]:
    through = Decision.versions.through.objects.filter(
        decision__in=findings.decisions_in_force(project_id=project_id, pilots=pilots).order_by().values("pk")
    )
    rows = through.values_list("decision", "decision__item__issue", "nodeversion__node")
    return [
        _Decided(decision, issue, node)
        for decision, issue, node in rows
        if decision is not None and issue is not None and node is not None
    ]


def _wanted(decided: Iterable[_Decided], known: Mapping[int, Target]) -> set[tuple[int, int]]:
    """(issue, published node) of every answer that has a place for each of its categories."""
    left_out = {one.decision for one in decided if known[one.node].node is None}
    answers = [one for one in decided if one.decision not in left_out]
    return {(one.issue, node.pk) for one in answers if (node := known[one.node].node) is not None}


def _waiting(decided: Iterable[_Decided], known: Mapping[int, Target]) -> tuple[str, ...]:
    return tuple(sorted({version.name for one in decided if (version := known[one.node].version) is not None}))


def _blocked(decided: Iterable[_Decided], known: Mapping[int, Target]) -> tuple[Blocked, ...]:
    pairs = {(known[one.node].blocked, one.issue) for one in decided}
    reasons = Counter(reason for reason, _ in pairs if reason)
    return tuple(Blocked(reason, number) for reason, number in sorted(reasons.items()))


def _changes(
    issues: Sequence[int], added: set[tuple[int, int]], removed: set[tuple[int, int]]
) -> tuple[IssueChange, ...]:
    rows = Issue.objects.filter(pk__in=issues).select_related("repository__framework")
    by_id = {row.pk: row for row in rows.defer("body", "search_vector", "label_terms")}
    shown = {pair for pair in added | removed if pair[0] in by_id}
    names = dict(Node.objects.filter(pk__in={node for _, node in shown}).values_list("pk", "name"))

    def named(issue: int, pairs: set[tuple[int, int]]) -> tuple[str, ...]:
        return tuple(sorted(names[node] for pk, node in pairs if pk == issue))

    return tuple(IssueChange(by_id[pk], named(pk, added & shown), named(pk, removed & shown)) for pk in issues)
