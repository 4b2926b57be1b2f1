"""A small knowledge base of versions, and set-ups as people hand them over."""

from pathlib import Path
from typing import Any

from kb.models import AffectedRange, Issue
from tests.support.factories import make_issue, make_label, make_node

FREEZE = "accelerate==1.2.0\ndeepspeed==0.14.2\nnumpy==1.26.4\npeft==0.14.0\ntorch==2.6.0\ntransformers==4.48.0\n"
ZERO_3 = '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}\n'
ZERO_2 = ZERO_3.replace("3", "2")
PULL = "https://github.com/deepspeedai/DeepSpeed/pull/8073"


def make_fault(condition: str = "zero_stage == 3", **fields: Any) -> Issue:
    """A described fault of DeepSpeed from 0.14.0 up to 0.15.1."""
    texts = {
        "heading": "Gradients are wrong with ZeRO-3",
        "summary": "Wrong gradients.",
        "workaround": "Set `overlap_comm=False`.",
    }
    issue = make_issue(affects_when=condition, **texts | fields)
    AffectedRange.objects.create(
        issue=issue, origin="record", package="deepspeed", introduced="0.14.0", introduced_by="git", fixed="0.15.1",
        fixed_by="git", fixed_evidence=PULL,
    )  # fmt: skip
    return issue


def make_silent(issue: Issue) -> None:
    """The fault gives a wrong result."""
    make_label(issue, make_node("wrong-result"))


def write(folder: Path, texts: dict[str, str]) -> Path:
    """Files with these texts in the folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
