"""Published kappas from the published votes, read from the files as they are."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeling.agreement import report_axis, tabulate
from labeling.agreement.votes import Row
from tests.labeling.agreement.strategies import coefficient

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = [pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data"), pytest.mark.real_data]


def themes() -> Iterator[tuple[str, list[Row]]]:
    """Each report's type, the first letter of its final theme, and its seven votes."""
    for file in sorted((DATA / "llm-challenges").glob("*.csv")):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            for number, line in enumerate(csv.DictReader(lines)):
                votes = ((f"{file.stem} {number}", f"r{one}", line[f"Label{one}"].strip()) for one in range(1, 8))
                yield line["Final_Label"].strip()[0], [(unit, who, frozenset({code})) for unit, who, code in votes]


def silent_bugs() -> Iterator[Row]:
    """Three reviewers' votes: is it a silent bug?"""
    with (DATA / "silent-bugs-keras" / "issues_voting.csv").open(encoding="utf-8-sig", newline="") as lines:
        for line in csv.DictReader(lines):
            for one in ("reviewer1", "reviewer2", "reviewer3"):
                yield line["url"], one, frozenset({"yes" if float(line[one]) else "no"})


@pytest.fixture(scope="module")
def llm_challenges() -> list[tuple[str, list[Row]]]:
    return list(themes())


@pytest.mark.parametrize(("kind", "published"), [("C", 0.717), ("B", 0.755), ("A", 0.757)])
def test_llm_challenges(llm_challenges: list[tuple[str, list[Row]]], kind: str, published: float) -> None:
    table = tabulate(row for one, votes in llm_challenges if one == kind for row in votes)
    kappa = coefficient(table, "fleiss", samples=200)
    assert kappa.value is not None
    assert round(kappa.value, 3) == published
    assert kappa.missing == 0
    assert kappa.interval is not None
    assert kappa.interval.low is not None
    assert kappa.interval.high is not None
    assert published - 0.05 < kappa.interval.low < kappa.value < kappa.interval.high < published + 0.05


def test_silent_bugs_keras() -> None:
    report = report_axis("silent", tabulate(silent_bugs()), samples=200)
    kappa = report.coefficient("fleiss")
    assert kappa.value is not None
    assert round(kappa.value, 3) == 0.701
    # The mapping's note: the first reviewer says yes wherever anybody does.
    first = report.dissent[0]
    assert [one.code for one in first.towards] == ["yes"]
