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
    new_nodes: tuple[str, ...]
    blocked: tuple[Blocked, ...]
    undecided: int
    is_current: bool


def preview(*, project_id: int) -> Preview:
    """The difference between what the project holds now and what the knowledge base says it holds."""
    known = targets(project_id=project_id)
    decided = _decided(project_id)
    issues = set(findings.decided_issues(project_id=project_id))
    wanted = {(issue, key) for issue, pk in decided if (key := _key(known[pk])) is not None}
    source = source_of(project_id)
    have = set(Label.objects.filter(source=source).values_list("issue", "node")) if source else set()
    held: set[tuple[int, int | str]] = {(issue, node) for issue, node in have}
    added, removed = wanted - held, held - wanted
    touched = sorted({issue for issue, _ in added | removed})
    return Preview(
        issues=len(issues),
        added=len(added),
        removed=len(removed),
        kept=len(wanted & held),
        changed=len(touched),
        changes=_changes(touched[:SHOWN], added, removed),
        new_nodes=_new(decided, known),
        blocked=_blocked(decided, known),
        undecided=findings.undecided(project_id=project_id),
        is_current=not added and not removed and source is not None,
    )


def source_of(project_id: int) -> Source | None:
    """The source under which the project publishes, if it ever did."""
    found = Publication.objects.filter(project=project_id).select_related("source").first()
    return found.source if found else None


def _decided(project_id: int) -> list[tuple[int, int]]:
    """(issue, project node) of everything that is decided."""
    through = Decision.versions.through.objects.filter(
        decision__in=findings.decisions_in_force(project_id=project_id).order_by().values("pk")
    )
    pairs = through.values_list("decision__item__issue", "nodeversion__node")
    return [(issue, node) for issue, node in pairs if issue is not None and node is not None]


def _key(target: Target) -> int | str | None:
    """A published node's id, or for a new one a text that tells new ones apart."""
    if target.node is not None:
        return int(target.node.pk)
    return f"new {target.version.node_id}" if target.version is not None else None


def _new(decided: Iterable[tuple[int, int]], known: Mapping[int, Target]) -> tuple[str, ...]:
    found = {one.version.name for _, pk in decided if (one := known[pk]).version is not None}
    return tuple(sorted(found))


def _blocked(decided: Iterable[tuple[int, int]], known: Mapping[int, Target]) -> tuple[Blocked, ...]:
    reasons = Counter(reason for reason, _ in {(known[pk].blocked, issue) for issue, pk in decided} if reason)
    return tuple(Blocked(reason, number) for reason, number in sorted(reasons.items()))


def _changes(
    issues: Sequence[int], added: set[tuple[int, int | str]], removed: set[tuple[int, int | str]]
) -> tuple[IssueChange, ...]:
    rows = Issue.objects.filter(pk__in=issues).select_related("repository__framework")
    by_id = {row.pk: row for row in rows.defer("body", "search_vector", "label_terms")}
    wanted = set(issues)
    mine = [pair for pair in added | removed if pair[0] in wanted]
    nodes = Node.objects.filter(pk__in={key for _, key in mine if isinstance(key, int)})
    names: dict[int | str, str] = dict(nodes.values_list("pk", "name"))

    def named(issue: int, pairs: set[tuple[int, int | str]]) -> tuple[str, ...]:
        return tuple(sorted(names.get(key, "a new category") for pk, key in pairs if pk == issue))

    few_added, few_removed = added & set(mine), removed & set(mine)
    return tuple(IssueChange(by_id[pk], named(pk, few_added), named(pk, few_removed)) for pk in issues)
