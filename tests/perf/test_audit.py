"""Time of the audit at 38,742 items x 7 votes, and its errors over many simulated panels. Run with `make bench`.

Nothing is asserted of times: what is promised stands in the last column. Errors are counted with other seeds than in
the tests, and more of them.
"""

import time
from collections.abc import Callable

import pytest

from kb.audit import CHECKS, audit
from kb.audit.findings import Share
from kb.audit.panels import Panel
from tests.kb.audit.panels import accused, dice_panel, honest_panel, whole_honest_panel, with_copy, with_final_of

ITEMS, COLUMNS, THEMES = 38_742, 7, 18
HONEST, CHEATS, FIRST_SEED = 2_000, 200, 100_000
PROMISED_SECONDS = 2


def test_the_audit_of_the_biggest_set_is_quick(capsys: pytest.CaptureFixture[str]) -> None:
    panel = dice_panel(38_742, size=ITEMS, columns=COLUMNS, answers=THEMES)
    lines = []
    for check in CHECKS:
        began = time.perf_counter()
        check(panel)
        lines.append(f"{check.__module__:28} {time.perf_counter() - began:8.3f} s")
    began = time.perf_counter()
    audit(panel)
    lines.append(f"{'all together':28} {time.perf_counter() - began:8.3f} s   promised: {PROMISED_SECONDS} s")
    with capsys.disabled():
        print(f"\nAudit of {ITEMS:,} x {COLUMNS} votes", *lines, sep="\n")  # noqa: T201


def test_how_often_it_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    cheats: dict[str, Callable[[int], Panel]] = {
        "one column is the final label": lambda seed: with_final_of(whole_honest_panel(seed), seed % 6),
        "one column copied, 2 % noise": lambda seed: with_copy(whole_honest_panel(seed), seed),
        "dissent thrown": dice_panel,
    }
    seeds = range(FIRST_SEED, FIRST_SEED + HONEST)
    wrong = Share(sum(bool(accused(honest_panel(seed))) for seed in seeds), HONEST)
    lines = [f"{'honest, accused of anything':34} {wrong}   promised: at most 5 %"]
    for name, make in cheats.items():
        hits = sum(bool(accused(make(FIRST_SEED + number))) for number in range(CHEATS))
        lines.append(f"{name + ', found':34} {Share(hits, CHEATS)}   promised: at least 95 %")
    with capsys.disabled():
        print("", *lines, sep="\n")  # noqa: T201
    assert wrong.cases <= 0.05 * HONEST
