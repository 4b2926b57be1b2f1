"""Writing studies, schemes, axes, nodes, crosswalks and playbooks. The files are read by `kb.codebook`."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from kb.models import MAX_DEPTH, Axis, Crosswalk, Label, Node, Playbook, Scheme, Study
from kb.services.rows import Changes, FieldValues, replace_rows, sync_rows


class NodeStillLabelledError(ValueError):
    """A node is to be retired while issues still carry it."""


@dataclass(frozen=True)
class NodeSpec:
    """A node of a file: its code, its parent's code, and the values of its other fields."""

    code: str
    parent: str | None
    values: FieldValues
    merged_into: str | None = None
    is_retired: bool = False


@dataclass(frozen=True)
class CrosswalkSpec:
    """A relation of a file, between existing nodes."""

    from_node: Node
    to_node: Node
    relation: str
    note: str


def save_study(*, slug: str, values: FieldValues) -> tuple[Study, Changes]:
    """Create or update a study."""
    sync = sync_rows(
        existing=Study.objects.filter(slug=slug),
        key=lambda study: study.slug,
        wanted={slug: values},
        create=lambda fields: Study(slug=slug, **fields),
    )
    return sync.rows[slug], sync.changes


@transaction.atomic
def save_overlaps(*, overlaps: Mapping[str, Collection[str]]) -> None:
    """Make the overlaps of all studies exactly these (by slug); an overlap goes both ways."""
    symmetric: defaultdict[str, set[str]] = defaultdict(set)
    for slug, others in overlaps.items():
        symmetric[slug].update(others)
        for other in others:
            symmetric[other].add(slug)
    studies = {study.slug: study for study in Study.objects.all()}
    for slug, study in studies.items():
        study.overlaps.set(studies[other] for other in symmetric[slug])


def save_scheme(*, slug: str, name: str, version: str, study: Study | None) -> Scheme:
    """Create or update a scheme."""
    scheme, _ = Scheme.objects.update_or_create(slug=slug, defaults={"name": name, "version": version, "study": study})
    return scheme


def save_axis(*, scheme: Scheme, code: str, values: FieldValues) -> Axis:
    """Create or update an axis of a scheme."""
    axis, _ = Axis.objects.update_or_create(scheme=scheme, code=code, defaults=dict(values))
    return axis


@transaction.atomic
def save_nodes(*, axis: Axis, specs: Sequence[NodeSpec]) -> Changes:
    """Make the axis hold exactly these nodes; one that is retired or not among them is closed, never deleted.

    Nodes that a labeling project voted in stay while no spec names them. Raises `NodeStillLabelledError` when a node
    to retire or to merge still carries labels of people; suggestions of rules are deleted with it.
    """
    changes = Changes()
    rows: dict[str, Node] = {}
    remaining = list(specs)
    for _level in range(MAX_DEPTH):
        wanted: dict[str, FieldValues] = {}
        for spec in remaining:
            if spec.parent is None:
                wanted[spec.code] = {**spec.values, "parent_id": None}
            elif spec.parent in rows:
                wanted[spec.code] = {**spec.values, "parent_id": rows[spec.parent].pk}
        sync = sync_rows(
            existing=axis.nodes.filter(code__in=wanted),
            key=lambda node: node.code,
            wanted=wanted,
            create=lambda fields: Node(axis=axis, **fields),
        )
        rows |= sync.rows
        changes += sync.changes
        remaining = [spec for spec in remaining if spec.code not in rows]
    if remaining:
        raise ValueError(f"{axis}: {remaining[0].code} is deeper than {MAX_DEPTH} levels")
    return changes + _close_nodes(axis=axis, specs=specs, rows=rows)


def _close_nodes(*, axis: Axis, specs: Sequence[NodeSpec], rows: Mapping[str, Node]) -> Changes:
    """Retire the nodes that the file retires or no longer has, and merge those that name a successor."""
    targets = {spec.code: rows[spec.merged_into] for spec in specs if spec.merged_into}
    open_codes = [spec.code for spec in specs if not spec.is_retired]
    from_files = axis.nodes.filter(Q(voted_in_by="") | Q(code__in=[spec.code for spec in specs]))
    closing = list(from_files.exclude(code__in=open_codes).exclude(status=Node.Status.RETIRED))
    closing += [rows[code] for code, target in targets.items() if rows[code].merged_into_id != target.pk]
    labelled = Label.objects.by_people().filter(node__in=closing).values_list("node__code", flat=True).distinct()
    if labelled:
        raise NodeStillLabelledError(f"{axis}: still carries labels, move them first: {', '.join(sorted(labelled))}")
    Label.objects.filter(node__in=closing).delete()
    for node in closing:
        node.merged_into = targets.get(node.code)
        node.status = Node.Status.MERGED if node.code in targets else Node.Status.RETIRED
        node.save(update_fields=["status", "merged_into"])
    return Changes(changed=len(closing))


@transaction.atomic
def save_crosswalks(*, scheme: Scheme, specs: Sequence[CrosswalkSpec]) -> Changes:
    """Make the relations that leave `scheme` exactly these."""
    wanted: dict[tuple[int, int], FieldValues] = {}
    for spec in specs:
        pair = (spec.from_node.pk, spec.to_node.pk)
        ends = {"from_node_id": pair[0], "to_node_id": pair[1]}
        wanted[pair] = {**ends, "relation": spec.relation, "note": spec.note}
    return replace_rows(
        existing=Crosswalk.objects.filter(from_node__axis__scheme=scheme),
        key=lambda row: (row.from_node_id, row.to_node_id),
        wanted=wanted,
        create=lambda fields: Crosswalk(**fields),
    )


def save_playbooks(*, wanted: Mapping[Node, FieldValues]) -> Changes:
    """Create or update the playbooks of these fix-pattern nodes."""
    sync = sync_rows(
        existing=Playbook.objects.filter(node__in=wanted),
        key=lambda playbook: playbook.node_id,
        wanted={node.pk: {**values, "node_id": node.pk} for node, values in wanted.items()},
        create=lambda fields: Playbook(**fields),
    )
    return sync.changes


def remove_playbooks(*, scheme: Scheme, keep: Collection[str]) -> Changes:
    """Remove the scheme's playbooks except those of the nodes with these codes; the history stays."""
    others = Playbook.objects.filter(node__axis__scheme=scheme).exclude(node__code__in=keep)
    return Changes(removed=others.delete()[0])
