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
    """Ask curators about these project nodes; what was asked before is not asked again."""
    CategoryRequest.objects.bulk_create([CategoryRequest(node_id=pk) for pk in needed], ignore_conflicts=True)


@transaction.atomic
def accept_category(*, by: User, request: CategoryRequest) -> Node:
    """Take a category into the house codebook, and those above it that are not there yet.

    The answers that name it are published when the project publishes again.
    """
    require_right(by, Right.OVERSEE)
    locked = _undecided(request)
    # Of two curators who accept the same code at once, the second finds what the first put there.
    Axis.objects.select_for_update().get(pk=locked.node.axis.axis_id)
    return _vote_in(by, locked.node, targets(project_id=locked.node.axis.project_id))


@transaction.atomic
def refuse_category(*, by: User, request: CategoryRequest, reason: str) -> None:
    """Keep a category out of the house codebook; the project reads why."""
    require_right(by, Right.OVERSEE)
    if not reason.strip():
        raise RefusedError("Say why, so that the project can do better.")
    locked = _undecided(request)
    _decide(locked.node, by, CategoryRequest.State.REFUSED, reason.strip())


def _undecided(request: CategoryRequest) -> CategoryRequest:
    waiting = CategoryRequest.objects.select_for_update(of=("self",)).select_related("node__axis__project")
    found = waiting.filter(pk=request.pk, state=CategoryRequest.State.WAITING).first()
    if found is None:
        raise RefusedError("This category was decided on already.")
    return found


def _vote_in(by: User, row: ProjectNode, known: dict[int, Target]) -> Node:
    """Put a project node into the house codebook unless it is there by now, its parents before it."""
    target = known[row.pk]
    node = target.node
    if node is None:
        if target.version is None:
            raise RefusedError(target.blocked)
        parent, above = None, target.version.parent
        if above is not None:
            parent = known[above.pk].node or _vote_in(by, above, known)
        node = row.node = vote_in_node(
            axis=row.axis.axis, code=row.code, parent=parent, project=row.axis.project.name,
            values={name: getattr(target.version, name) for name in WORDS},
        )  # fmt: skip
        row.save(update_fields=["node"])
    _decide(row, by, CategoryRequest.State.ACCEPTED, "")
    return node


def _decide(row: ProjectNode, by: User, state: CategoryRequest.State, reason: str) -> None:
    values = {"state": state, "reason": reason, "decided_by": by, "decided_at": timezone.now()}
    CategoryRequest.objects.update_or_create(node=row, defaults=values)
