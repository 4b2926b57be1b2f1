"""How gravely the lines that tell of a failure were logged: who filters by ERROR loses the others.

L4 (study P4) counts the same of its own logs. Counted are distinct lines: what sixteen ranks say alike is one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.parsing.vocabulary import Level
from kb.core.quality.figures import OF_LOGS, Figure, share
from tests.kb.core.diagnosis.evaluation.truth import Truth, events_of, text_of

NAMES = {
    Level.FATAL: "level_error", Level.ERROR: "level_error", Level.WARNING: "level_warning", Level.INFO: "level_info",
    Level.DEBUG: "level_debug", Level.UNKNOWN: "level_none",
}  # fmt: skip
BELOW_ERROR = ("level_warning", "level_info", "level_debug")


def levels_of(truth: Truth) -> Iterator[Level]:
    """The level of each distinct root line of a job; the gravest, where the same is said at several."""
    gravest: dict[str, Level] = {}
    lines = {number: text_of(name).split("\n") for number, name in enumerate(truth.files)}
    for place, event in events_of(truth, truth.root).items():
        level = parse_prefix(lines[place[0]][place[1] - 1]).level
        gravest[event] = max(gravest.get(event, Level.UNKNOWN), level)
    yield from gravest.values()


def figures(truths: Iterable[Truth], among: str) -> Iterator[Figure]:
    """The share of each level among all lines, of what stands below ERROR among lines that have a level, and of jobs
    without any line at ERROR or above.
    """
    by_job = [list(levels_of(truth)) for truth in truths if truth.root]
    counts = Counter(NAMES[level] for levels in by_job for level in levels)
    if not counts:
        return
    for name in dict.fromkeys(NAMES.values()):
        yield share(name, counts[name], counts.total(), among=among, by=OF_LOGS)
    levelled = counts.total() - counts["level_none"]
    if levelled:
        below = sum(counts[name] for name in BELOW_ERROR)
        yield share("below_error_share", below, levelled, among=among, by=OF_LOGS)
    gravest = [max(levels, default=Level.UNKNOWN) for levels in by_job]
    yield share(
        "job_without_error", sum(level < Level.ERROR for level in gravest), len(gravest), among=among, by=OF_LOGS
    )
