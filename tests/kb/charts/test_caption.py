"""Captions: what a chart says of itself wherever it is shown."""

import datetime as dt

import pytest

from kb.charts.caption import Origin, caption
from kb.charts.chart import LABELLED_OR_NOT, Counted, Drawn, Table

DAY = dt.date(2026, 3, 4)


def drawn(issues: int = 1_200, sentence: str = "Hang rises.", sources: tuple[tuple[str, int], ...] = ()) -> Drawn:
    counted = Counted(issues, 4_000, "whose symptom is known")
    return Drawn(counted, {"data": []}, Table("", (), ()), (), sources=sources, sentence=sentence)


def origin(*filters: str, version: str = "7") -> Origin:
    return Origin("house", version, DAY, filters, "https://kb.example/explore/charts/stages/?level=2")


def test_the_finding_is_the_title_and_the_name_where_there_is_none() -> None:
    assert caption("Stages", drawn(), origin()).title == "Hang rises."
    assert caption("Stages", drawn(sentence=""), origin()).title == "Stages"


@pytest.mark.parametrize(
    "part",
    [
        "n = 1,200 issues whose symptom is known, of 4,000 labelled issues with framework: DeepSpeed; year: 2024",
        "95 %",
        "Curators (900), Round 1 (250), P1 (40), 2 more",
        "house codebook, version 7",
        "Not a random sample",
        "Counted 4 March 2026",
        "kb.example/explore/charts/stages/?level=2",
    ],
)
def test_says_what_is_counted_how_sure_it_is_and_where_it_comes_from(part: str) -> None:
    sources = (("Curators", 900), ("P2", 5), ("P1", 40), ("Round 1", 250), ("P3", 5))
    lines = caption("Stages", drawn(sources=sources), origin("framework: DeepSpeed", "year: 2024")).lines
    assert any(part in line for line in lines), lines
    assert not any("https://" in line for line in lines)


def test_what_hosts_state_has_no_labels() -> None:
    counted = Counted(10, 20, "whose time is known", LABELLED_OR_NOT)
    said = caption("Effort", Drawn(counted, {"data": []}, Table("", (), ()), ()), origin())
    assert "of 20 issues, labelled or not." in said.counted
    assert said.origin == "Source: what the issues’ hosts state. Not a random sample. Counted 4 March 2026."


def test_one_issue_and_no_version_are_written_as_such() -> None:
    said = caption("Stages", drawn(1), origin(version=""))
    assert "n = 1 issue whose" in said.counted
    assert "house codebook. Not" in said.origin
