"""The versions of a project's codebook: what each changed, and one of them as a tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from labeling.models import Codebook, CodebookNode, CrossRule, Member, NodeVersion, ProjectAxis
from labeling.selectors.codebooks import axes_of


@dataclass
class Branch:
    """A node's version with its children."""

    version: NodeVersion
    children: list["Branch"] = field(default_factory=list)


@dataclass(frozen=True)
class AxisTree:
    """An axis with its nodes as a tree."""

    axis: ProjectAxis
    branches: Sequence[Branch]
    nodes: int


@dataclass(frozen=True)
class Step:
    """A codebook and its differences from the one before."""

    codebook: Codebook
    nodes: int
    added: Sequence[NodeVersion]
    gone: Sequence[NodeVersion]
    changed: Sequence[tuple[NodeVersion, NodeVersion]]


def find(*, project_id: int, number: int | None = None) -> Codebook | None:
    """A codebook by its number, else the newest."""
    codebooks = Codebook.objects.filter(project=project_id).order_by("-number")
    if number is not None:
        codebooks = codebooks.filter(number=number)
    return codebooks.first()


def trees(*, codebook: Codebook) -> list[AxisTree]:
    """The codebook's axes as trees; two statements."""
    axis_trees = []
    for each in axes_of(codebook=codebook):
        branches = {version.node_id: Branch(version) for version in each.versions}
        roots: list[Branch] = []
        for branch in branches.values():
            parent = branches.get(branch.version.parent_id or 0)
            siblings = parent.children if parent else roots
            siblings.append(branch)
        axis_trees.append(AxisTree(each.axis, roots, len(branches)))
    return axis_trees


def steps(*, project_id: int) -> list[Step]:
    """All codebooks of a project, the newest first, with what each changed; three statements."""
    codebooks = list(Codebook.objects.filter(project=project_id).order_by("number"))
    contents: dict[int, dict[int, int]] = {codebook.pk: {} for codebook in codebooks}
    entries = CodebookNode.objects.filter(codebook__in=codebooks).order_by(
        "version__axis__position", "version__position"
    )
    for codebook_id, node, version in entries.values_list("codebook_id", "node_id", "version_id"):
        contents[codebook_id][node] = version
    differing: set[int] = set()
    for earlier, later in pairwise(contents.values()):
        differing |= set(earlier.values()) ^ set(later.values())
    versions = NodeVersion.objects.select_related("node", "axis").in_bulk(differing)
    history = []
    before = contents[codebooks[0].pk] if codebooks else {}
    for codebook in codebooks:
        after = contents[codebook.pk]
        both = [node for node in after if node in before]
        added = [versions[after[node]] for node in after if node not in before]
        gone = [versions[before[node]] for node in before if node not in after]
        changed = [(versions[before[node]], versions[after[node]]) for node in both if before[node] != after[node]]
        history.append(Step(codebook, len(after), added, gone, changed))
        before = after
    return history[::-1]


@dataclass(frozen=True)
class NamedRule:
    """A rule across axes with the names that its nodes have in a codebook."""

    rule: CrossRule
    when: str
    others: Sequence[str]


def rule_of(*, member: Member, pk: int) -> CrossRule:
    """A rule across axes of the member's project. Raises CrossRule.DoesNotExist."""
    return CrossRule.objects.get(pk=pk, project=member.project_id)


def rules(*, codebook: Codebook, retired: bool = False) -> list[NamedRule]:
    """The rules across axes that are in force, or the retired ones; three statements."""
    entries = CodebookNode.objects.filter(codebook=codebook).values_list("node", "version__axis__name", "version__name")
    names = {node: f"{axis}: {name}" for node, axis, name in entries}
    rows = CrossRule.objects.filter(project=codebook.project_id, retired_at__isnull=not retired)
    named = []
    for rule in rows.select_related("when").prefetch_related("others"):
        others = sorted(names.get(node.pk, node.code) for node in rule.others.all())
        named.append(NamedRule(rule, names.get(rule.when_id, rule.when.code), others))
    return named
