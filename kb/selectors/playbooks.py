"""Reading playbooks and the real fixes behind them. What a fix pattern means is in `codebook`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from django.db.models import F, Prefetch, QuerySet

from kb.models import Fix, Issue, Kind, Label, Node, Playbook
from kb.selectors.codebook import labelled_issues


@dataclass(frozen=True)
class FixSizes:
    """The sizes of a pattern's fixes: how many are known, how many of those are small, and the middle one."""

    known: int = 0
    unknown: int = 0
    small: int = 0
    median_lines: float | None = None

    @property
    def fixes(self) -> int:
        """All fixes, of known size or not."""
        return self.known + self.unknown


def playbooks() -> QuerySet[Playbook]:
    """Every playbook of an active pattern, in the codebook's order."""
    return (
        Playbook.objects.filter(node__status=Node.Status.ACTIVE)
        .select_related("node__axis__scheme", "node__parent")
        .order_by("node__position")
    )


def playbook_detail(*, code: str) -> Playbook:
    """The playbook of the house's fix pattern `code`. Raises `Playbook.DoesNotExist`."""
    found = Playbook.objects.select_related("node__axis__scheme", "node__parent", "node__merged_into__axis__scheme")
    return found.get(node__code=code, node__axis__code="fix_pattern", node__axis__scheme__study=None)


def fixes_of(*, node: Node) -> QuerySet[Fix]:
    """The fixes of the issues that carry the pattern or one below it, newest first, with those issues."""
    issues = labelled_issues(node=node).true_issues()
    shown = issues.select_related("repository__framework").defer("body", "search_vector", "label_terms")
    return (
        Fix.objects.filter(pk__in=Issue.fixes.through.objects.filter(issue__in=issues.values("pk")).values("fix"))
        .prefetch_related(Prefetch("issues", shown, to_attr="shown_issues"))
        .order_by(F("merged_on").desc(nulls_last=True), "url")
    )


def fix_sizes() -> Mapping[int, FixSizes]:
    """The sizes of every house fix pattern's fixes, by node id; what is labelled below a pattern included."""
    rows = (
        Label.objects.by_people()
        .filter(axis__code="fix_pattern", axis__scheme__study=None, issue__fixes__isnull=False)
        .exclude(issue__kind=Kind.PULL_REQUEST)
        .order_by()
        .values_list(
            "node", "node__parent", "node__parent__parent",
            "issue__fixes__pk", "issue__fixes__lines_changed", "issue__fixes__is_small",
        )
        .distinct()
    )  # fmt: skip
    by_node: dict[int, dict[int, tuple[int | None, bool | None]]] = {}
    for *nodes, fix, lines, small in rows:
        for pk in filter(None, nodes):
            by_node.setdefault(pk, {})[fix] = (lines, small)
    return {pk: sizes_of(fixes.values()) for pk, fixes in by_node.items()}


def sizes_of(fixes: Iterable[tuple[int | None, bool | None]]) -> FixSizes:
    """Sum up fixes given as (lines changed, is small); None where it is not known."""
    listed = list(fixes)
    lines = [changed for changed, _ in listed if changed is not None]
    return FixSizes(
        known=len(lines),
        unknown=len(listed) - len(lines),
        small=sum(1 for _, small in listed if small),
        median_lines=median(lines) if lines else None,
    )
