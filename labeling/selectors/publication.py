"""A preview of what publishing would change in the knowledge base."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kb.models import Issue, Label, Node, Source
from labeling.models import Decision, Publication
from labeling.selectors import findings
from labeling.selectors.targets import targets

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
    """The difference between the project's findings now and its labels in the knowledge base."""
    issues = set(findings.decided_issues(project_id=project_id, pilots=pilots))
    left_out = set()
    if not pilots:
        left_out = set(findings.decided_issues(project_id=project_id)) - issues
    answers = _answers(project_id, pilots=pilots)
    source = source_of(project_id)
    published = set(Label.objects.filter(source=source).values_list("issue", "node")) if source else set()
    added, removed = answers.labels - published, published - answers.labels
    touched = sorted({issue for issue, _ in added | removed})
    return Preview(
        issues=len(issues),
        added=len(added),
        removed=len(removed),
        kept=len(answers.labels & published),
        changed=len(touched),
        changes=_changes(touched[:SHOWN], added, removed),
        waiting=tuple(sorted(answers.waiting)),
        blocked=tuple(Blocked(reason, number) for reason, number in sorted(answers.blocked.items())),
        pilots=len(left_out),
        undecided=findings.undecided(project_id=project_id),
        is_current=not added and not removed and source is not None,
    )


def publication_of(*, project_id: int) -> Publication | None:
    """The project's publication with its source; None before the first."""
    return Publication.objects.select_related("source").filter(project=project_id).first()


def source_of(project_id: int) -> Source | None:
    """The source under which the project publishes, or None where it never did."""
    publication = Publication.objects.filter(project=project_id).select_related("source").first()
    return publication.source if publication else None


@dataclass(frozen=True)
class _Answers:
    """The decided answers as labels (issue, node); categories that wait, and reasons against others with issues."""

    labels: set[tuple[int, int]]
    waiting: set[str]
    blocked: Counter[str]


def _answers(project_id: int, *, pilots: bool) -> _Answers:
    decisions = findings.decisions_in_force(project_id=project_id, pilots=pilots).order_by()
    through = Decision.versions.through.objects.filter(decision__in=decisions.values("pk"))
    all_targets = targets(project_id=project_id)
    labels: dict[int | None, set[tuple[int, int]]] = {}
    unpublished: set[int | None] = set()
    waiting: set[str] = set()
    blocked: set[tuple[str, int]] = set()
    for decision, issue, pk in through.values_list("decision", "decision__item__issue", "nodeversion__node"):
        if issue is None or pk is None:
            continue
        target = all_targets[pk]
        if target.node is not None:
            labels.setdefault(decision, set()).add((issue, target.node.pk))
            continue
        # Part of a set of categories would be another answer.
        unpublished.add(decision)
        if target.version is not None:
            waiting.add(target.version.name)
        else:
            blocked.add((target.blocked, issue))
    published = [pairs for decision, pairs in labels.items() if decision not in unpublished]
    return _Answers(set().union(*published), waiting, Counter(reason for reason, _ in blocked))


def _changes(
    issues: Sequence[int], added: set[tuple[int, int]], removed: set[tuple[int, int]]
) -> tuple[IssueChange, ...]:
    rows = Issue.objects.filter(pk__in=issues).select_related("repository__framework")
    by_id = {row.pk: row for row in rows.defer("body", "search_vector", "label_terms")}
    names = dict(Node.objects.filter(pk__in={node for _, node in added | removed}).values_list("pk", "name"))
    changes = []
    for issue in issues:
        new = sorted(names[node] for pk, node in added if pk == issue)
        old = sorted(names[node] for pk, node in removed if pk == issue)
        changes.append(IssueChange(by_id[issue], tuple(new), tuple(old)))
    return tuple(changes)
