"""Changing one node of the house codebook by hand: its words, its retirement, its merging into another.

The codebook's file is loaded by `codebook`; it has the last word whenever it is loaded again.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from kb.models import Label, Node
from kb.services.cause_links import follow_labels
from kb.services.labels import refresh_label_terms

SEARCHED = {"name", "aliases"}


class NodeChangeRefusedError(ValueError):
    """A change that would leave the codebook or its labels in disorder; the message says why."""


@transaction.atomic
def edit_node(*, node: Node, values: Mapping[str, Any]) -> None:
    """Change a house node's words; issues that carry it, or something below it, are found by the new ones."""
    _require_house(node)
    for name, value in values.items():
        setattr(node, name, value)
    node.save(update_fields=list(values))
    if SEARCHED & values.keys():
        here_or_below = Q(node=node) | Q(node__parent=node) | Q(node__parent__parent=node)
        carrying = Label.objects.filter(here_or_below).values_list("issue", flat=True)
        refresh_label_terms(issue_ids=set(carrying))


@transaction.atomic
def retire_node(*, node: Node) -> None:
    """Take a node out of use. Refused while issues carry it or active nodes stand below it; suggestions of it go."""
    _require_closable(node)
    if labels := Label.objects.by_people().filter(node=node).count():
        raise NodeChangeRefusedError(f"“{node}” is still carried by {labels} labels: merge it into another instead.")
    Label.objects.filter(node=node).delete()
    Node.objects.filter(pk=node.pk).update(status=Node.Status.RETIRED)


@transaction.atomic
def merge_node(*, node: Node, into: Node) -> int:
    """Move all labels of a node to another of the same axis and leave a pointer. Returns how many labels moved.

    Where a source had put both on an issue, its label on `into` stays as it is.
    """
    _require_closable(node)
    if into.axis_id != node.axis_id or into.status != Node.Status.ACTIVE or into.pk == node.pk:
        raise NodeChangeRefusedError(f"“{node}” can only be merged into another active node of its own axis.")
    labels = Label.objects.filter(node=node)
    touched = set(labels.values_list("issue", flat=True))
    twin = Label.objects.filter(node=into, issue=OuterRef("issue"), source=OuterRef("source"))
    labels.filter(Exists(twin)).delete()
    moved = labels.update(node=into)
    Node.objects.filter(pk=node.pk).update(status=Node.Status.MERGED, merged_into=into)
    refresh_label_terms(issue_ids=touched)
    follow_labels()
    return moved


def _require_house(node: Node) -> None:
    if not node.axis.scheme.is_house:
        raise NodeChangeRefusedError(f"“{node}” is a study's category: those stay as they were published.")


def _require_closable(node: Node) -> None:
    _require_house(node)
    if node.status != Node.Status.ACTIVE:
        raise NodeChangeRefusedError(f"“{node}” is no longer in use.")
    if below := node.children.filter(status=Node.Status.ACTIVE).count():
        raise NodeChangeRefusedError(f"“{node}” still has {below} active nodes below it: close those first.")
