"""Two hundred thousand damaged logs: the slowest diagnosis and the memory of all. Run with `make bench ONLY=fuzz`.

A few thousand of them are tried in tests/kb/core/diagnosis/test_fuzz.py.
"""

import os
import resource

import pytest

from tests.kb.core.diagnosis.fuzz import Case, diagnosed_cases

CASES = int(os.environ.get("FUZZ_CASES", "200000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
MOST_SECONDS, MOST_MIB = 5.0, 1024


def test_damaged_logs(capsys: pytest.CaptureFixture[str]) -> None:
    total, slowest = 0.0, Case(b"", 0.0, "")
    for case in diagnosed_cases(seed=SEED, count=CASES):
        total += case.seconds
        slowest = max(slowest, case, key=lambda one: one.seconds)
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with capsys.disabled():
        print(f"\n{CASES:,} damaged logs in {total:.0f} s; slowest {slowest.seconds:.2f} s; {mib:.0f} MiB")  # noqa: T201
    assert slowest.seconds <= MOST_SECONDS, slowest.log
    assert mib <= MOST_MIB
