"""Questions as a YAML file: what is read and written back, and what is refused with its line."""

import pytest

from labeling.question_files import FileError, read_questions, write_questions
from labeling.questions import KINDS

FILE = """\
questions:
- code: noticed
  name: Who noticed it
  question: Who saw the fault first?
  kind: one
  answers:
  - code: user
    name: User
    definition: 'Whoever ran it: a person.'
    include:
    - people in a forum
  - code: novice
    name: Novice
    parent: user
- code: severity
  name: Severity
  kind: scale
  answers:
  - code: mild
    name: Mild
  - code: fatal
    name: Fatal
- code: touched
  name: Touched
  kind: several
  answers:
  - code: memory
    name: Memory
  - code: disk
    name: Disk
- code: hours
  name: Hours lost
  kind: number
- code: lesson
  name: Lesson
  kind: text
- code: open-codes
  name: Open codes
  kind: codes
"""


def test_a_file_of_every_kind_reads_and_writes_itself() -> None:
    questions = read_questions(FILE.encode())
    assert {question.kind for question in questions} == set(KINDS)
    assert write_questions(questions) == FILE
    assert questions[0].nodes[1].parent == "user"


def _with(old: str, new: str) -> str:
    assert old in FILE
    return FILE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The file is empty"),
        ("questions: [", "Line 2: this is not YAML"),
        ("- code: x", "Line 1: the file is written as keys with values"),
        ("axes: []", "Line 1: “axes” is no key of the file"),
        ("questions: []", "Line 1: a file holds 1 to 30 questions"),
        (_with("kind: scale", "kind: steps"), "Line 17: the kind “steps” is none of"),
        (_with("  name: Severity\n", ""), "Line 15: the question has no “name”"),
        (_with("parent: user", "parent: nobody"), "Line 2: .*is below “nobody”, which does not stand before it"),
        (_with("code: hours", "code: lesson"), "Line 34: the code “lesson” stands on line 31 already"),
        (_with("kind: number", "kind: one"), "Line 31: “Hours lost” needs 2 to 300 answers"),
        (_with("  kind: text", "  kind: text\n  kind: one"), "Line 37: “kind” stands here twice"),
        (_with("name: Mild", "name: [Mild]"), "Line 20: here stands a text"),
        (_with("code: severity", "code: &a severity\n  question: *a"), "Line 16: write it out"),
        (_with("code: severity", "code: confidence"), "means something else here"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(FileError, match=problem):
        read_questions(text.encode())
