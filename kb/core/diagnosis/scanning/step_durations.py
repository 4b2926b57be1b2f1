"""How long steps took, read off many lines at once by where their numbers stand. Nothing else of steps is read here."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.parsing.masking import RUN
from kb.core.diagnosis.scanning.lines import Lines, Numbers

Values: TypeAlias = npt.NDArray[np.float64]
# A number that is written longer than this is none that a run takes.
LONGEST = 64


@dataclass(frozen=True, slots=True)
class Pace:
    """Where the lines of a key tell it: from so many bytes `before` their `first` run of digits to so many `after`
    their `last`, in units of so many seconds.
    """

    first: int
    before: int
    last: int
    after: int
    unit: float

    def of(self, lines: Lines, members: Numbers) -> Values:
        """Seconds that each of these lines tells."""
        runs = lines.first_runs[members]
        starts = lines.run_starts[runs + self.first] - self.before
        ends = lines.run_starts[runs + self.last] + lines.run_lengths[runs + self.last] + self.after
        widths = np.minimum(ends - starts, LONGEST)
        columns = np.arange(int(widths.max(initial=1)))
        places = np.minimum(starts[:, None] + columns, lines.raw.size - 1)
        written = np.where(columns < widths[:, None], lines.raw[places], 0).astype(np.uint8)
        values: Values = written.view(f"S{columns.size}").ravel().astype(np.float64) * self.unit
        return values


def pace(line: str, span: tuple[int, int], unit: float) -> Pace | None:
    """Where lines like this one tell it that have it here; none where that cannot be said by runs of digits."""
    start, end = span
    runs = list(RUN.finditer(line, 0, end))
    inner = [number for number, run in enumerate(runs) if run.start() >= start]
    if not inner or not line[start:end].isascii() or end - start > LONGEST:
        return None
    first, last = runs[inner[0]], runs[inner[-1]]
    return Pace(inner[0], first.start() - start, inner[-1], end - last.end(), unit)
