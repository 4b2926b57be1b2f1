"""What is known given a symptom, counted anew, and the sentences about it, which claim no more than the numbers."""

from collections import Counter
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.chart import Heading
from kb.charts.counting import Tally
from kb.charts.figures import times_range
from kb.charts.given import EXAMPLES, Cause, KnownHeadings, Report, causes
from kb.charts.given_words import beside_usual, duration, first_look, median_time
from kb.charts.lift import lift
from kb.charts.median import Median
from kb.charts.shares import Share
from kb.core.intervals import Interval, wilson
from kb.exports.given import cause_records

CODES = ("a", "b", "c", "d")
HEADINGS = KnownHeadings(
    *({code: Heading(code, code.upper(), url=f"/{key}/{code}") for code in CODES} for key in ("cause", "fix", "stage"))
)
SETS = st.sets(st.sampled_from(CODES), max_size=3).map(tuple)
REPORTS = st.lists(
    st.builds(
        Report,
        st.integers(1, 10**6),
        SETS,
        SETS,
        SETS,
        st.none() | st.integers(0, 9_000),
        st.none() | st.booleans(),
        st.tuples(st.integers(-2, 0), st.integers(0, 5)),
    ),
    unique_by=lambda report: report.issue_id,
    max_size=12,
)


def counted(reports: list[Report], more: int = 0) -> Tally:
    """The same causes over these issues and others."""
    counts = Counter(code for report in reports for code in report.causes)
    return Tally(counts, sum(1 for report in reports if report.causes) + more, len(reports) + more)


def made(**issues: int) -> tuple[Cause, ...]:
    """Causes with so many issues each."""
    found = [code for code, several in issues.items() for _ in range(several)]
    reports = [Report(i, (code,), (), (), None, None, (0,)) for i, code in enumerate(found)]
    return causes(reports, counted(reports), HEADINGS)[0]


class TestCauses:
    @given(REPORTS, st.integers(0, 50))
    def test_are_what_issues_say_one_by_one(self, reports: list[Report], more: int) -> None:
        found, known = causes(reports, counted(reports, more), HEADINGS)
        assert known == sum(1 for report in reports if report.causes)
        assert {one.heading.code for one in found} == {code for report in reports for code in report.causes}
        for one in found:
            own = [report for report in reports if one.heading.code in report.causes]
            assert (one.share.issues, one.share.of) == (len(own), known)
            assert one.lift == lift(both=len(own), one=known, other=len(own), of=known + more)
            hours = [report.hours for report in own if report.hours is not None]
            assert (one.hours.value if one.hours else None) == (median(hours) if hours else None)
            sized = [report.is_small for report in own if report.is_small is not None]
            assert ((one.small.issues, one.small.of) if one.small else (0, 0)) == (sum(sized), len(sized))
            for likely, several in ((one.fixes, "fixes"), (one.stages, "stages")):
                for each in likely:
                    having = [report for report in own if each.heading.code in getattr(report, several)]
                    answered = [report for report in own if getattr(report, several)]
                    assert (each.share.issues, each.share.of) == (len(having), len(answered))

    @given(REPORTS)
    def test_come_likeliest_first_and_so_do_their_fixes(self, reports: list[Report]) -> None:
        found, _ = causes(reports, counted(reports), HEADINGS)
        assert [one.share.issues for one in found] == sorted((one.share.issues for one in found), reverse=True)
        for one in found:
            assert [each.share.issues for each in one.fixes] == sorted(
                (each.share.issues for each in one.fixes), reverse=True
            )

    @given(REPORTS)
    def test_have_their_best_issues_as_examples(self, reports: list[Report]) -> None:
        for one in causes(reports, counted(reports), HEADINGS)[0]:
            own = sorted((r.rank, r.issue_id) for r in reports if one.heading.code in r.causes)
            assert list(one.examples) == [pk for _, pk in own[:EXAMPLES]]

    def test_have_no_lift_where_the_base_does_not_hold_them_all(self) -> None:
        reports = [Report(1, ("a",), (), (), None, None, (0,))]
        (one,), _ = causes(reports, Tally(Counter(), 0, 0), HEADINGS)
        assert one.lift is None
        assert "could not be counted" in beside_usual(one.lift)
        assert cause_records([one])[0]["lift"] is None

    def test_as_records_hold_the_same_numbers(self) -> None:
        record = cause_records(made(a=3, b=1))[0]
        assert (record["cause"], record["issues"], record["of"], record["share"]) == ("a", 3, 4, 0.75)
        assert (record["share_low"], record["share_high"]) == (wilson(3, 4).low, wilson(3, 4).high)
        assert (record["median_hours"], record["closed_issues"], record["small_fix_share"]) == (None, 0, None)


class TestFirstLook:
    def test_names_the_likeliest_cause_and_the_next_with_their_intervals_and_n(self) -> None:
        assert first_look(made(a=11, b=6, c=3)) == (
            "Most often A (55 %, 34–74 %); next B (30 %, 15–52 %); from 20 issues with a known cause."
        )

    def test_marks_a_small_sample_and_says_nothing_of_a_smaller_one(self) -> None:
        assert first_look(made(a=5)) == (
            "Most often A (100 %, 57–100 %); from 5 issues with a known cause: small sample (n = 5)."
        )
        assert first_look(made(a=3)) == "Too few issues with a known cause to compare causes: small sample (n = 3)."

    def test_calls_none_the_first_of_equals(self) -> None:
        assert first_look(made(a=6, b=6)).startswith("Equally often A and B (50 %, 25–75 % each); from 12")

    def test_says_that_none_stands_out_of_single_issues(self) -> None:
        singles = [replace(cause, share=Share(1, 8)) for cause in made(a=1, b=1)]
        assert "each of 2 was seen in one issue only, from 8 issues" in first_look(singles)
        assert "the only one was seen once" in first_look(singles[:1])

    def test_says_nothing_of_nothing(self) -> None:
        assert first_look(()) == ""


class TestWords:
    @pytest.mark.parametrize(
        ("counts", "says"),
        [
            ((5, 50, 50, 500), "the difference may be chance"),
            ((40, 50, 50, 500), "more often than usual"),
            ((5, 100, 250, 500), "less often than usual"),
        ],
    )
    def test_of_a_lift_claim_a_difference_only_where_1_is_outside(
        self, counts: tuple[int, int, int, int], says: str
    ) -> None:
        both, one, other, of = counts
        assert beside_usual(lift(both=both, one=one, other=other, of=of)) == says

    def test_of_a_range_of_lifts(self) -> None:
        assert times_range(Interval(0.84, 1.92)) == "0.8–1.9×"

    @pytest.mark.parametrize(
        ("hours", "text"),
        [(0, "under an hour"), (1, "1 hour"), (47, "47 hours"), (48, "2 days"), (24 * 365, "365 days")],
    )
    def test_of_a_duration(self, hours: float, text: str) -> None:
        assert duration(hours) == text

    def test_of_a_median_say_its_interval_and_n_or_why_there_is_none(self) -> None:
        assert median_time(Median(240, Interval(48, 480), 9)) == (
            "10 days (95 % interval 2 days to 20 days), from 9 closed issues"
        )
        assert "from 5 closed issues: too few for an interval" in median_time(Median(3, None, 5))
        assert median_time(Median(3, None, 1)) == "too few closed issues for a median: small sample (n = 1)"
        assert "unknown" in median_time(None)
