"""Writing schemes: studies, axes, nodes, crosswalks and playbooks. Reading the files is `kb.codebook`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from kb.models import MAX_DEPTH, Axis, Crosswalk, Label, Node, Playbook, Scheme, Study
from kb.services.rows import Changes, sync_rows


class NodeStillLabelledError(ValueError):
    """A node is to be retired while issues still carry it."""


@dataclass(frozen=True)
class NodeSpec:
    """A node as a file wants it: its code, its parent's code, and its other fields' values."""

    code: str
    parent: str | None
    values: Mapping[str, Any]
    merged_into: str | None = None
    is_retired: bool = False


@dataclass(frozen=True)
class CrosswalkSpec:
    """A relation as a file wants it, between nodes that exist."""

    from_node: Node
    to_node: Node
    relation: str
    note: str


def save_study(*, slug: str, values: Mapping[str, Any]) -> tuple[Study, Changes]:
    """Create or update a study."""
    sync = sync_rows(
        existing=Study.objects.filter(slug=slug),
        key=lambda study: study.slug,
        wanted={slug: dict(values)},
        create=lambda fields: Study(slug=slug, **fields),
    )
    return sync.rows[slug], sync.changes


@transaction.atomic
def save_overlaps(*, pairs: Collection[tuple[str, str]]) -> None:
    """Make the overlaps of all studies (by slug) exactly these; an overlap goes both ways."""
    studies = {study.slug: study for study in Study.objects.all()}
    both = {*pairs, *((b, a) for a, b in pairs)}
    for slug, study in studies.items():
        study.overlaps.set(studies[other] for one, other in both if one == slug)


def save_scheme(*, slug: str, name: str, version: str, study: Study | None) -> Scheme:
    """Create or update a scheme."""
    scheme, _ = Scheme.objects.update_or_create(slug=slug, defaults={"name": name, "version": version, "study": study})
    return scheme


def save_axis(*, scheme: Scheme, code: str, values: Mapping[str, Any]) -> Axis:
    """Create or update an axis of a scheme."""
    axis, _ = Axis.objects.update_or_create(scheme=scheme, code=code, defaults=dict(values))
    return axis


@transaction.atomic
def save_nodes(*, axis: Axis, specs: Sequence[NodeSpec]) -> Changes:
    """Make the axis hold exactly these nodes; one that is retired or not among them is closed, never deleted.

    What a labeling project voted in stays while the file does not know it.
    Raises `NodeStillLabelledError` when a node to retire or merge away still carries labels of people; what rules
    suggested goes with it.
    """
    changes = Changes()
    rows: dict[Any, Node] = {}
    remaining = list(specs)
    for _level in range(MAX_DEPTH):
        ready = [spec for spec in remaining if spec.parent is None or spec.parent in rows]
        sync = sync_rows(
            existing=axis.nodes.filter(code__in=[spec.code for spec in ready]),
            key=lambda node: node.code,
            wanted={spec.code: {**spec.values, "parent_id": _parent_id(spec, rows)} for spec in ready},
            create=lambda fields: Node(axis=axis, **fields),
        )
        rows |= sync.rows
        changes += sync.changes
        remaining = [spec for spec in remaining if spec.code not in rows]
    if remaining:
        raise ValueError(f"{axis}: {remaining[0].code} is deeper than {MAX_DEPTH} levels")
    return changes + _close_nodes(axis=axis, specs=specs, rows=rows)


def _parent_id(spec: NodeSpec, rows: Mapping[Any, Node]) -> int | None:
    return rows[spec.parent].pk if spec.parent else None


def _close_nodes(*, axis: Axis, specs: Sequence[NodeSpec], rows: Mapping[Any, Node]) -> Changes:
    """Retire the nodes that the file retires or names no more, and merge those that name a successor."""
    targets = {spec.code: rows[spec.merged_into] for spec in specs if spec.merged_into}
    kept = [spec.code for spec in specs if not spec.is_retired]
    ours = axis.nodes.filter(Q(voted_in_by="") | Q(code__in=[spec.code for spec in specs]))
    gone = ours.exclude(code__in=kept).exclude(status=Node.Status.RETIRED)
    closing = [*gone, *(rows[code] for code in targets if rows[code].merged_into_id != targets[code].pk)]
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
    wanted = {(s.from_node.pk, s.to_node.pk): {"relation": s.relation, "note": s.note} for s in specs}
    existing = Crosswalk.objects.filter(from_node__axis__scheme=scheme)
    stale = [row.pk for row in existing if (row.from_node_id, row.to_node_id) not in wanted]
    Crosswalk.objects.filter(pk__in=stale).delete()
    sync = sync_rows(
        existing=[row for row in existing if row.pk not in set(stale)],
        key=lambda row: (row.from_node_id, row.to_node_id),
        wanted={pair: {**values, "from_node_id": pair[0], "to_node_id": pair[1]} for pair, values in wanted.items()},
        create=lambda fields: Crosswalk(**fields),
    )
    return sync.changes + Changes(removed=len(stale))


def save_playbooks(*, wanted: Mapping[Node, Mapping[str, Any]]) -> Changes:
    """Create or update the playbooks of these fix-pattern nodes."""
    sync = sync_rows(
        existing=Playbook.objects.filter(node__in=wanted),
        key=lambda playbook: playbook.node_id,
        wanted={node.pk: {**values, "node_id": node.pk} for node, values in wanted.items()},
        create=lambda fields: Playbook(**fields),
    )
    return sync.changes


def remove_playbooks(*, scheme: Scheme, keep: Collection[str]) -> Changes:
    """Remove the scheme's playbooks but those of the nodes with these codes; their history stays."""
    gone = Playbook.objects.filter(node__axis__scheme=scheme).exclude(node__code__in=keep)
    return Changes(removed=gone.delete()[0])
