"""What curators withdrew from public and allowed again, and what axes and categories in scopes are called."""

from collections.abc import Collection
from dataclasses import dataclass

from kb.models import Axis, Node
from labeling.models import StaffAction
from labeling.scopes import Action, answered_by, withdrawal


@dataclass(frozen=True)
class Withdrawn:
    """An axis or category that curators keep out of public, or everything where `key` is empty; and why."""

    key: str
    name: str
    reason: str


def names_of_scope(scopes: Collection[Collection[str]]) -> dict[str, str]:
    """What axes and categories in scopes are called in the house codebook; two statements."""
    codes = {entry.partition("/")[0] for scope in scopes for entry in scope}
    axes = {axis.pk: axis for axis in Axis.objects.filter(code__in=codes, scheme__study=None)}
    names = {axis.code: axis.name for axis in axes.values()}
    for axis, code, name in Node.objects.filter(axis__in=axes).values_list("axis", "code", "name"):
        names[f"{axes[axis].code}/{code}"] = f"{axes[axis].name}: {name}"
    return names


def publication_actions(*, project_id: int) -> list[Action]:
    """What curators withdrew of the project's publication and allowed again, the oldest first."""
    kinds = (StaffAction.Kind.WITHDRAW, StaffAction.Kind.ALLOW)
    rows = StaffAction.objects.filter(project=project_id, kind__in=kinds).order_by("created_at", "pk")
    return [Action(row.kind == StaffAction.Kind.WITHDRAW, tuple(row.scope), row.reason) for row in rows]


def withdrawn_of(*, project_id: int) -> list[Withdrawn]:
    """What curators withdrew and have not allowed again, each with what can be allowed of it."""
    actions = publication_actions(project_id=project_id)
    names = names_of_scope([action.scope for action in actions])
    found = {}
    for action in actions:
        for entry in action.scope or ("",):
            stands = withdrawal(actions, answered_by(entry))
            if stands is not None:
                found[entry] = Withdrawn(entry, names.get(entry, entry) or "Everything", stands.reason)
    return list(found.values())
