"""Time of all agreement at 38,742 issues x 7 votes, beside other libraries in the same run. Run with `make bench`.

The votes are made up, of the size and with about the agreement of the biggest published set: 18 themes, each unit
with a right one that five of six votes give. Nothing is asserted: what is promised stands in the last column.
Computing time counts all threads together, so that it is that of one core.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import krippendorff
import numpy as np
import pytest

from labeling.agreement import report_axis, tabulate
from labeling.agreement.votes import Row, VoteTable

UNITS, ANNOTATORS, THEMES = 38_742, 7, 18
SAMPLES = 1_000


@dataclass(frozen=True)
class Took:
    """What was done and how many seconds it took: by the clock, and of computing."""

    what: str
    clock: float
    computing: float
    promised: str = ""

    def __str__(self) -> str:
        return f"{self.what:58} {self.clock:8.2f} s {self.computing:8.2f} s   {self.promised}"


def timed(what: str, work: Callable[[], object], promised: str = "") -> Took:
    clock, computing = time.perf_counter(), time.process_time()
    work()
    return Took(what, time.perf_counter() - clock, time.process_time() - computing, promised)


def made_up() -> list[Row]:
    random = np.random.default_rng(38_742)
    right = random.integers(THEMES, size=(UNITS, 1))
    other = random.integers(THEMES, size=(UNITS, ANNOTATORS))
    codes = np.where(random.random((UNITS, ANNOTATORS)) < 5 / 6, right, other).tolist()
    themes = [frozenset({f"T{number:02}"}) for number in range(THEMES)]
    return [(unit, f"r{who}", themes[code]) for unit, row in enumerate(codes) for who, code in enumerate(row)]


def others(table: VoteTable) -> list[Took]:
    """One coefficient each, and no interval."""
    votes = table.cells.astype(np.float64)
    raters = import_module("statsmodels.stats.inter_rater")  # it has no types
    return [
        timed(
            "krippendorff: alpha alone",
            lambda: krippendorff.alpha(reliability_data=votes.T, level_of_measurement="nominal"),
        ),
        timed(
            "statsmodels: Fleiss' kappa alone",
            lambda: raters.fleiss_kappa(raters.aggregate_raters(table.cells)[0]),
        ),
    ]


def test_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    rows = made_up()
    table = tabulate(rows)
    lines = [
        timed("the table from rows", lambda: tabulate(rows)),
        timed(
            "all coefficients, nodes, pairs, annotators, confusion",
            lambda: report_axis("theme", table, samples=0),
            "under 1 s",
        ),
        timed(
            f"the same with {SAMPLES:,} bootstrap samples of all of them",
            lambda: report_axis("theme", table, samples=SAMPLES),
            "under 10 s",
        ),
        *others(table),
    ]
    with capsys.disabled():
        title = f"{UNITS:,} units x {ANNOTATORS} votes, {len(table.answers)} answers"
        print("\n".join(["", f"{title:58} {'clock':>10} {'computing':>10}", *map(str, lines)]))  # noqa: T201
