"""New categories on their way into the house codebook: a publication asks, a curator decides."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from kb.models import Axis, Node
from kb.services.consensus import vote_in_node
from labeling.models import CategoryRequest, ProjectNode
from labeling.refusals import RefusedError
from labeling.rights import Right, require_right
from labeling.selectors.targets import Target, targets

WORDS = ("name", "definition", "include", "exclude", "examples", "aliases")


def request_categories(*, needed: Collection[int]) -> None:
    """Ask curators about these project nodes; an earlier request for one of them stands."""
    CategoryRequest.objects.bulk_create([CategoryRequest(node_id=pk) for pk in needed], ignore_conflicts=True)


@transaction.atomic
def accept_category(*, by: User, request: CategoryRequest) -> Node:
    """Take a category into the house codebook, and those above it that are not there yet.

    The answers that name it are published when the project publishes again.
    """
    require_right(by, Right.OVERSEE)
    locked = _locked(request)
    # Of two curators who accept the same code at once, the second finds the node that the first created.
    Axis.objects.select_for_update().get(pk=_house_axis(locked.node).pk)
    return _vote_in(by, locked.node, targets(project_id=locked.node.axis.project_id))


@transaction.atomic
def refuse_category(*, by: User, request: CategoryRequest, reason: str) -> None:
    """Keep a category out of the house codebook; the project reads why."""
    require_right(by, Right.OVERSEE)
    if not reason.strip():
        raise RefusedError("Say why, so that the project can do better.")
    locked = _locked(request)
    _decide(locked.node, by, CategoryRequest.State.REFUSED, reason.strip())


def _locked(request: CategoryRequest) -> CategoryRequest:
    """The request, locked. Raises RefusedError where a curator has decided on it."""
    requests = CategoryRequest.objects.select_for_update(of=("self",)).select_related("node__axis__project")
    locked = requests.filter(pk=request.pk, state=CategoryRequest.State.WAITING).first()
    if locked is None:
        raise RefusedError("This category has already been decided.")
    return locked


def _vote_in(by: User, project_node: ProjectNode, all_targets: dict[int, Target]) -> Node:
    """Create the house node for a project node unless there is one by now, its ancestors first."""
    target = all_targets[project_node.pk]
    node = target.node
    if node is None:
        if target.version is None:
            raise RefusedError(target.blocked)
        parent, project_parent = None, target.version.parent
        if project_parent is not None:
            parent = all_targets[project_parent.pk].node or _vote_in(by, project_parent, all_targets)
        node = project_node.node = vote_in_node(
            axis=_house_axis(project_node), code=project_node.code, parent=parent,
            project=project_node.axis.project.name,
            values={name: getattr(target.version, name) for name in WORDS},
        )  # fmt: skip
        project_node.save(update_fields=["node"])
    _decide(project_node, by, CategoryRequest.State.ACCEPTED, "")
    return node


def _house_axis(project_node: ProjectNode) -> Axis:
    """The house axis of a node. Raises RefusedError for a node on an axis of the project's own."""
    axis = project_node.axis.axis
    if axis is None:
        raise RefusedError("This category answers a question of the project's own, which the house does not ask.")
    return axis


def _decide(node: ProjectNode, by: User, state: CategoryRequest.State, reason: str) -> None:
    values = {"state": state, "reason": reason, "decided_by": by, "decided_at": timezone.now()}
    CategoryRequest.objects.update_or_create(node=node, defaults=values)
