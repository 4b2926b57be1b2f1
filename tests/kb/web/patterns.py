"""A fix pattern with a finer one, their playbooks, and fixes of theirs; how pages of them are read."""

from typing import Any

from django.test import Client

from kb.models import Fix, Node, Playbook
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node


def make_pattern() -> Node:
    """Coordinate, with one finer pattern and a playbook each."""
    axis = make_axis("fix_pattern")
    top = make_node("coordination", axis=axis, name="Make ranks agree", position=0)
    finer = make_node("barrier", axis=axis, parent=top, name="Add a barrier", position=1)
    for node in (top, finer):
        Playbook.objects.create(
            node=node, applies_when=f"When {node.code}.", steps=["Look at `rank 0`.", "Then act."], caveats=["Beware."]
        )
    return top


def fixed(node: Node, *, additions: int | None = None, **fields: Any) -> Fix:
    """A fix of an issue that carries the pattern."""
    fix = make_fix(additions=additions, deletions=None if additions is None else 0, **fields)
    issue = make_issue(heading=f"Heading {fix.pk}.")
    make_label(issue, node)
    issue.fixes.add(fix)
    return fix


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return evened(response)


def evened(response: Any) -> str:
    return " ".join(response.content.decode().split())
