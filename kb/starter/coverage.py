"""The curated records' coverage of frameworks and codes, beside its goals. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.codebook.format import HouseFile, walk
from kb.starter.claims import counts
from kb.starter.format import NOT_STATED, Record

RECORDS, RESOLVED_PERCENT, LINKED_PERCENT = 1200, 80, 94
# For each code on these axes; records of the codes below it count, too.
FEWEST, AXES = 3, ("symptom", "root_cause", "fix_pattern", "stage", "component")
# Causes that occur only with several devices (study P1, root causes).
DISTRIBUTED, FEWEST_DISTRIBUTED = ("allocation", "communication", "distributed-tensor", "concurrency"), 15
MOST_OF_FRAMEWORK_PERCENT, INFERENCE_PERCENT = 15, 40
HANGS, MEMORY, SILENT, SETUP, OTHER_DEVICES, CHINESE = 120, 150, 120, 200, 100, 60
FIX_LINES, LINES_OR_REASONS, COMMANDS, CHECKED = 700, 1000, 700, 700
# What runs on neither NVIDIA's cards nor a CPU: by the fault's hardware, or by what is only for such devices.
DEVICES = frozenset({"amd", "ascend", "tpu", "apple-silicon"})
DEVICE_FRAMEWORKS = frozenset(
    {"rocm", "torch-npu", "torch-xla", "vllm-ascend", "mindspore", "mindformers", "mindspeed", "mindnlp"}
)
CJK = re.compile(r"[\u3400-\u9fff]")
COMMAND = re.compile(r"`[^`]+`")
# Whose evidence confirms a resolution: another user's alone does not.
CONFIRMING = frozenset({"maintainer", "reporter", "fix"})
# Symptoms of wrong results without an error, and those that are noticed anyway.
QUIET = frozenset(
    {"wrong-result", "divergence", "wrong-output", "inconsistent-output", "wrong-gradient", "resume-mismatch"}
)
LOUD = frozenset({"crash", "hang", "setup-failure"})


# By axis, the codes that a record has, with all codes above them.
Answers = Mapping[str, Collection[str]]


class Row(NamedTuple):
    """A goal: `have` of `goal` records, or percent, of `what`; `axis` is set where that is a code.

    `is_limit`: not so many at least, but at most.
    """

    what: str
    have: int
    goal: int
    axis: str = ""
    is_limit: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the goal is reached."""
        return self.have <= self.goal if self.is_limit else self.have >= self.goal


def coverage(records: Sequence[Record], house: HouseFile) -> list[Row]:
    """All goals with the records' numbers."""
    answers = [_answers(record, house) for record in records]
    claims = counts(records).values()
    stated = sum(total for _, total in claims)
    linked = stated - sum(without for without, _ in claims)
    resolved = sum(_is_resolved(record) for record in records)
    frameworks = Counter(record.framework for record in records)
    largest, most = next(iter(frameworks.most_common(1)), ("none", 0))
    is_limit = True
    return [
        Row("records", len(records), RECORDS),
        Row(
            "resolutions by a fix, or confirmed by a maintainer or the reporter, %",
            _percent(resolved, len(records)),
            RESOLVED_PERCENT,
        ),
        Row("causes, resolutions, workarounds and versions with a link, %", _percent(linked, stated), LINKED_PERCENT),
        Row(
            f"largest framework, {largest}, %",
            _percent(most, len(records)),
            MOST_OF_FRAMEWORK_PERCENT,
            is_limit=is_limit,
        ),
        *_share_rows(answers),
        *_act_rows(records, answers),
        *_node_rows(answers, house),
    ]


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The goals as lines of text; of single codes only those below their goal."""
    for row in rows:
        if not row.axis or not row.is_met:
            what = f"{row.axis} {row.what}".strip()
            verdict = "met" if row.is_met else "EXCEEDS" if row.is_limit else "LACKS"
            yield f"{verdict:7} {row.have:4} of {row.goal:4}  {what}"


def _is_resolved(record: Record) -> bool:
    if record.resolution == NOT_STATED:
        return False
    confirmed = any(line.supports == "resolution" and line.by in CONFIRMING for line in record.evidence)
    return bool(record.fixes) or confirmed


def _percent(part: int, whole: int) -> int:
    return 100 * part // max(whole, 1)


def _share_rows(answers: Sequence[Answers]) -> Iterator[Row]:
    """How many records are of each kind of fault."""
    serving = sum("inference" in codes["stage"] or "inference-engine" in codes["component"] for codes in answers)
    yield Row("inference, %", _percent(serving, len(answers)), INFERENCE_PERCENT)
    symptoms = [codes["symptom"] for codes in answers]
    yield Row("silent wrong results", sum(map(_is_silent, symptoms)), SILENT)
    yield Row("hangs", sum("hang" in codes for codes in symptoms), HANGS)
    yield Row("memory", sum("memory" in codes for codes in symptoms), MEMORY)
    yield Row("set-up and versions", sum(map(_is_of_setup, answers)), SETUP)


def _is_silent(symptoms: Collection[str]) -> bool:
    codes = set(symptoms)
    return not QUIET.isdisjoint(codes - {"wrong-result"}) and LOUD.isdisjoint(codes)


def _is_of_setup(codes: Answers) -> bool:
    return "setup-failure" in codes["symptom"] or "install" in codes["stage"] or "environment" in codes["root_cause"]


def _act_rows(records: Sequence[Record], answers: Sequence[Answers]) -> Iterator[Row]:
    """For whom the records are, and how soon somebody can act on them."""
    devices = [
        not DEVICES.isdisjoint(codes["hardware"]) or record.framework in DEVICE_FRAMEWORKS
        for record, codes in zip(records, answers, strict=True)
    ]
    yield Row("ROCm, Ascend, TPU, Apple", sum(devices), OTHER_DEVICES)
    yield Row("found by Chinese words, or reported on Gitee", sum(map(_is_chinese, records)), CHINESE)
    yield Row("with a fix line", sum(record.fix_line is not None for record in records), FIX_LINES)
    has_line = (bool(record.recognise or record.no_line) for record in records)
    yield Row("with a line to recognise, or why there is none", sum(has_line), LINES_OR_REASONS)
    yield Row("with a literal command, option or setting", sum(map(_has_command, records)), COMMANDS)
    yield Row(
        "checked by a reader who did not write it", sum(record.checked is not None for record in records), CHECKED
    )


def _is_chinese(record: Record) -> bool:
    return "//gitee.com/" in record.url or any(CJK.search(words) for words in record.also_seen)


def _has_command(record: Record) -> bool:
    texts = (record.fix_line or "", record.resolution, record.workaround)
    return record.snippet is not None or any(COMMAND.search(text) for text in texts)


def _node_rows(answers: Sequence[Answers], house: HouseFile) -> Iterator[Row]:
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
