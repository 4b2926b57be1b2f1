"""Wilson's interval against published values, its properties, and the database's own against it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.intervals import wilson
from kb.models import CauseLink


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    of = draw(st.integers(1, 100_000))
    return draw(st.integers(0, of)), of


class TestPublishedValues:
    """Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""

    @pytest.mark.parametrize(
        ("cases", "of", "low", "high"),
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_are_reproduced(self, cases: int, of: int, low: float, high: float) -> None:
        interval = wilson(cases, of)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


class TestProperties:
    @given(shares())
    def test_holds_the_share_and_stays_between_nothing_and_all(self, share: tuple[int, int]) -> None:
        cases, of = share
        interval = wilson(cases, of)
        assert 0 <= interval.low <= cases / of <= interval.high <= 1
        assert interval.high > interval.low

    @given(shares())
    def test_mirrors_the_share_of_the_others(self, share: tuple[int, int]) -> None:
        cases, of = share
        interval, mirrored = wilson(cases, of), wilson(of - cases, of)
        assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
        assert interval.high == pytest.approx(1 - mirrored.low, abs=1e-12)

    @given(shares())
    def test_narrows_with_more_cases_of_the_same_share(self, share: tuple[int, int]) -> None:
        cases, of = share
        few, many = wilson(cases, of), wilson(cases * 10, of * 10)
        assert many.high - many.low < few.high - few.low

    @given(shares())
    def test_widens_with_more_confidence(self, share: tuple[int, int]) -> None:
        narrow, wide = wilson(*share, z=1.0), wilson(*share, z=2.6)
        assert wide.high - wide.low > narrow.high - narrow.low

    @pytest.mark.parametrize(("cases", "of"), [(0, 0), (-1, 5), (6, 5), (1, -2)])
    def test_what_is_no_share_is_refused(self, cases: int, of: int) -> None:
        with pytest.raises(ValueError, match="not a share"):
            wilson(cases, of)


class TestTheDatabasesInterval:
    @pytest.mark.usefixtures("starter")
    def test_is_the_same_for_every_cause_link(self) -> None:
        links = CauseLink.objects.all()
        assert links.count() > 100
        for link in links:
            interval = wilson(link.issues, link.symptom_issues)
            assert link.probability_low == pytest.approx(interval.low, abs=1e-12)
            assert link.probability_high == pytest.approx(interval.high, abs=1e-12)
