"""Labels of a record that contradict each other by the codebook's definitions, and signatures that are too general.

Pure. Whether a code exists is checked in `rules`.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from kb.codebook.format import AxisCode
from kb.core.telling import COMMON, PYTHONS
from kb.starter.format import Record, RecordLabels
from kb.starter.passes import answers_of

# The issue type that a theme's first letter implies.
KIND_OF_THEME = {"A": "question", "B": "requirement", "C": "bug"}
# A signature is too general when more other records have its words: so many, or this share of all, whichever is more.
MOST_OTHERS, MOST_SHARE = 3, 0.01
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


def contradictions(
    labels: RecordLabels, parents: Mapping[tuple[str, str], str | None], *, is_resolved: bool
) -> Iterator[str]:
    """One sentence for each contradiction between labels, the axis first.

    `parents`: the parent's code of each (axis, code); `is_resolved`: a resolution is stated.
    """
    answers = answers_of(labels)
    for kind, theme in product(answers["issue_type"], answers["theme"]):
        if KIND_OF_THEME.get(theme[:1], kind) != kind:
            yield f"theme: {theme} is of a {KIND_OF_THEME[theme[:1]]}, and the issue type says {kind}"
    if not is_resolved and answers["fix_pattern"]:
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


def too_general(records: Sequence[Record]) -> Iterator[tuple[Record, int, str]]:
    """Signatures with words that all occur in too many other records: the record, the signature's place, a sentence.

    Those without a telling word are left to `rules`.
    """
    texts = [words_of(" ".join((record.title, record.summary, *record.recognise))) for record in records]
    for record in records:
        for number, signature in enumerate(record.recognise):
            words = words_of(signature)
            others = sum(words <= text for text in texts) - 1
            if telling_words(signature) and others > max(MOST_OTHERS, MOST_SHARE * len(texts)):
                reason = f"recognise: '{signature}' fits {others} other records: choose a more specific line"
                yield record, number, reason


def words_of(text: str) -> frozenset[str]:
    """The lower-case words of a text, of at least three letters."""
    return frozenset(WORD.findall(text.lower()))


def telling_words(signature: str) -> frozenset[str]:
    """The words of a signature that are neither everybody's nor Python's own."""
    return words_of(signature) - COMMON - PYTHONS
