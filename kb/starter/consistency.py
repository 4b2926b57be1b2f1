"""Labels of a record that contradict each other by the codebook's definitions, and signatures that are too general.

Pure. Whether a code exists is checked in `load`.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.codebook.format import AxisCode
from kb.starter.format import NOT_STATED, Record
from kb.starter.passes import answers_of

# The issue type that a theme's first letter implies.
KIND_OF_THEME = {"A": "question", "B": "requirement", "C": "bug"}
# A signature is too general when a larger share of records has its words; checked from so many records on.
MOST_SHARE = 1 / 3
FEWEST_RECORDS = 30
WORD = re.compile(r"[a-z][a-z_]{2,}")

TRAINING = frozenset({"train", "forward", "backward", "optimizer-step"})
SERVING = frozenset({"inference", "engine-start", "generate", "serve"})
BEFORE_WORK = frozenset({"install", "launch", "prepare", "resume", "checkpoint", "engine-start"})
STORED = frozenset({"checkpoint", "save", "resume", "convert", "prepare", "engine-start"})
STORES = frozenset({"checkpointing", "checkpoint-io", "checkpoint-conversion", "data-loading", "model-loading"})


class Rule(NamedTuple):
    """Where one of `codes` is an answer on `axis`, one of `needed` must be among the answers on `other`."""

    axis: AxisCode
    codes: Collection[str]
    other: AxisCode
    needed: Collection[str]


# Each follows from the definition of the code on the left, not from what is usual.
RULES = (
    Rule("symptom", {"install-failure"}, "stage", {"install"}),
    Rule("symptom", {"ci-failure", "test-failure", "pipeline-failure"}, "stage", {"develop"}),
    Rule("symptom", {"hang-serving"}, "stage", SERVING),
    Rule("symptom", {"hang-start"}, "stage", BEFORE_WORK),
    Rule("symptom", {"hang-io"}, "component", STORES),
    Rule("symptom", {"save-failure"}, "stage", {"checkpoint", "save", "convert"}),
    Rule("symptom", {"resume-mismatch"}, "stage", STORED),
    Rule("symptom", {"wrong-gradient"}, "stage", TRAINING),
    Rule("symptom", {"misleading-docs"}, "component", {"docs-examples"}),
    Rule("fix_pattern", {"test-fix"}, "component", {"tests-ci"}),
)
# Pairs of (axis, code) that exclude each other.
OPPOSED: tuple[tuple[tuple[AxisCode, str], tuple[AxisCode, str]], ...] = (
    (("symptom", "oom-gpu"), ("root_cause", "host-memory")),
    (("symptom", "oom-host"), ("root_cause", "accelerator-memory")),
)


def contradictions(record: Record, parents: Mapping[tuple[str, str], str | None]) -> Iterator[str]:
    """One sentence for each contradiction between labels. `parents`: the parent's code of each (axis, code)."""
    answers = answers_of(record.labels)
    kind = record.labels.issue_type[0].node
    for theme in answers["theme"]:
        if KIND_OF_THEME.get(theme[:1], kind) != kind:
            yield f"theme: {theme} is of a {KIND_OF_THEME[theme[:1]]}, and the issue type says {kind}"
    if record.resolution == NOT_STATED and answers["fix_pattern"]:
        yield "fix_pattern: a fix has a pattern, and the resolution says that none is stated"
    for axis, codes in answers.items():
        yield from _redundant(axis, codes, parents)
    for rule in RULES:
        concerned = [code for code in answers[rule.axis] if code in rule.codes]
        if concerned and not set(rule.needed).intersection(answers[rule.other]):
            yield f"{rule.axis}: {concerned[0]} needs one of these as {rule.other}: {', '.join(sorted(rule.needed))}"
    for (axis, code), (other, opposite) in OPPOSED:
        if answers[axis] == (code,) and opposite in answers[other]:
            yield f"{other}: {opposite} is the opposite of the {axis} {code}"


def _redundant(axis: AxisCode, codes: Collection[str], parents: Mapping[tuple[str, str], str | None]) -> Iterator[str]:
    """Labels whose code is implied by a more specific one."""
    for code in codes:
        parent = parents.get((axis, code))
        if parent in codes:
            yield f"{axis}: {code} says {parent} already: keep the more specific one"


def too_general(records: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Signatures without words, or whose words all occur in more than `MOST_SHARE` of the records; with a sentence."""
    texts = [words_of(" ".join((record.title, record.summary, *record.recognise))) for record in records]
    for record in records:
        for signature in record.recognise:
            words = words_of(signature)
            matches = sum(words <= text for text in texts)
            is_common = len(texts) >= FEWEST_RECORDS and matches > MOST_SHARE * len(texts)
            if is_common or not words:
                reason = f"recognise: {signature!r} fits {matches} of {len(texts)} records: give a more telling line"
                yield record, reason


def words_of(text: str) -> frozenset[str]:
    """The lower-case words of a text, of at least three letters."""
    return frozenset(WORD.findall(text.lower()))
