"""Lines that report how far a run has come: which iteration, with what loss, how fast. Values are not judged."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

ITERATION = re.compile(
    r"\b(?:(?:train(?:ing)?_|current_|completed_)?iteration|global[_ ]step|train(?:ing)? step|step|iter|update|"
    r"steps?_done)\b"
    r"[\"']?\s*[:=#]?\s*\[?\s*(\d+)\b(?!\.\d)",
    re.IGNORECASE,
)
BAR = re.compile(r"\b\d{1,3}%\|[^|]{0,200}\|\s*(\d+)/\d+ \[[^\]]{0,80}(?:it/s|s/it)")
NUMBER = r"([-+]?(?:nan\b|inf(?:inity)?\b|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+))"
# Ways that say too little by themselves, believed in front of a line where a loss follows.
COUNTED = re.compile(r"^(?:[a-z_][\w.]{0,40}: +)?\W{0,3}(?:\[\s*(\d+)/\d+\]|steps: ?(\d+))(?=.{0,80}\bloss\b)")
# Without a sign between, only what can be nothing but a measure.
BARE = r"(?=\d+\.|nan\b|-?inf\b)"
LOSS = re.compile(
    rf"(?<!valid )(?<!val_)(?<!eval_)(?:^|[\s{{'\"|_,(])(?:loss|per_token_loss)['\"]?\s*(?:[:=]\s*|{BARE}){NUMBER}",
    re.I,
)
NORM = re.compile(rf"\b(?:grad(?:ient)?[_ ]?|g)?norm['\"]?\s*(?:[:=]\s*|{BARE}){NUMBER}", re.IGNORECASE)
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
        (rf"{TIMER} ?ms\b", 1e-3),
        (rf"{TIMER}(?: ?s(?:ec)?)?\b", 1.0),
    )
)
NUMERAL = re.compile(NUMBER, re.IGNORECASE)
MEASURED = {"loss": LOSS, "norm": NORM}
DIGITS = re.compile("[0-9]+")
LONGEST = 12
BEGINS = re.compile(r"\b(?:begin|start(?:ing|ed|s)?|enter(?:ing|ed)?)\b", re.IGNORECASE)
VALIDATION = re.compile(r"\b(?:valid(?:ation)?|eval(?:uation)?|val|test)[ _]", re.IGNORECASE)


class Step(NamedTuple):
    """What one line reports: the iteration and what was measured in it, NaN and infinity included; None if left out.

    `seconds`: per iteration.
    """

    iteration: int
    loss: float | None
    norm: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Where lines of one kind hold their values: found once, so that the kind's other lines are read in one match.

    `pattern` has the groups `iteration`, `loss`, `norm` and `seconds`, as far as the kind has them; it matches at the
    beginning of the line's own text. `is_done`: the iteration was completed, not only begun.
    """

    pattern: re.Pattern[str]
    unit: float
    is_done: bool


def plan(body: str) -> Plan | None:
    """How to read all lines that are equal to this one but for their digits; none if it reports no iteration."""
    match = ITERATION.search(body) or BAR.search(body) or COUNTED.search(body)
    if match is None or VALIDATION.search(body):
        return None
    spans = {"iteration": match.span(match.lastindex or 0)}
    for name, pattern in MEASURED.items():
        span = _number_span(pattern, body)
        if span is not None:
            spans[name] = span
    unit = 1.0
    for pattern, own_unit in PACE:
        span = _number_span(pattern, body)
        if span is not None:
            spans["seconds"], unit = span, own_unit
            break
    is_done = len(spans) > 1 and not BEGINS.search(body)
    return Plan(_reader(body, spans), unit, is_done)


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


def iteration(match: re.Match[str]) -> int | None:
    """The iteration in a match of a plan's pattern; none if it has too many digits for a number of steps."""
    word = match["iteration"]
    return int(word) if len(word) <= LONGEST else None


def step(match: re.Match[str], plan: Plan) -> Step:
    """All that a line reports, from a match of the plan's pattern."""
    groups = plan.pattern.groupindex
    loss = float(match["loss"]) if "loss" in groups else None
    norm = float(match["norm"]) if "norm" in groups else None
    seconds = float(match["seconds"]) * plan.unit if "seconds" in groups else None
    return Step(int(match["iteration"]), loss, norm, seconds)
