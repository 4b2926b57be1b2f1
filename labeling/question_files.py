"""Questions of a project's own as a YAML file: reading one, with the line of whatever is wrong, and writing one. Pure.

questions:
  - code: noticed
    name: Who noticed it
    question: Who saw the fault first?
    kind: one                # or several, scale, number, text, codes
    answers:                 # the steps of a scale begin with the lowest
      - code: user
        name: User
        definition: Whoever ran it.
"""

from collections.abc import Sequence
from typing import Any

import yaml

from labeling.questions import KINDS, MOST_QUESTIONS, PlannedNode, Question, fault, is_kind
from labeling.wordings import Wording

MOST_BYTES = 1_000_000
QUESTION_KEYS = ("code", "name", "question", "kind", "answers")
LISTS = ("include", "exclude", "examples", "aliases")
ANSWER_KEYS = ("code", "name", "definition", "parent", *LISTS)


class FileError(Exception):
    """A file that holds no questions; the message says where and what to do."""


def read_questions(content: bytes) -> tuple[Question, ...]:
    """The questions in a file. Raises FileError for the first thing that is wrong, with its line."""
    if len(content) > MOST_BYTES:
        raise FileError(f"A file of questions has at most {MOST_BYTES // 1_000_000} MB.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError("The file is not UTF-8. Save it as UTF-8 and try again.") from error
    try:
        _refuse_anchors(text)
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise FileError(f"Line {line}: this is not YAML: {error.problem}.") from error
    except yaml.YAMLError as error:
        raise FileError(f"This is not YAML: {error}.") from error
    if root is None:
        raise FileError("The file is empty.")
    top = _mapping(root, ("questions",), "the file")
    if "questions" not in top:
        raise _error(root, "the file needs the key “questions”, with a list")
    nodes = _sequence(top["questions"], "questions")
    if not 1 <= len(nodes) <= MOST_QUESTIONS:
        raise _error(top["questions"], f"a file holds 1 to {MOST_QUESTIONS} questions; this one has {len(nodes)}")
    lines: dict[str, int] = {}
    questions = []
    for node in nodes:
        question = _question(node)
        if question.code in lines:
            raise _error(node, f"the code “{question.code}” stands on line {lines[question.code]} already")
        lines[question.code] = _line(node)
        questions.append(question)
    return tuple(questions)


def write_questions(questions: Sequence[Question]) -> str:
    """The questions as a file that `read_questions` reads back."""
    rows = []
    for question in questions:
        row: dict[str, Any] = {"code": question.code, "name": question.name}
        if question.question:
            row["question"] = question.question
        row["kind"] = str(question.kind)
        if question.nodes:
            row["answers"] = [_answer_row(node) for node in question.nodes]
        rows.append(row)
    return str(yaml.safe_dump({"questions": rows}, allow_unicode=True, sort_keys=False, width=100))


def _answer_row(node: PlannedNode) -> dict[str, Any]:
    wording = node.wording
    row: dict[str, Any] = {"code": wording.code, "name": wording.name}
    if wording.definition:
        row["definition"] = wording.definition
    if node.parent:
        row["parent"] = node.parent
    for key in LISTS:
        if getattr(wording, key):
            row[key] = list(getattr(wording, key))
    return row


def _refuse_anchors(text: str) -> None:
    """Raises FileError for an alias: a few lines of them can stand for millions."""
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise FileError(f"Line {line}: write it out; “*{event.anchor}” is not read here.")


def _question(node: yaml.Node) -> Question:
    values = _mapping(node, QUESTION_KEYS, "a question")
    for key in ("code", "name", "kind"):
        if key not in values:
            raise _error(node, f"the question has no “{key}”")
    kind = _text(values["kind"])
    if not is_kind(kind):
        raise _error(values["kind"], f"the kind “{kind[:40]}” is none of {', '.join(KINDS)}")
    answers = _sequence(values["answers"], "answers") if "answers" in values else []
    question = Question(
        code=_text(values["code"]),
        name=_text(values["name"]),
        question=_text(values["question"]) if "question" in values else "",
        kind=kind,
        nodes=tuple(map(_answer, answers)),
    )
    if wrong := fault(question):
        raise _error(node, wrong.removesuffix("."))
    return question


def _answer(node: yaml.Node) -> PlannedNode:
    values = _mapping(node, ANSWER_KEYS, "an answer")
    for key in ("code", "name"):
        if key not in values:
            raise _error(node, f"the answer has no “{key}”")
    lists = {}
    for key in LISTS:
        if key in values:
            lists[key] = tuple(map(_text, _sequence(values[key], key)))
    wording = Wording(
        _text(values["code"]), _text(values["name"]), _text(values["definition"]) if "definition" in values else "",
        **lists,
    )  # fmt: skip
    return PlannedNode(wording, _text(values["parent"]) if "parent" in values else "")


def _mapping(node: yaml.Node, keys: Sequence[str], what: str) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _error(node, f"{what} is written as keys with values, such as “{keys[0]}: …”")
    values: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _text(key)
        if name not in keys:
            raise _error(key, f"“{name[:40]}” is no key of {what}: there are {', '.join(keys)}")
        if name in values:
            raise _error(key, f"“{name}” stands here twice: keep one")
        values[name] = value
    return values


def _sequence(node: yaml.Node, what: str) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode):
        raise _error(node, f"“{what}” is a list: each entry begins with “- ”")
    return list(node.value)


def _text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _error(node, "here stands a text, and nothing nested")
    return str(node.value).strip()


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _error(node: yaml.Node, problem: str) -> FileError:
    return FileError(f"Line {_line(node)}: {problem}.")
