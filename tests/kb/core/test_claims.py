"""Verdicts on published values: what an interval excludes, where it is too wide to say, and what one sentence says."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.core.claims import (
    FEWEST,
    HIDDEN,
    NARROW,
    PublishedShare,
    Verdict,
    are_apart,
    judge_figure,
    judge_never,
    judge_order,
    judge_ratio,
    judge_share,
)
from kb.core.intervals import Interval, newcombe, wilson

PUBLISHED = st.floats(0, 1)


@st.composite
def counted(draw: st.DrawFn, fewest: int = FEWEST) -> tuple[int, int]:
    of = draw(st.integers(fewest, 3_000))
    return draw(st.integers(0, of)), of


@st.composite
def few_counted(draw: st.DrawFn) -> tuple[int, int]:
    of = draw(st.integers(0, FEWEST - 1))
    return draw(st.integers(0, of)), of


class TestShares:
    @given(counted(), PUBLISHED)
    def test_differs_exactly_where_the_interval_leaves_the_published_share_out(
        self, ours: tuple[int, int], published: float
    ) -> None:
        interval = wilson(*ours)
        verdict = judge_share(*ours, PublishedShare(published)).verdict
        assert (verdict is Verdict.DIFFERS) == (not interval.low <= published <= interval.high)

    @given(counted(), PUBLISHED)
    def test_holds_only_where_the_interval_is_narrow(self, ours: tuple[int, int], published: float) -> None:
        interval = wilson(*ours)
        if judge_share(*ours, PublishedShare(published)).verdict is Verdict.HOLDS:
            assert interval.high - interval.low <= 2 * NARROW
            assert interval.low <= published <= interval.high

    @given(counted(), counted(fewest=1))
    def test_with_the_size_of_their_sample_the_difference_decides(
        self, ours: tuple[int, int], theirs: tuple[int, int]
    ) -> None:
        between = newcombe(*ours, *theirs)
        verdict = judge_share(*ours, PublishedShare(theirs[0] / theirs[1], of=theirs[1])).verdict
        assert (verdict is Verdict.DIFFERS) == (between.low > 0 or between.high < 0)

    @given(few_counted(), PUBLISHED, st.sampled_from([None, "at_least", "at_most", "about"]))
    def test_fewer_than_ten_say_nothing(self, ours: tuple[int, int], published: float, bound: None) -> None:
        assert judge_share(*ours, PublishedShare(published, bound=bound)).verdict is Verdict.TOO_FEW

    @given(counted())
    def test_there_is_no_verdict_where_nothing_was_printed(self, ours: tuple[int, int]) -> None:
        judgement = judge_share(*ours, None)
        assert judgement.verdict is None
        assert "printed no number" in judgement.sentence

    @given(counted(), PUBLISHED)
    def test_about_a_value_is_never_stricter_than_the_value(self, ours: tuple[int, int], published: float) -> None:
        exact = judge_share(*ours, PublishedShare(published)).verdict
        about = judge_share(*ours, PublishedShare(published, bound="about")).verdict
        if about is Verdict.DIFFERS:
            assert exact is Verdict.DIFFERS

    @pytest.mark.parametrize(
        ("ours", "published", "verdict", "sentence"),
        [
            ((45, 100), PublishedShare(0.48), "holds", "Ours lies between 36 and 55 %, so 48 % is possible."),
            ((35, 97), PublishedShare(0.6), "differs", "Ours lies between 27 and 46 %: 60 % is excluded."),
            (
                (9, 20),
                PublishedShare(0.48),
                "too few",
                "Ours lies between 26 and 66 %: 48 % is possible, and so is much else.",
            ),
            (
                (35, 97),
                PublishedShare(0.48, of=308),
                "differs",
                "Ours lies between 27 and 46 %, the difference between −22.4 and −0.6 points: 48 % of 308 is excluded.",
            ),
            ((3, 8), PublishedShare(0.48), "too few", "8 of our records answer: fewer than 10 say nothing."),
        ],
    )
    def test_a_sentence_says_what_the_interval_allows(
        self, ours: tuple[int, int], published: PublishedShare, verdict: str, sentence: str
    ) -> None:
        judgement = judge_share(*ours, published)
        assert judgement.verdict
        assert (judgement.verdict.value, judgement.sentence) == (verdict, sentence)


class TestBounds:
    @given(counted(), PUBLISHED, st.sampled_from(["at_least", "at_most"]))
    def test_the_whole_interval_must_lie_on_one_side(self, ours: tuple[int, int], published: float, bound: str) -> None:
        interval = wilson(*ours)
        assume(published not in (interval.low, interval.high))
        above, below = interval.low > published, interval.high < published
        right, wrong = (above, below) if bound == "at_least" else (below, above)
        expected = Verdict.HOLDS if right else Verdict.DIFFERS if wrong else Verdict.TOO_FEW
        assert judge_share(*ours, PublishedShare(published, bound=bound)).verdict is expected  # type: ignore[arg-type]


class TestNever:
    @given(st.integers(1, 500), st.integers(0, 500))
    def test_one_case_refutes_it(self, cases: int, others: int) -> None:
        judgement = judge_never(cases, cases + others)
        assert judgement.verdict is Verdict.DIFFERS
        assert f"{cases:,} among" in judgement.sentence or "is one among" in judgement.sentence

    @given(st.integers(FEWEST, 2_000))
    def test_none_holds_only_where_hardly_any_may_be_hidden(self, of: int) -> None:
        holds = judge_never(0, of).verdict is Verdict.HOLDS
        assert holds == (wilson(0, of).high <= HIDDEN)

    @given(st.integers(0, FEWEST - 1))
    def test_none_of_fewer_than_ten_says_nothing(self, of: int) -> None:
        assert judge_never(0, of).verdict is Verdict.TOO_FEW


class TestRatios:
    @given(st.integers(0, 400), st.integers(0, 400), st.floats(0.01, 100))
    def test_is_judged_as_the_share_of_the_first(self, first: int, second: int, published: float) -> None:
        assume(first + second >= FEWEST)
        as_share = judge_share(first, first + second, PublishedShare(published / (1 + published)))
        assert judge_ratio(first, second, published).verdict is as_share.verdict

    @given(st.integers(0, 4), st.integers(0, 5), st.floats(0.01, 100))
    def test_fewer_than_ten_say_nothing(self, first: int, second: int, published: float) -> None:
        assert judge_ratio(first, second, published).verdict is Verdict.TOO_FEW

    def test_says_the_ratios_that_are_possible(self) -> None:
        assert (
            judge_ratio(200, 100, 2.0).sentence == "Ours lies between 1.6 to 1 and 2.5 to 1, so 2.0 to 1 is possible."
        )

    def test_nothing_of_the_second_allows_any_ratio(self) -> None:
        assert "any number to 1" in judge_ratio(30, 0, 2.0).sentence


COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 200), min_size=2, max_size=8)


class TestOrders:
    def test_holds_where_ours_is_the_same_and_ends_clearly(self) -> None:
        assert judge_order({"a": 90, "b": 60, "c": 20}, 170, ["a", "b"]).verdict is Verdict.HOLDS

    def test_the_same_codes_in_another_order_hold_only_where_none_is_claimed(self) -> None:
        counts = {"a": 60, "b": 61, "c": 20}
        assert judge_order(counts, 140, ["a", "b"], any_order=True).verdict is Verdict.HOLDS
        assert judge_order(counts, 140, ["a", "b"]).verdict is Verdict.TOO_FEW

    def test_a_last_code_that_cannot_be_told_from_the_next_is_too_few(self) -> None:
        assert judge_order({"a": 90, "b": 30, "c": 28}, 148, ["a", "b"]).verdict is Verdict.TOO_FEW

    def test_differs_where_a_code_that_is_not_named_is_clearly_above(self) -> None:
        judgement = judge_order({"a": 90, "b": 10, "c": 60}, 160, ["a", "b"], any_order=True)
        assert judgement.verdict is Verdict.DIFFERS
        assert judgement.sentence == "Ours has c clearly above b, which the order excludes."

    @given(COUNTS, st.data())
    def test_differs_only_where_two_codes_are_apart_the_other_way_round(
        self, counts: dict[str, int], data: st.DataObject
    ) -> None:
        order = data.draw(st.permutations(sorted(counts)))[: len(counts) // 2]
        judgement = judge_order(counts, max(FEWEST, sum(counts.values())), order)
        turned = False
        for place, code in enumerate(order):
            for later in set(counts).difference(order[: place + 1]):
                turned |= counts[later] > counts[code] and are_apart(counts[code], counts[later])
        assert (judgement.verdict is Verdict.DIFFERS) == turned

    @given(COUNTS)
    def test_our_own_order_never_differs(self, counts: dict[str, int]) -> None:
        order = sorted(counts, key=lambda code: -counts[code])
        for top in range(1, len(order) + 1):
            assert judge_order(counts, 1_000, order[:top]).verdict is not Verdict.DIFFERS

    def test_fewer_than_ten_issues_say_nothing(self) -> None:
        assert judge_order({"a": 9, "b": 0}, 9, ["a"]).verdict is Verdict.TOO_FEW

    def test_without_a_published_order_there_is_no_verdict(self) -> None:
        assert judge_order({"a": 9, "b": 0}, 90, []).verdict is None


class TestFigures:
    @pytest.mark.parametrize(
        ("low", "high", "of", "published", "verdict"),
        [
            (0.85, 0.95, 200, 0.873, Verdict.HOLDS),
            (0.90, 0.95, 200, 0.873, Verdict.DIFFERS),
            (0.60, 0.95, 30, 0.873, Verdict.TOO_FEW),
            (0.85, 0.95, 9, 0.873, Verdict.TOO_FEW),
            (0.85, 0.95, 200, None, None),
        ],
    )
    def test_is_judged_by_its_own_interval(
        self, low: float, high: float, of: int, published: float | None, verdict: Verdict | None
    ) -> None:
        assert judge_figure(Interval(low, high), of, published).verdict is verdict
