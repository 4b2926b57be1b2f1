"""Lines that report how far a run has come: which iteration, with what loss, how fast. Values are not judged."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

ITERATION = re.compile(
    r"\b(?:(?:train(?:ing)?_|current_|completed_)?iteration|global[_ ]step(?:/max_steps)?|train(?:ing)? step|step|iter|"
    r"update|steps?_done|batch(?==\d+/))\b"
    r"[\"']?\s*[:=#]?\s*[\[\"']?\s*(?P<iteration>\d+)\b(?!\.\d|\()(?:\s{0,8}(?:/|of)\s{0,8}(?P<total>\d+)\b)?",
    re.IGNORECASE,
)
BAR = re.compile(
    r"^(?P<job>.{0,200}?)\b\d{1,3}%\|[^|]{0,200}\|\s*(?P<iteration>\d+)/(?P<total>\d+) \[[^\]]{0,200}?"
    r"(?P<rate>[\d.]+|\?) ?(?:it/s|s/it|step/s|s/step)"
)
# What stands before a bar names its job: where it names one, it is training only if it says so.
TRAINING = re.compile(
    r"\b(?:epochs?|episodes?|train\w*|iter(?:ation)?s?|steps?|(?:global|total) progress|fine-?tun\w+|pre-?train\w*|"
    r"updates?)\b|训练",
    re.IGNORECASE,
)
OTHER_JOB = re.compile(
    r"\b(?:generating|load(?:ing)?|map(?:ping)?|filter(?:ing)?|down-?load\w*|fetch\w*|tokeni[sz]\w*|pack(?:ing|ed)?|"
    r"sav(?:e|ing)|writing|convert\w*|quanti[sz]\w*|shards?|split|prompts|examples|capturing|valid\w*|eval\w*|"
    r"test\w*|predict\w*|sanity|dataset)\b",
    re.IGNORECASE,
)
LETTER = re.compile(r"[^\W\d_]")
# Trainers print what they measured without saying in which step: such a line is a step's if these go with its loss.
REPORTS = re.compile(
    r"(?:^|[\s{'\"|,(>])(?:epochs?|lr|learning[_ ]rate|grad(?:ient)?[_ ]norm)\b|轮|学习率", re.IGNORECASE
)
# At the end of an epoch, what it was trained for may be told without a loss.
OF_EPOCH = re.compile(
    r"^\W{0,3}epoch\W{1,3}\d+ ?/ ?\d+\b.{0,80}?(?:\b|_)(?:acc|accuracy|err|error|ppl|perplexity|f1|auc|bleu|m?iou|"
    r"mse|mae|rmse|score|reward) ?[:=] ?\d+\.\d",
    re.IGNORECASE,
)
SUMS_UP = re.compile(
    r"\b(?:train_runtime|train_samples_per_second|best|average|avg|mean|overall|final)\b", re.IGNORECASE
)
NUMBER = r"([-+]?(?:nan\b|inf(?:inity)?\b|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+))"
# Ways that say too little by themselves, believed in front of a line where a loss follows.
COUNTED = re.compile(
    r"^(?:[a-z_][\w.]{0,40}: +)?\W{0,3}"
    r"(?:(?:\[\s*|(?=\d+/\d+ (?:\[[=>.]{5}|━{5})))(?P<iteration>\d+)/(?P<total>\d+)|"
    r"steps: ?(?P<steps>\d+))(?=.{0,120}\bloss\b)"
)
CHINESE = re.compile(
    r"第\s?(?P<iteration>\d+)\s?(?:/\s?(?P<total>\d+)\s?)?(?:步|次迭代)|"
    r"(?:步[数骤]|迭代次?数?)\s?[:：=]?\s?(?P<steps>\d+)(?!\.\d)"
)
# Without a sign between, only what can be nothing but a measure.
BARE = r"(?=\d+\.|nan\b|-?inf\b)"
LOSS = re.compile(
    rf"(?<!valid )(?<!val_)(?<!eval_)(?:^|[\s{{'\"|_,(，])(?:loss|per_token_loss|损失值?)(?:/\w+){{0,3}}['\"]?\s*"
    rf"(?:[:=：]\s*['\"]?|{BARE}){NUMBER}",
    re.I,
)
NORM = re.compile(rf"\b(?:grad(?:ient)?[_ ]?|g)?norm['\"]?\s*(?:[:=]\s*['\"]?|{BARE}){NUMBER}", re.IGNORECASE)
EPOCH_HEAD = r"(?:\bepoch['\"]?\s{0,3}[:=]?\s{0,3}[\['\"]{0,2}|第\s?(?=[\d\s/]{1,20}轮)|轮[次数]?\s?[:：=]\s?)"
EPOCH = re.compile(EPOCH_HEAD + NUMBER, re.IGNORECASE)
EPOCHS = re.compile(rf"{EPOCH_HEAD}\d+(?:\.\d+)?\s?/\s?{NUMBER}", re.IGNORECASE)
SCALE = re.compile(rf"\bloss[_ ]scale['\"]?\s*[:=]\s*{NUMBER}", re.IGNORECASE)
SKIPPED = re.compile(rf"\bskipped iterations\s*[:=]\s*{NUMBER}", re.IGNORECASE)
TIMER = r"\b(?:dt|took|(?:step|iter(?:ation)?|batch)[_ ](?:time|duration))['\"]?\s*[:=]?\s*([\d.]+)"
# In milliseconds first: the same words without a unit are taken for seconds.
PACE = tuple(
    (re.compile(pattern, re.IGNORECASE), unit)
    for pattern, unit in (
        (rf"(?:elapsed )?time per iteration \(ms\)\s*[:=]\s*{NUMBER}", 1e-3),
        (
            r"(?:time per iteration \(s\)|iter time \(s\)|iter_time|step_s|step_time|iteration_time|sec/step)"
            rf"\s*[:=]\s*{NUMBER}",
            1.0,
        ),
        (r"([\d.]+)s/it\b", 1.0),
        (r"\b(?:step|iter(?:ation)?|update) \d+\b.{0,20} in ([\d.]+) ?s\b", 1.0),
        (r"\b([\d.]+) ?ms/(?:step|iter(?:ation)?)\b", 1e-3),
        (r"\b(?:step|iter(?:ation)?|batch)[_ ](?:time|duration)(?:_ms['\"]?| ?\(ms\))\s*[:=]\s*([\d.]+)", 1e-3),
        (r"\btime_(?:this|per)_(?:iter(?:ation)?|step|batch)(?:_s)?['\"]?\s*[:=]\s*([\d.]+)", 1.0),
        (r"(?:耗时|用时)\s?[:：=]?\s?([\d.]+)\s?(?:毫秒|ms\b)", 1e-3),
        (r"(?:耗时|用时)\s?[:：=]?\s?([\d.]+)\s?(?:秒|s\b)", 1.0),
        (rf"{TIMER} ?ms\b", 1e-3),
        (rf"{TIMER}(?: ?s(?:ec)?)?\b", 1.0),
    )
)
NUMERAL = re.compile(NUMBER, re.IGNORECASE)
MEASURED = {"loss": LOSS, "norm": NORM, "epoch": EPOCH, "epochs": EPOCHS, "scale": SCALE, "skipped": SKIPPED}
# A step that these are told of is completed.
DONE = frozenset({"loss", "norm", "seconds"})
DIGITS = re.compile("[0-9]+")
LONGEST = 12
UNNUMBERED = -1
BEGINS = re.compile(r"\b(?:begin|start(?:ing|ed|s)?|enter(?:ing|ed)?)\b", re.IGNORECASE)
# Groups of the patterns above, by what a plan calls them.
GROUPS = {"iteration": "iteration", "steps": "iteration", "total": "total"}
VALIDATION = re.compile(r"\b(?:valid(?:ation)?|eval(?:uation)?|val|test)[ _]", re.IGNORECASE)


class Step(NamedTuple):
    """What one line reports: the iteration and what was measured in it, NaN and infinity included; None if left out.

    `seconds`: per iteration. `total`, `epochs`: how many are planned. `is_numbered`: the log numbers its steps; else
    they are counted as they are reported.
    """

    iteration: int
    loss: float | None
    norm: float | None
    seconds: float | None
    total: int | None = None
    epoch: float | None = None
    epochs: float | None = None
    scale: float | None = None
    skipped: float | None = None
    is_numbered: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """Where lines of one kind hold their values: found once, so that the kind's other lines are read in one match.

    `pattern` has the groups `iteration`, `total`, `seconds` and those of `MEASURED`, as far as the kind has them; it
    matches at the beginning of the line's own text. `is_done`: the iteration was completed, not only begun.
    """

    pattern: re.Pattern[str]
    unit: float
    is_done: bool

    @property
    def is_numbered(self) -> bool:
        """Whether the lines tell their iteration."""
        return "iteration" in self.pattern.groupindex


def plan(body: str) -> Plan | None:
    """How to read all lines that are equal to this one but for their digits; none if it reports no step."""
    bar = _bar(body)
    match = bar or _numbered(body)
    is_of_epoch = match is None and OF_EPOCH.match(body) is not None
    if match is None and not is_of_epoch and not _is_report(body):
        return None
    spans = _measured(body)
    if match is not None:
        groups = match.groupdict()
        spans |= {GROUPS[name]: match.span(name) for name in GROUPS if groups.get(name)}
    elif "loss" not in spans and not is_of_epoch:
        return None
    unit = 1.0
    for pattern, own_unit in PACE:
        span = _number_span(pattern, body)
        if span is not None:
            spans["seconds"], unit = span, own_unit
            break
    is_done = match is None or (bar is not None and bar["rate"] != "?") or not DONE.isdisjoint(spans)
    return Plan(_reader(body, spans), unit, is_done and not BEGINS.search(body))


def _numbered(body: str) -> re.Match[str] | None:
    if VALIDATION.search(body):
        return None
    return ITERATION.search(body) or COUNTED.search(body) or CHINESE.search(body)


def _is_report(body: str) -> bool:
    """Whether this may tell what was measured in a step without telling in which."""
    return bool(REPORTS.search(body)) and not (VALIDATION.search(body) or SUMS_UP.search(body))


def _measured(body: str) -> dict[str, tuple[int, int]]:
    """Where the line tells what was measured."""
    spans: dict[str, tuple[int, int]] = {}
    for name, pattern in MEASURED.items():
        span = _number_span(pattern, body)
        if span is not None:
            spans[name] = span
    return spans


def _bar(body: str) -> re.Match[str] | None:
    """A progress bar of the training itself."""
    match = BAR.search(body)
    if match is None:
        return None
    job = match["job"]
    is_training = not LETTER.search(job) or (TRAINING.search(job) and not OTHER_JOB.search(job))
    return match if is_training or LOSS.search(body) else None


def _number_span(pattern: re.Pattern[str], body: str) -> tuple[int, int] | None:
    """Where the pattern finds a number; what has several points is none."""
    match = pattern.search(body)
    return match.span(1) if match is not None and NUMERAL.fullmatch(match[1]) else None


def _reader(body: str, spans: Mapping[str, tuple[int, int]]) -> re.Pattern[str]:
    """A pattern of the line's own text with any digits for its digits, and groups at the spans."""

    def any_digits(text: str) -> str:
        return DIGITS.sub(lambda _: "[0-9]+", re.escape(text))

    pattern, end_of_last = "", 0
    for name, (start, end) in sorted(spans.items(), key=lambda named_span: named_span[1]):
        if start >= end_of_last:
            pattern += f"{any_digits(body[end_of_last:start])}(?P<{name}>{any_digits(body[start:end])})"
            end_of_last = end
    return re.compile(pattern)


def iteration(match: re.Match[str], plan: Plan) -> int | None:
    """The iteration in a match of a plan's pattern; none if it has too many digits for a number of steps.

    `UNNUMBERED` where the line does not tell it.
    """
    if not plan.is_numbered:
        return UNNUMBERED
    word = match["iteration"]
    return int(word) if len(word) <= LONGEST else None


def step(match: re.Match[str], plan: Plan, iteration: int = UNNUMBERED, *, is_numbered: bool = True) -> Step:
    """All that a line reports, from a match of the plan's pattern. `iteration`: for lines that do not tell it."""
    words = match.groupdict()
    return Step(
        int(words["iteration"]) if "iteration" in words else iteration,
        float(words["loss"]) if "loss" in words else None,
        float(words["norm"]) if "norm" in words else None,
        float(words["seconds"]) * plan.unit if "seconds" in words else None,
        int(words["total"][:LONGEST]) if "total" in words else None,
        float(words["epoch"]) if "epoch" in words else None,
        float(words["epochs"]) if "epochs" in words else None,
        float(words["scale"]) if "scale" in words else None,
        float(words["skipped"]) if "skipped" in words else None,
        is_numbered,
    )
