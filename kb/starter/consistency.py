"""Labels of one record that cannot stand together by the codebook's definitions, and signatures that say too little.

Pure: knows records and codes, no files and no database. That a code exists at all is checked elsewhere.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.codebook.format import AXIS_CODES
from kb.starter.format import NOT_STATED, Record

# A theme's letter says what kind of report it is of.
KIND_OF_THEME = {"A": "question", "B": "requirement", "C": "bug"}
# A signature whose words so many records have tells none of them apart; a few records prove nothing.
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

    axis: str
    codes: Collection[str]
    other: str
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
# Answers that say the opposite of each other: (axis, code), (axis, code).
OPPOSED = (
    (("symptom", "oom-gpu"), ("root_cause", "host-memory")),
    (("symptom", "oom-host"), ("root_cause", "accelerator-memory")),
)


def at_odds(record: Record, parents: Mapping[tuple[str, str], str | None]) -> Iterator[str]:
    """Sentences about labels that cannot stand together. `parents`: of each (axis, code), the code above it."""
    given: dict[str, set[str]] = {axis: {label.node for label in getattr(record.labels, axis)} for axis in AXIS_CODES}
    (kind,) = given["issue_type"]
    for theme in sorted(given["theme"]):
        if KIND_OF_THEME.get(theme[:1], kind) != kind:
            yield f"theme: {theme} is of a {KIND_OF_THEME[theme[:1]]}, and the issue type says {kind}"
    if record.resolution == NOT_STATED and given["fix_pattern"]:
        yield "fix_pattern: a fix has a pattern, and the resolution says that none is stated"
    for axis, codes in given.items():
        yield from _twice(axis, codes, parents)
    for rule in RULES:
        if (codes := given[rule.axis] & set(rule.codes)) and not given[rule.other] & set(rule.needed):
            yield f"{rule.axis}: {min(codes)} needs one of these as {rule.other}: {', '.join(sorted(rule.needed))}"
    for (axis, code), (other, opposite) in OPPOSED:
        if code in given[axis] and opposite in given[other] and len(given[axis]) == 1:
            yield f"{other}: {opposite} is the opposite of the {axis} {code}"


def _twice(axis: str, codes: Collection[str], parents: Mapping[tuple[str, str], str | None]) -> Iterator[str]:
    for code in sorted(codes):
        above = parents.get((axis, code))
        if above in codes:
            yield f"{axis}: {code} says {above} already: keep the more specific one"


def too_general(records: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Signatures that tell no record from the others: all their words stand in a third of the records, or none do."""
    texts = [words_of(" ".join((one.title, one.summary, *one.recognise))) for one in records]
    for record in records:
        for signature in record.recognise:
            words = words_of(signature)
            having = sum(words <= text for text in texts)
            if not words or (len(texts) >= FEWEST_RECORDS and having > MOST_SHARE * len(texts)):
                yield (
                    record,
                    f"recognise: {signature!r} fits {having} of {len(texts)} records: give a more telling line",
                )


def words_of(text: str) -> frozenset[str]:
    """The words of a text by which records are told apart."""
    return frozenset(WORD.findall(text.lower()))
