"""The study of 38,742 reports replayed as a project: its scheme, its 271,000 votes, its kappas and its table of themes.

Questions are replayed by the gate (tests/labeling/results/test_real_data.py). Run with `make bench ONLY=replay`.
"""

import time

import pytest

from tests.labeling.results.test_real_data import DATA, check_replay

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")]


@pytest.mark.usefixtures("codebook")
@pytest.mark.parametrize(("kind", "kappa"), [("B", "0.755"), ("C", "0.717")])
def test_requirements_and_bugs(kind: str, kappa: str, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.perf_counter()
    check_replay(kind, kappa)
    with capsys.disabled():
        print(f"\n{kind}: taken in, settled and measured in {time.perf_counter() - started:.0f} s")  # noqa: T201
