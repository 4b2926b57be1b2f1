"""The finding of a ranking: one category leads, or two that chance may put in either order."""

import pytest

from kb.charts.chart import Heading
from kb.charts.dimensions import FRAMEWORK, SYMPTOM
from kb.charts.ranking import finding
from kb.charts.shares import CategoryShare, Share


def shares(of: int, **issues: int) -> list[CategoryShare]:
    return [CategoryShare(Heading(name, name.capitalize()), Share(number, of)) for name, number in issues.items()]


def test_one_that_leads_beyond_chance_is_named_alone_with_its_numbers() -> None:
    said = finding(SYMPTOM, shares(100, crash=20, hang=70))
    assert said.headline == "Hang is the most common symptom: 70 %"
    assert said.numbers == "70 of 100 issues, 95 % interval 60–78 %"


def test_two_that_chance_may_put_in_either_order_are_both_named() -> None:
    said = finding(SYMPTOM, shares(100, crash=38, hang=40))
    assert said.headline == "Hang and Crash are the most common symptoms: 40 % and 38 %"
    assert said.numbers == "40 and 38 of 100 issues, 95 % intervals 31–50 % and 29–48 %"


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({"vllm": 70, "nccl": 2}, "Vllm has the most issues: 70 %"),
        ({"vllm": 40, "nccl": 38}, "Vllm and Nccl have the most issues: 40 % and 38 %"),
        ({"vllm": 100}, "Only one framework: Vllm"),
    ],
)
def test_a_framework_is_not_common_but_has_issues(counts: dict[str, int], says: str) -> None:
    assert finding(FRAMEWORK, shares(100, **counts)).headline == says


def test_of_nothing_there_is_none() -> None:
    assert finding(SYMPTOM, []).sentence == ""
