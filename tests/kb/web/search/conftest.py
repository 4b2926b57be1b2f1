"""The issues that a search finds."""

import pytest

from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
)


@pytest.fixture
def hangs() -> None:
    """Three hangs, two of them in DeepSpeed, one with a cause and a fix."""
    hang = make_node("hang", name="Hang", aliases=["stuck"])
    race = make_node("race", axis=make_axis("root_cause"), name="Race")
    guard = make_node("guard", axis=make_axis("fix_pattern"), name="Add a guard")
    vllm = make_repository("vllm-project/vllm", "vllm")
    first = make_issue(1, heading="Training hangs in ZeRO-3", summary="All ranks wait for ever.", state="closed")
    second = make_issue(2, title="Hangs at the first step", body="The job hangs after the banner.", state="open")
    third = make_issue(3, repository=vllm, title="Server hangs under load")
    for issue in (first, second, third):
        make_label(issue, hang)
    make_label(first, race)
    make_label(first, guard)
    first.fixes.add(make_fix(4, additions=3, deletions=2))
