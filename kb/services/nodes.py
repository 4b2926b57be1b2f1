"""Editing, retiring and merging single nodes of the house codebook. Loading the codebook's file overrules the edits."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from kb.models import Label, Node
from kb.services.cause_links import follow_labels
from kb.services.labels import refresh_label_terms
from kb.services.rows import FieldValues

SEARCHED = {"name", "aliases"}


class NodeChangeRefusedError(ValueError):
    """The change would make the codebook or its labels inconsistent; the message says how."""


@transaction.atomic
def edit_node(*, node: Node, values: FieldValues) -> None:
    """Change a house node's texts, and the search terms of the issues that carry it or a node below it."""
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
    """Retire a node and delete its suggestions. Raises `NodeChangeRefusedError` for labels or active nodes below it."""
    _require_closable(node)
    labels = Label.objects.by_people().filter(node=node).count()
    if labels:
        raise NodeChangeRefusedError(f"“{node}” is still carried by {labels} labels: merge it into another instead.")
    Label.objects.filter(node=node).delete()
    Node.objects.filter(pk=node.pk).update(status=Node.Status.RETIRED)


@transaction.atomic
def merge_node(*, node: Node, into: Node) -> int:
    """Move all labels of a node to its successor on the same axis. Returns how many labels moved.

    Where a source has both labels on an issue, the one on `into` stays as it is.
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
    below = node.children.filter(status=Node.Status.ACTIVE).count()
    if below:
        raise NodeChangeRefusedError(f"“{node}” still has {below} active nodes below it: close those first.")
