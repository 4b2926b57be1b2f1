"""The versions of a project's codebook: what each changed, and one of them as a tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from labeling.models import Codebook, CodebookNode, CrossRule, Member, NodeVersion, ProjectAxis
from labeling.selectors.codebooks import axes_of


@dataclass
class Branch:
    """A node's version with what stands below it."""

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
    """A codebook and what is different in it from the one before."""

    codebook: Codebook
    nodes: int
    added: Sequence[NodeVersion]
    gone: Sequence[NodeVersion]
    changed: Sequence[tuple[NodeVersion, NodeVersion]]


def find(*, project_id: int, number: int | None = None) -> Codebook | None:
    """A codebook by its number, else the newest."""
    codebooks = Codebook.objects.filter(project=project_id).order_by("-number")
    return codebooks.filter(number=number).first() if number is not None else codebooks.first()


def trees(*, codebook: Codebook) -> list[AxisTree]:
    """The codebook's axes as trees; two statements."""
    found = []
    for one in axes_of(codebook=codebook):
        branches = {version.node_id: Branch(version) for version in one.versions}
        roots: list[Branch] = []
        for branch in branches.values():
            above = branches.get(branch.version.parent_id or 0)
            (above.children if above else roots).append(branch)
        found.append(AxisTree(one.axis, roots, len(branches)))
    return found


def steps(*, project_id: int) -> list[Step]:
    """All codebooks of a project, the newest first, with what each changed; three statements."""
    codebooks = list(Codebook.objects.filter(project=project_id).order_by("number"))
    contents: dict[int, dict[int, int]] = {one.pk: {} for one in codebooks}
    entries = CodebookNode.objects.filter(codebook__in=codebooks).order_by(
        "version__axis__position", "version__position"
    )
    for codebook, node, version in entries.values_list("codebook_id", "node_id", "version_id"):
        contents[codebook][node] = version
    pairs: list[tuple[Codebook | None, Codebook]] = list(zip([None, *codebooks], codebooks, strict=False))
    differing = {
        pk
        for before, after in pairs
        if before
        for pk in set(contents[before.pk].values()) ^ set(contents[after.pk].values())
    }
    versions = NodeVersion.objects.select_related("node", "axis").in_bulk(differing)
    return [
        _step(after, contents[before.pk] if before else contents[after.pk], contents[after.pk], versions)
        for before, after in reversed(pairs)
    ]


def _step(codebook: Codebook, before: dict[int, int], after: dict[int, int], versions: dict[int, NodeVersion]) -> Step:
    return Step(
        codebook=codebook,
        nodes=len(after),
        added=[versions[after[node]] for node in after if node not in before],
        gone=[versions[before[node]] for node in before if node not in after],
        changed=[
            (versions[before[node]], versions[after[node]])
            for node in after
            if node in before and before[node] != after[node]
        ],
    )


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
    """The rules across axes in force, or those that are not any more; three statements."""
    entries = CodebookNode.objects.filter(codebook=codebook).values_list("node", "version__axis__name", "version__name")
    names = {node: f"{axis}: {name}" for node, axis, name in entries}
    found = CrossRule.objects.filter(project=codebook.project_id, retired_at__isnull=not retired)
    return [
        NamedRule(
            rule=rule,
            when=names.get(rule.when_id, rule.when.code),
            others=sorted(names.get(node.pk, node.code) for node in rule.others.all()),
        )
        for rule in found.select_related("when").prefetch_related("others")
    ]
