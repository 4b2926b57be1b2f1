"""What the statement says is folded so that every issue counts once in each category, and once among all."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.effort_beside import difference
from kb.charts.effort_counting import fold_binned, fold_shares, fold_spreads
from kb.charts.shares import Share

# An issue: its categories as letters, and its number, which may not be known.
ISSUES = st.lists(st.tuples(st.sampled_from(["", "a", "b", "ab", "abc"]), st.none() | st.integers(0, 30)), max_size=60)
Issues = list[tuple[str, int | None]]


def implied(held: str) -> tuple[str, ...]:
    return tuple(held)


def grouped(issues: Issues) -> list[tuple[str, int, list[int] | None]]:
    """As the statement says it."""
    rows = []
    for held in {held for held, _ in issues}:
        values = [value for other, value in issues if other == held]
        rows.append((held, len(values), [value for value in values if value is not None] or None))
    return rows


class TestSpreads:
    @given(ISSUES)
    def test_hold_the_numbers_of_each_category(self, issues: Issues) -> None:
        found = fold_spreads(grouped(issues), implied)
        for code in "abc":
            inside = [value for held, value in issues if code in held]
            assert (code in found.by_code) == bool(inside)
            if inside:
                known = Counter(value for value in inside if value is not None)
                spread = found.by_code[code]
                assert dict(zip(spread.sample.values, spread.sample.weights, strict=True)) == dict(known)
                assert (spread.issues, spread.unknown) == (len(inside), len(inside) - known.total())

    @given(ISSUES)
    def test_count_every_issue_once_among_all(self, issues: Issues) -> None:
        found = fold_spreads(grouped(issues), implied)
        assert found.all_issues == len(issues)
        assert found.together.issues == sum(bool(held) for held, _ in issues)
        assert found.together.sample.n == sum(bool(held) and value is not None for held, value in issues)

    @given(ISSUES)
    def test_in_bins_add_up(self, issues: Issues) -> None:
        rows = [(held, value, n) for (held, value), n in Counter(issues).items()]
        spread, in_bins, all_issues = fold_binned(rows, implied, 10)
        known = [value for held, value in issues if held and value is not None]
        assert (spread.sample.n, in_bins.total(), all_issues) == (len(known), len(known), len(issues))
        assert in_bins == Counter(value // 10 for value in known)


class TestShares:
    @given(ISSUES)
    def test_are_of_what_is_known_in_the_category(self, issues: Issues) -> None:
        rows = [(held, n, len(values or ()), sum(v > 9 for v in values or ())) for held, n, values in grouped(issues)]
        found = fold_shares(rows, implied)
        for code in "abc":
            known = [value for held, value in issues if code in held and value is not None]
            assert (code in found.by_code) == bool(known)
            if known:
                assert found.by_code[code] == Share(sum(value > 9 for value in known), len(known))
        known = [value for held, value in issues if held and value is not None]
        assert found.together == Share(sum(value > 9 for value in known), len(known))


class TestDifference:
    def test_is_told_by_our_interval(self) -> None:
        assert "lies within our interval" in difference(Share(48, 100), "48%")
        assert difference(Share(10, 100), "48%").startswith("Ours is lower")
        assert difference(Share(90, 100), "48 %").startswith("Ours is higher")

    def test_is_not_told_where_there_is_none(self) -> None:
        for share, published in ((Share(0, 0), "48%"), (Share(1, 2), "about half"), (Share(1, 2), "")):
            assert difference(share, published) == "Nothing to compare with."
