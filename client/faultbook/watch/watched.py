"""The facts of a watched run, as far as it has come."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from faultbook.watch.rhythm import Stall


@dataclass
class Run:
    """What is known of the run. `process` is None of a pipe.

    `status`: as `waitpid` has it, once it has ended; `told`: the last signal that told it to end, if one came;
    `was_killed`: we ended it, because it stood still.
    """

    command: Sequence[str]
    began: float
    process: int | None = None
    status: int | None = None
    ended: float | None = None
    told: int | None = None
    was_killed: bool = False
    stalls: list[Stall] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return (time.monotonic() if self.ended is None else self.ended) - self.began

    @property
    def stands_still(self) -> float:
        """For how long it has stood still, or did so until its end; 0 where it moves."""
        if not self.stalls or self.stalls[-1].again is not None:
            return 0.0
        return self.seconds - self.stalls[-1].noticed + self.stalls[-1].quiet
