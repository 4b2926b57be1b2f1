"""What is read off lines of one key by their digits alone, without looking at them one by one."""

import re
from typing import NamedTuple

from kb.core.diagnosis.parsing.masking import RUN
from kb.core.diagnosis.parsing.steps import Plan
from kb.core.diagnosis.scanning.lines import DurationSpan

# In the tables of keys: lines that are looked at one by one, blank lines, and lines that tell no iteration.
SINGLE, BLANK, NO_STEP = -1, -2, -1
# In place of a number of the line: it reports a step without telling which.
COUNTED = -2


class ByDigits(NamedTuple):
    """What is read off lines of a key by their digits alone: `SINGLE`, or the number of their prefix.

    `step`: which of the line's numbers is the iteration, or `COUNTED`; `duration`: where it tells how long that took.
    """

    prefix: int = SINGLE
    step: int = NO_STEP
    duration: DurationSpan | None = None


def step_by_digits(plan: Plan, match: re.Match[str], line: str) -> int:
    """Which of the line's numbers is the iteration; `NO_STEP` where its digits alone are no number."""
    if not plan.is_numbered:
        return COUNTED
    start, end = match.span("iteration")
    is_number = RUN.fullmatch(line[start:end]) is not None and is_apart(line, start, end)
    return len(RUN.findall(line[:start])) if is_number else NO_STEP


def is_apart(line: str, start: int, end: int) -> bool:
    """Whether neither end stands within a number."""
    return not is_within_number(line, start) and not is_within_number(line, end)


def is_within_number(line: str, place: int) -> bool:
    """Whether there are digits on both sides of this place."""
    return 0 < place < len(line) and RUN.fullmatch(line[place - 1 : place + 1]) is not None
