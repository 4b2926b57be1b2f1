"""How much of the field the curated records cover, and how much they are meant to. Pure: no files, no database."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.codebook.format import HouseFile, walk
from kb.starter.claims import counts
from kb.starter.format import NOT_STATED, Record

RECORDS, RESOLVED_PERCENT, LINKED_PERCENT = 320, 80, 94
# Of each symptom, cause, fix pattern, stage and component, those above others with all below them.
FEWEST, AXES = 3, ("symptom", "root_cause", "fix_pattern", "stage", "component")
# Causes that only work shared by several devices has (study P1, root causes).
DISTRIBUTED, FEWEST_DISTRIBUTED = ("allocation", "communication", "distributed-tensor", "concurrency"), 15
FRAMEWORKS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "DeepSpeed": (70, ("deepspeed",)),
    "Megatron-LM": (30, ("megatron-lm",)),
    "Colossal-AI": (25, ("colossal-ai",)),
    "Transformers, Accelerate, PEFT, TRL": (50, ("transformers", "accelerate", "peft", "trl")),
    "PyTorch distributed, NCCL": (40, ("pytorch", "nccl")),
    "vLLM": (40, ("vllm",)),
    "SGLang": (10, ("sglang",)),
    "TensorRT-LLM": (15, ("tensorrt-llm",)),
    "llama.cpp": (10, ("llama-cpp",)),
    "MindSpore, Ascend": (10, ("mindspore", "mindformers", "mindspeed", "mindnlp", "vllm-ascend")),
}
OTHERS = 20
HANGS, OUT_OF_MEMORY, SILENT = 40, 30, 30
# Whose word confirms a resolution: another user's alone does not.
CONFIRMING = frozenset({"maintainer", "reporter", "fix"})
# Wrong results that no error, NaN or missing option tells of.
QUIET = frozenset(
    {"wrong-result", "divergence", "wrong-output", "inconsistent-output", "wrong-gradient", "resume-mismatch"}
)
LOUD = frozenset({"crash", "hang", "setup-failure"})


class Row(NamedTuple):
    """Of `what` there are `have` records, and there should be `goal`. `axis`: of a code of the codebook."""

    what: str
    have: int
    goal: int
    axis: str = ""

    @property
    def is_met(self) -> bool:
        """Are there enough?"""
        return self.have >= self.goal


def coverage(records: Sequence[Record], house: HouseFile) -> list[Row]:
    """All goals, beside what there is."""
    answers = [_answers(record, house) for record in records]
    symptoms = [found["symptom"] for found in answers]
    resolved = sum(_is_resolved(record) for record in records)
    return [
        Row("records", len(records), RECORDS),
        Row(
            "resolutions by a fix, or confirmed by a maintainer or the reporter, %",
            100 * resolved // max(len(records), 1),
            RESOLVED_PERCENT,
        ),
        Row("causes, resolutions and workarounds with a link, %", _linked_percent(records), LINKED_PERCENT),
        *_of_frameworks(records),
        Row("hangs", sum("hang" in found for found in symptoms), HANGS),
        Row("out of memory", sum(not found.isdisjoint({"oom-gpu", "oom-host"}) for found in symptoms), OUT_OF_MEMORY),
        Row("silent wrong results", sum(_is_silent(found) for found in symptoms), SILENT),
        *_of_nodes(answers, house),
    ]


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The goals as lines of text; of the many single codes, only those that lack something."""
    for row in rows:
        if not row.axis or not row.is_met:
            what = f"{row.axis} {row.what}".strip()
            yield f"{'met' if row.is_met else 'LACKS':5} {row.have:4} of {row.goal:3}  {what}"


def _is_resolved(record: Record) -> bool:
    confirmed = any(one.supports == "resolution" and one.by in CONFIRMING for one in record.evidence)
    return record.resolution != NOT_STATED and (bool(record.fixes) or confirmed)


def _linked_percent(records: Iterable[Record]) -> int:
    found = counts(records).values()
    stated = sum(of for _, of in found)
    return 100 * (stated - sum(without for without, _ in found)) // max(stated, 1)


def _of_frameworks(records: Iterable[Record]) -> Iterator[Row]:
    counts = Counter(record.framework for record in records)
    named: set[str] = set()
    for name, (goal, slugs) in FRAMEWORKS.items():
        named.update(slugs)
        yield Row(name, sum(counts[slug] for slug in slugs), goal)
    yield Row("other frameworks", sum(count for slug, count in counts.items() if slug not in named), OTHERS)


def _of_nodes(answers: Sequence[Mapping[str, Collection[str]]], house: HouseFile) -> Iterator[Row]:
    for axis in house.axes:
        counts = Counter(code for found in answers for code in found[axis.code])
        for node, _ in walk(axis.nodes):
            if axis.code in AXES and node.status == "active":
                is_distributed = axis.code == "root_cause" and node.code in DISTRIBUTED
                goal = FEWEST_DISTRIBUTED if is_distributed else FEWEST
                yield Row(node.code, counts[node.code], goal, axis.code)


def _answers(record: Record, house: HouseFile) -> dict[str, set[str]]:
    """The codes of each axis, with all codes above them."""
    found: dict[str, set[str]] = {}
    for axis in house.axes:
        above = {node.code: parent for node, parent in walk(axis.nodes)}
        codes = {label.node for label in getattr(record.labels, axis.code)}
        for code in list(codes):
            while parent := above.get(code):
                codes.add(parent)
                code = parent
        found[axis.code] = codes
    return found


def _is_silent(symptoms: Collection[str]) -> bool:
    return not QUIET.isdisjoint(set(symptoms) - {"wrong-result"}) and LOUD.isdisjoint(symptoms)
