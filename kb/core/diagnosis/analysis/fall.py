"""From when on the run was lost: what is written after that follows from it, unless it comes from who is to blame."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.core.diagnosis.analysis.order import Key, Order
from kb.core.diagnosis.scanning.records import Occurrence, Template

# Roles of lines that are written because something went wrong before them.
FOLLOWING = frozenset({"cascade", "teardown", "cancel"})
# A hint is not enough to say that a run is lost.
LEAST_WEIGHT = 2
# A job of steps may get over a step that failed: so many lines later, it did.
WENT_ON = 150


@dataclass(frozen=True)
class Fall:
    """`lost`: the first line that says so, of what ended the run. `before`: the last line of an earlier trouble.

    Both are None where there is none.
    """

    lost: Key | None
    before: Key | None


def fall(
    templates: Sequence[Template], order: Order, survived: Callable[[Occurrence], bool], *, in_steps: bool
) -> Fall:
    """Find the first line that is written only when something went wrong before it, and that the run did not survive.

    `in_steps`: the log is of a job that does one thing after the other, and none of them is a training step.
    """
    keys = sorted(
        order.key(at.place, at.said or at.when)
        for template in templates
        if template.signals and _follows(template)
        for at in template.occurrences
        if not survived(at) and (order.is_single or order.moment(at) is not None)
    )
    if not keys:
        return Fall(None, None)
    if in_steps and order.is_single:
        for earlier, later in reversed(list(pairwise(keys))):
            if later[2] - earlier[2] > WENT_ON:
                return Fall(later, earlier)
    return Fall(keys[0], None)


def _follows(template: Template) -> bool:
    signal = template.signals[0]
    return signal.role in FOLLOWING and signal.weight >= LEAST_WEIGHT
