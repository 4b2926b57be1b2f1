"""When a mirror's issues were last looked at, kept by stretches of our ids: up to which id, and since when. Pure.

A stretch begins behind the one before it. Moments are whole seconds since 1970.
"""

import datetime as dt
from collections.abc import Sequence

Stretch = Sequence[int]
# Looks within this time are one stretch, so that a day's looks at a large repository are few of them.
TOGETHER_SECONDS = 3_600


def looked(
    stretches: Sequence[Stretch], *, after: int, up_to: int, at: dt.datetime, is_end: bool = False
) -> list[Stretch]:
    """The stretches once the ids behind `after` were looked at; `is_end` when there are none behind `up_to`."""
    before = [stretch for stretch in stretches if stretch[0] <= after]
    behind = [stretch for stretch in stretches if stretch[0] > after]
    moment = int(at.timestamp())
    if after and behind and (not before or before[-1][0] < after):
        before.append([after, behind[0][1]])
    if before and before[-1][0] == after and 0 <= moment - before[-1][1] < TOGETHER_SECONDS:
        moment = before.pop()[1]
    before.append([up_to, moment])
    if is_end:
        return before
    return before + [stretch for stretch in behind if stretch[0] > up_to]


def seen_since(stretches: Sequence[Stretch]) -> dt.datetime | None:
    """Since when every issue within the stretches was looked at."""
    if not stretches:
        return None
    return dt.datetime.fromtimestamp(min(moment for _, moment in stretches), dt.UTC)
