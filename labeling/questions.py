"""A question of a project's own, before it is an axis: its kind, its answers, and what is wrong with it. Pure.

How a file holds it: `question_files`. How it becomes an axis: `services.codebooks`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

from labeling.wordings import Wording

Kind = Literal["one", "several", "scale", "number", "text", "codes"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WITH_NODES: tuple[Kind, ...] = ("one", "several", "scale")
AXIS_CODE = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}", re.ASCII)
NODE_CODE = re.compile(r"[\w.*-]{1,64}")
# What the ballot page and files call other things.
TAKEN_CODES = ("confidence", "none", "note", "evidence")
MOST_NAME, MOST_NODE_NAME, MOST_NODES, MOST_QUESTIONS, MOST_STEPS = 60, 160, 300, 30, 11
MOST_DEPTH = 3


@dataclass(frozen=True)
class PlannedNode:
    """An answer to choose, and the code of the one above it, if there is one."""

    wording: Wording
    parent: str = ""


@dataclass(frozen=True)
class Question:
    """A question with what may be answered; the steps of a scale are in order, the lowest first."""

    code: str
    name: str
    question: str
    kind: Kind
    nodes: tuple[PlannedNode, ...] = ()


def is_kind(text: str) -> TypeGuard[Kind]:
    """Whether a text names a kind of question."""
    return text in KINDS


def fault(question: Question) -> str:
    """What is wrong with a question, and what to do about it; empty where nothing is."""
    if not question.name.strip() or len(question.name) > MOST_NAME:
        return f"A question needs a name of at most {MOST_NAME} characters."
    called = f"“{question.name}”"
    if not AXIS_CODE.fullmatch(question.code):
        return (
            f"{called} needs a code of at most 30 small letters, digits, “-” and “_”; this is “{question.code[:40]}”."
        )
    if question.code in TAKEN_CODES:
        return f"{called}: the code “{question.code}” means something else here. Choose another."
    if question.kind not in WITH_NODES:
        return f"{called}: numbers, free text and open codes have no answers to choose from." if question.nodes else ""
    if not 2 <= len(question.nodes) <= MOST_NODES:
        return f"{called} needs 2 to {MOST_NODES} answers to choose from; it has {len(question.nodes)}."
    if question.kind == "scale":
        if len(question.nodes) > MOST_STEPS:
            return f"{called}: a scale has at most {MOST_STEPS} steps; this one has {len(question.nodes)}."
        if any(node.parent for node in question.nodes):
            return f"{called}: the steps of a scale are in order, none below another."
    return _nodes_fault(called, question.nodes)


def _nodes_fault(called: str, nodes: Sequence[PlannedNode]) -> str:
    depths: dict[str, int] = {}
    for node in nodes:
        code, name = node.wording.code, node.wording.name
        if not NODE_CODE.fullmatch(code):
            return f"{called}: “{name[:40]}” needs a code of at most 64 letters, digits, “.”, “*”, “-” and “_”."
        if not name.strip() or len(name) > MOST_NODE_NAME:
            return f"{called}: the answer “{code}” needs a name of at most {MOST_NODE_NAME} characters."
        if code in depths:
            return f"{called}: the code “{code}” stands for two answers. Each needs its own."
        if node.parent and node.parent not in depths:
            return f"{called}: “{code}” is below “{node.parent}”, which does not stand before it."
        depths[code] = depths.get(node.parent, 0) + 1
        if depths[code] > MOST_DEPTH:
            return f"{called}: “{code}” is nested deeper than {MOST_DEPTH} levels."
    return ""


def faults(questions: Sequence[Question], taken: Sequence[str] = ()) -> str:
    """The first fault of these questions together; `taken`: the codes of axes that are there already."""
    codes = set(taken)
    for question in questions:
        if wrong := fault(question):
            return wrong
        if question.code in codes:
            return f"“{question.name}”: there is a question with the code “{question.code}” already."
        codes.add(question.code)
    if sum(question.kind == "codes" for question in questions) > 1:
        return "A project has one question for open codes."
    if len(codes) > MOST_QUESTIONS:
        return f"A project asks at most {MOST_QUESTIONS} questions."
    return ""
