"""The sizes of a pattern's fixes in words and as bars. The numbers come from `kb.selectors.fix_patterns`."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.charts.figures import percent
from kb.charts.median import Median, median
from kb.charts.samples import is_drawn, small_note
from kb.charts.shares import Share
from kb.charts.sizes import FILE_STEPS, LINE_STEPS, steps
from kb.models.fixes import SMALL_FIX_LINES
from kb.selectors.fix_patterns import PatternCount


@dataclass(frozen=True)
class SizeFacts:
    """Sizes in words: empty texts and no median while the sizes of too few fixes are known."""

    fixes: int
    known: int
    middle: Median | None = None
    bounds: str = ""
    small: int = 0
    share: str = ""
    interval: str = ""
    few: str = ""
    small_share: float = -1

    @property
    def unknown(self) -> int:
        """Fixes whose size nobody stated."""
        return self.fixes - self.known


@dataclass(frozen=True)
class Bar:
    """A step of a distribution: its name, count and share of all; `width` is a percentage of the longest bar."""

    name: str
    count: int
    share: str
    width: float


@dataclass(frozen=True)
class Distribution:
    """The sizes of `n` fixes on steps, with their median in words."""

    unit: str
    n: int
    middle: str
    bounds: str
    bars: tuple[Bar, ...]


def size_facts(count: PatternCount) -> SizeFacts:
    """The median size of the fixes and the share of small ones, each with its interval."""
    lines = [fix.lines for fix in count.fixes if fix.lines is not None]
    middle = median(lines)
    if middle is None or not is_drawn(middle.of):
        return SizeFacts(len(count.fixes), len(lines), few=small_note(len(lines)) if lines else "")
    small = Share(sum(size <= SMALL_FIX_LINES for size in lines), len(lines))
    return SizeFacts(
        fixes=len(count.fixes),
        known=len(lines),
        middle=middle,
        bounds=_bounds(middle),
        small=small.issues,
        share=small.percent,
        interval=small.range,
        few=small_note(len(lines)),
        small_share=small.value,
    )


def distributions(count: PatternCount) -> list[Distribution]:
    """Changed lines and changed files, each as far as it is known."""
    lines = [fix.lines for fix in count.fixes if fix.lines is not None]
    files = [fix.files for fix in count.fixes if fix.files is not None]
    shown = []
    for unit, sizes, bounds in (("changed lines", lines, LINE_STEPS), ("changed files", files, FILE_STEPS)):
        middle = median(sizes)
        if middle and is_drawn(middle.of):
            shown.append(_distribution(unit, sizes, middle, bounds))
    return shown


def _distribution(unit: str, sizes: Sequence[int], middle: Median, bounds: Sequence[int]) -> Distribution:
    counted = steps(sizes, bounds)
    most = max(step.count for step in counted)
    bars = []
    for step in counted:
        share, width = percent(step.count / len(sizes)), round(100 * step.count / most, 1)
        bars.append(Bar(step.name, step.count, share, width))
    return Distribution(unit, len(sizes), f"{middle.value:,g}", _bounds(middle), tuple(bars))


def _bounds(middle: Median) -> str:
    """The median's interval as `8–20`; empty while there are too few sizes for one."""
    return "" if middle.interval is None else f"{middle.interval.low:,g}–{middle.interval.high:,g}"
