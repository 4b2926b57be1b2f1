"""The steps of a distribution: a hand-counted set, and that every size falls on one."""

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.sizes import FILE_STEPS, LINE_STEPS, steps

sizes = st.lists(st.integers(0, 5_000), min_size=1, max_size=200)


class TestSteps:
    def test_a_hand_counted_set(self) -> None:
        found = steps([0, 1, 2, 3, 10, 11, 1_000, 1_001, 4_000], LINE_STEPS)
        assert {step.name: step.count for step in found} == {
            "0": 1, "1–2": 2, "3–5": 1, "6–10": 1, "11–20": 1, "21–50": 0, "51–100": 0, "101–200": 0,
            "201–500": 0, "501–1,000": 1, "over 1,000": 2,
        }  # fmt: skip

    def test_ends_without_anything_are_left_out(self) -> None:
        assert [step.name for step in steps([1, 7], FILE_STEPS)] == ["1", "2", "3–5", "6–10", "11–20", "21–50"]

    @given(sizes, st.sampled_from([LINE_STEPS, FILE_STEPS]))
    def test_every_size_falls_on_one_step(self, values: list[int], bounds: tuple[int, ...]) -> None:
        assert sum(step.count for step in steps(values, bounds)) == len(values)
