"""The curated records' coverage of frameworks and codes, beside its goals. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.codebook.format import HouseFile, walk
from kb.core.frameworks import read_frameworks
from kb.starter.claims import counts
from kb.starter.format import NOT_STATED, Record

RECORDS, RESOLVED_PERCENT, LINKED_PERCENT = 320, 80, 94
# For each code on these axes; records of the codes below it count, too.
FEWEST, AXES = 3, ("symptom", "root_cause", "fix_pattern", "stage", "component")
# Causes that occur only with several devices (study P1, root causes).
DISTRIBUTED, FEWEST_DISTRIBUTED = ("allocation", "communication", "distributed-tensor", "concurrency"), 15
# By the group that a framework's entry names (`kb/core/frameworks.yaml`).
GOALS = {
    "DeepSpeed": 70,
    "Megatron-LM": 30,
    "Colossal-AI": 25,
    "Transformers, Accelerate, PEFT, TRL": 50,
    "PyTorch distributed, NCCL": 40,
    "vLLM": 40,
    "SGLang": 10,
    "TensorRT-LLM": 15,
    "llama.cpp": 10,
    "MindSpore, Ascend": 10,
}
OTHERS = 20
HANGS, OUT_OF_MEMORY, SILENT = 40, 30, 30
# Whose evidence confirms a resolution: another user's alone does not.
CONFIRMING = frozenset({"maintainer", "reporter", "fix"})
# Symptoms of wrong results without an error, and those that are noticed anyway.
QUIET = frozenset(
    {"wrong-result", "divergence", "wrong-output", "inconsistent-output", "wrong-gradient", "resume-mismatch"}
)
LOUD = frozenset({"crash", "hang", "setup-failure"})


class Row(NamedTuple):
    """A goal: `have` of `goal` records, or percent, of `what`; `axis` is set where that is a code."""

    what: str
    have: int
    goal: int
    axis: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the goal is reached."""
        return self.have >= self.goal


def coverage(records: Sequence[Record], house: HouseFile) -> list[Row]:
    """All goals with the records' numbers."""
    answers = [_answers(record, house) for record in records]
    symptoms = [codes["symptom"] for codes in answers]
    out_of_memory = sum(not codes.isdisjoint({"oom-gpu", "oom-host"}) for codes in symptoms)
    silent = sum(not QUIET.isdisjoint(codes - {"wrong-result"}) and LOUD.isdisjoint(codes) for codes in symptoms)
    resolved = 100 * sum(_is_resolved(record) for record in records) // max(len(records), 1)
    claims = counts(records).values()
    stated = sum(total for _, total in claims)
    linked = 100 * (stated - sum(without for without, _ in claims)) // max(stated, 1)
    return [
        Row("records", len(records), RECORDS),
        Row("resolutions by a fix, or confirmed by a maintainer or the reporter, %", resolved, RESOLVED_PERCENT),
        Row("causes, resolutions and workarounds with a link, %", linked, LINKED_PERCENT),
        *_framework_rows(records),
        Row("hangs", sum("hang" in codes for codes in symptoms), HANGS),
        Row("out of memory", out_of_memory, OUT_OF_MEMORY),
        Row("silent wrong results", silent, SILENT),
        *_node_rows(answers, house),
    ]


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The goals as lines of text; of single codes only those below their goal."""
    for row in rows:
        if not row.axis or not row.is_met:
            what = f"{row.axis} {row.what}".strip()
            yield f"{'met' if row.is_met else 'LACKS':5} {row.have:4} of {row.goal:3}  {what}"


def _is_resolved(record: Record) -> bool:
    if record.resolution == NOT_STATED:
        return False
    confirmed = any(line.supports == "resolution" and line.by in CONFIRMING for line in record.evidence)
    return bool(record.fixes) or confirmed


def _framework_rows(records: Iterable[Record]) -> Iterator[Row]:
    groups = {framework.slug: framework.coverage for framework in read_frameworks().frameworks}
    counts = Counter(groups.get(record.framework) for record in records)
    for group, goal in GOALS.items():
        yield Row(group, counts.pop(group, 0), goal)
    yield Row("other frameworks", counts.total(), OTHERS)


def _node_rows(answers: Sequence[Mapping[str, Collection[str]]], house: HouseFile) -> Iterator[Row]:
    for axis in house.axes:
        if axis.code not in AXES:
            continue
        counts: Counter[str] = Counter()
        for codes in answers:
            counts.update(codes[axis.code])
        for node, _ in walk(axis.nodes):
            if node.status == "active":
                is_distributed = axis.code == "root_cause" and node.code in DISTRIBUTED
                goal = FEWEST_DISTRIBUTED if is_distributed else FEWEST
                yield Row(node.code, counts[node.code], goal, axis.code)


def _answers(record: Record, house: HouseFile) -> dict[str, set[str]]:
    """The codes on each axis, with all codes above them."""
    answers: dict[str, set[str]] = {}
    for axis in house.axes:
        parents = {node.code: parent for node, parent in walk(axis.nodes)}
        codes = answers[axis.code] = set()
        for label in getattr(record.labels, axis.code):
            code: str | None = label.node
            while code:
                codes.add(code)
                code = parents.get(code)
    return answers
