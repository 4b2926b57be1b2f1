"""Lines that matter are shown where they stand: near ones together, each once, the best place first."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.context import AROUND
from kb.web.diagnose.passages import BEFORE, BEGINNING, MOST_ROWS, NEAR, passages


def line(number: int, *, file: str = "job.log", role: str = "root", **more: Any) -> Any:
    around = [*range(max(number - AROUND, 1), number), *range(number + 1, number + AROUND + 1)]
    context = [{"line": one, "text": f"whole {one}"} for one in around]
    return {
        "file": file, "line": number, "text": f"own {number}", "role": role, "signal": None, "why": [],
        "context": context, **more,
    }  # fmt: skip


def test_a_traceback_is_one_passage_with_its_frames_around_the_exception() -> None:
    (found,) = passages([line(61), *(line(number, role="support") for number in (58, 59, 60))], "first")
    assert (found.line, found.role_words) == (61, "likely first failure")
    assert [row.line for row in found.rows] == list(range(55, 65))
    assert {row.line: row.role for row in found.rows if row.role} == {61: "root"}


def test_places_apart_and_other_files_are_passages_of_their_own_in_the_order_of_their_best_lines() -> None:
    found = passages([line(90), line(20, file="b.log"), line(20), line(91)], "first")
    assert [(one.file, one.line) for one in found] == [("job.log", 90), ("b.log", 20), ("job.log", 20)]
    assert len({one.id for one in found}) == 3


def test_lines_that_are_left_out_within_a_passage_are_told() -> None:
    (found,) = passages([line(10, context=[]), line(14, context=[])], "first")
    assert [(row.line, row.text, row.is_apart) for row in found.rows] == [(10, "own 10", False), (14, "own 14", True)]


def test_the_same_reason_is_given_once() -> None:
    (found,) = passages([line(5, why=["It is new."]), line(6, why=["It is new."]), line(7, why=["Other."])], "first")
    assert [(note.line, note.why) for note in found.notes] == [(5, ("It is new.",)), (7, ("Other.",))]


def test_a_long_traceback_is_cut_to_its_beginning_and_what_leads_to_its_end() -> None:
    (found,) = passages([line(100), *(line(number, role="support") for number in range(40, 100))], "first")
    shown = [row.line for row in found.rows]
    assert shown == [*range(37, 37 + BEGINNING), *range(100 - BEFORE, 104)]
    assert [row.line for row in found.rows if row.is_apart] == [100 - BEFORE]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 60)), unique=True, max_size=20))
def test_every_line_is_marked_once_and_none_is_shown_twice(places: list[tuple[str, int]]) -> None:
    found = passages([line(number, file=file) for file, number in places], "first")
    marked = [(one.file, row.line) for one in found for row in one.rows if row.role]
    if len(places) <= MOST_ROWS // NEAR:
        assert sorted(marked) == sorted(places)
    assert set(marked) <= set(places)
    assert all((one.file, one.line) in marked for one in found)
    shown = [(one.file, row.line) for one in found for row in one.rows]
    assert len(shown) == len(set(shown))
    if places:
        assert (found[0].file, found[0].line) == places[0]
    assert NEAR == 2 * AROUND + 1
