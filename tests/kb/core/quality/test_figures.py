"""The measured figures: their files are whole and in order, and a figure is found by its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kb.core.quality.figures import (
    MAIN,
    SUBJECTS,
    Figure,
    Measured,
    Subject,
    figure,
    measured,
    path_of,
    replaced,
    share,
    written,
)

CLAIMED = (
    "f1", "precision", "recall", "hit_1", "node_top_1", "node_top_3", "node_top_5", "node_top_8", "below_error_share",
)  # fmt: skip
# A correlation coefficient: it may lie below 0.
SIGNED = {"alpha", "alpha_masi", "alpha_top"}


@pytest.mark.parametrize("of", SUBJECTS)
class TestFiles:
    def test_a_file_is_as_it_would_be_written(self, of: Subject) -> None:
        found = measured(of)
        assert found.of == of
        assert path_of(found.of).read_text(encoding="utf-8") == written(found)

    def test_a_share_is_no_less_than_nothing(self, of: Subject) -> None:
        figures = measured(of).figures
        assert figures
        assert [one for one in figures if one.value < 0 and one.name not in SIGNED] == []

    def test_something_was_measured_where_nothing_was_tuned(self, of: Subject) -> None:
        found = measured(of)
        assert [one for one in found.figures if one.among == MAIN[found.of]]


class TestFigure:
    @pytest.mark.parametrize("name", CLAIMED)
    def test_what_claims_ask_of_the_diagnosis_is_there(self, name: str) -> None:
        found = figure(of="diagnosis", name=name)
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1

    def test_means_the_held_out_logs_unless_others_are_named(self) -> None:
        assert figure(of="diagnosis", name="f1").among == "held_out"
        assert figure(of="diagnosis", name="f1", among="judged").n != figure(of="diagnosis", name="f1").n
        assert figure(of="diagnosis", name="f1", by="nvidia_rules").by == "nvidia_rules"

    def test_what_is_true_of_the_logs_is_asked_of_all_real_ones(self) -> None:
        found = figure(of="diagnosis", name="below_error_share")
        assert (found.by, found.among) == ("logs", "real")

    def test_what_was_not_measured_is_not_made_up(self) -> None:
        with pytest.raises(LookupError, match="node_top_9 of diagnosis"):
            figure(of="diagnosis", name="node_top_9")

    def test_an_interval_is_around_the_value(self) -> None:
        with pytest.raises(ValidationError, match="outside"):
            Figure(among="a", name="b", value=0.5, n=3, low=0.6, high=0.7)
        with pytest.raises(ValidationError, match="two ends"):
            Figure(among="a", name="b", value=0.5, n=3, low=0.4)

    def test_a_share_of_no_cases_is_none(self) -> None:
        with pytest.raises(ValueError, match="no cases"):
            share("a", 0, 0, among="b")

    @given(n=st.integers(1, 10_000), part=st.floats(0, 1))
    def test_an_interval_holds_the_share_whatever_is_rounded(self, n: int, part: float) -> None:
        found = share("a", round(part * n), n, among="b")
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1

    def test_a_new_figure_takes_its_namesakes_place(self) -> None:
        old = [share(name, 1, 2, among="a") for name in ("one", "two")]
        new = [share("one", 2, 2, among="a"), share("three", 2, 2, among="a")]
        assert [(one.name, one.value) for one in replaced(old, new)] == [("one", 1), ("two", 0.5), ("three", 1)]

    def test_a_file_holds_each_once(self) -> None:
        twice = share("one", 1, 2, among="a")
        with pytest.raises(ValidationError, match="twice"):
            Measured(of="search", measured_on="2026-01-02", figures=(twice, twice))
