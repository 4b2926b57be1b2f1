"""The measures themselves, the format of a judged set, and the regression that fits the weights."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.quality.figures import figure, measured
from tests.relevance.judged import FIELD, NO_ANSWER, QUERIES, read_judged
from tests.relevance.measures import mrr, ndcg, success
from tests.relevance.published import graded
from tests.relevance.questions import Question, Shown, table, verdict
from tests.relevance.regression import Sample, fit
from tests.support.measured import keep_or_compare

README = Path(__file__).with_name("README.md")
RELEVANT = {"a": 2, "b": 1}


class TestMeasures:
    @pytest.mark.parametrize(
        ("ranked", "expected"),
        [
            (["a", "b"], 1.0),
            (["x", "a"], (3 / math.log2(3)) / (3 + 1 / math.log2(3))),
            (["x"] * 10 + ["a"], 0.0),
            ([], 0.0),
        ],
    )
    def test_ndcg_by_hand(self, ranked: list[str], expected: float) -> None:
        assert ndcg(RELEVANT, ranked) == pytest.approx(expected)

    @given(st.permutations(["a", "b", "c", "x", "y"]))
    def test_no_order_beats_the_ideal_one(self, ranked: list[str]) -> None:
        assert 0 < ndcg(RELEVANT, ranked) <= ndcg(RELEVANT, ["a", "b"]) == 1

    def test_a_related_issue_is_right_only_where_there_is_no_other(self) -> None:
        assert (mrr(RELEVANT, ["b", "a"]), success(RELEVANT, ["b"])) == (0.5, 0.0)
        assert (mrr({"b": 1}, ["b"]), success({"b": 1}, ["b"])) == (1.0, 1.0)
        assert mrr(RELEVANT, ["x"] * 10 + ["a"]) == 0


class TestJudgedSet:
    def test_the_set_is_as_large_and_varied_as_it_claims(self) -> None:
        judged = read_judged(QUERIES)
        kinds = {query.kind for query in judged}
        assert len(judged) >= 120
        assert {"described", "error", "typo", "synonym", "topical", "chinese", "long", NO_ANSWER} == kinds
        assert sum(not query.is_answered for query in judged) >= 20
        assert 0.2 <= sum(query.held_out for query in judged) / len(judged) <= 0.4

    def test_there_are_enough_queries_of_other_fields_and_of_this_one(self) -> None:
        judged = read_judged(FIELD)
        assert sum(query.is_answered for query in judged) >= 25
        assert sum(not query.is_answered for query in judged) >= 25

    def test_only_class_and_held_out_may_be_left_out(self, tmp_path: Path) -> None:
        path = tmp_path / "queries.jsonl"
        path.write_text('{"query": "x", "relevant": {"u": 2}}\n\n{"query": "y", "relevant": {}}\n')
        assert [(one.kind, one.held_out) for one in read_judged(path)] == [("all", False), (NO_ANSWER, False)]

    @pytest.mark.parametrize(
        "line", ["{", '{"query": "x"}', '{"query": "", "relevant": {}}', '{"query": "x", "relevant": {"u": 3}}', "[]"]
    )
    def test_a_mistake_is_told_with_its_line(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "queries.jsonl"
        path.write_text(f'{{"query": "x", "relevant": {{}}}}\n{line}\n')
        with pytest.raises(ValueError, match=r"queries\.jsonl, line 2"):
            read_judged(path)


class TestRegression:
    def test_odds_are_found_again(self) -> None:
        """Three of four are better where the measure is 1: the logarithm of the odds is log 3."""
        samples = [Sample((1.0,), is_better) for is_better in (True, True, True, False)]
        assert fit(samples, ridge=0.0) == pytest.approx([math.log(3)], abs=1e-5)

    def test_a_ridge_pulls_towards_nothing(self) -> None:
        samples = [Sample((1.0, 0.0), is_better=True), Sample((0.0, 1.0), is_better=False)]
        weak, strong = fit(samples, ridge=0.1), fit(samples, ridge=10.0)
        assert weak[0] > strong[0] > 0 > strong[1] > weak[1]


class TestQuestions:
    WANTED = "https://github.com/a/b/issues/1"

    @pytest.mark.parametrize(
        ("place", "panel", "is_close", "given"),
        [
            (2, (), True, "answered"),
            (3, (), True, "helped"),
            (12, ("https://github.com/A/b/issues/1",), True, "answered"),
            (12, (), True, "misled"),
            (12, (), False, "nothing close"),
        ],
    )
    def test_a_question_is_judged_by_the_rank_of_its_answer(
        self, place: int, panel: tuple[str, ...], is_close: bool, given: str
    ) -> None:
        others = [f"https://github.com/a/b/issues/{number}" for number in range(2, 22)]
        others.insert(place, self.WANTED)
        assert verdict(Shown(tuple(others), panel, is_close=is_close), {self.WANTED}) == given

    def test_what_has_no_answer_is_counted_apart(self) -> None:
        some = [Question("a", "en", "words", self.WANTED), Question("b", "zh", "words", "")]
        lines = list(table(some, ["answered", "nothing close"]))
        assert lines[1].split() == ["all", "1", "100", "%", "0", "%", "0", "%", "0", "%"]
        assert lines[-1].split()[:3] == ["no", "answer", "1"]


class TestGraded:
    """The questions of practitioners, whose grades a judge gave: what the site shows is what was counted."""

    def test_the_site_shows_the_counts(self) -> None:
        now = graded()
        keep_or_compare("questions", now.figures, within=0, on=now.measured_on)
        assert measured("questions") == now

    def test_the_readme_says_the_same(self) -> None:
        words = " ".join(README.read_text(encoding="utf-8").split())
        unseen = figure(of="questions", name="answered")
        assert f"**{100 * unseen.value:.0f} %** ({unseen.value * unseen.n:.0f} of {unseen.n};" in words
        first = figure(of="questions", name="answered", among="practitioners")
        assert f"| {100 * first.value:.0f} % (49–66) |" in words
