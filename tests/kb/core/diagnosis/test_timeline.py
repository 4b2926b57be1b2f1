"""The timeline: who wrote when, small whatever the run's size, with the suspects in rows of their own."""

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.timeline import BINS, MOST_EVENTS, MOST_ROWS, timeline

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def drawn(text: str) -> Any:
    found = read([InputFile("job.log", io.BytesIO(text.encode()))])
    return timeline(found.scan, diagnosed(found))


def run(ranks: int, *, failing: int = 0, steps: int = 5, clock: bool = True) -> str:
    """Every rank takes these steps, then one runs out of memory."""
    lines = []
    for step in range(steps):
        when = f"2026-11-20 10:{step:02}:00,000 " if clock else ""
        lines += [f"[rank{rank}]: {when}INFO iteration {step} loss: 2.{step}" for rank in range(ranks)]
    when = f"2026-11-20 10:{steps:02}:00,000 " if clock else ""
    return "\n".join([*lines, f"[rank{failing}]: {when}ERROR {OOM}", ""])


class TestRows:
    def test_each_rank_has_its_own_in_the_order_of_ranks(self) -> None:
        rows = drawn(run(12))["rows"]
        assert [row["name"] for row in rows] == [str(rank) for rank in range(12)]
        assert {row["kind"] for row in rows} == {"rank"}

    @pytest.mark.parametrize("ranks", [64, 4_096])
    def test_of_many_ranks_the_suspect_has_its_own_and_the_rest_share_one(self, ranks: int) -> None:
        rows = drawn(run(ranks, failing=ranks - 3, steps=2))["rows"]
        assert len(rows) <= MOST_ROWS
        assert str(ranks - 3) in [row["name"] for row in rows]
        assert rows[-1]["name"] == ""
        assert sum(row["members"] for row in rows) == ranks
        assert sum(row["lines"] for row in rows) == 2 * ranks + 1

    def test_what_failed_first_is_marked_where_it_happened(self) -> None:
        found = drawn(run(4, failing=2))
        first = [(row["name"], event) for row in found["rows"] for event in row["events"] if event["role"] == "first"]
        assert [(name, event["file"], event["line"]) for name, event in first] == [("2", "job.log", 21)]
        assert found["onset"] == found["until"]


class TestScale:
    def test_it_is_time_where_lines_have_clocks(self) -> None:
        found = drawn(run(4))
        assert (found["unit"], found["until"] - found["from"]) == ("seconds", 300.0)

    def test_it_is_lines_where_none_has(self) -> None:
        found = drawn(run(4, clock=False))
        assert (found["unit"], found["until"]) == ("lines", 21.0)

    def test_a_pause_is_shown(self) -> None:
        lines = [f"2026-11-20 10:0{minute}:00,000 INFO iteration {minute} loss: 2.1" for minute in range(5)]
        end = "2026-11-20 10:40:00,000 ERROR Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)"
        [pause] = drawn("\n".join([*lines, end, ""]))["pauses"]
        assert pause["until"] - pause["from"] == pytest.approx(36 * 60, abs=60)

    def test_one_line_draws_nothing(self) -> None:
        assert drawn("RuntimeError: out of luck\n") is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from([OOM, "ERROR lost", "fine"])), min_size=2, max_size=300))
def test_whatever_is_written_it_is_bounded_and_within_its_scale(said: list[tuple[int, str]]) -> None:
    found = drawn("".join(f"[rank{rank}]: {text}\n" for rank, text in said))
    if found is None:
        return
    events = [event for row in found["rows"] for event in row["events"]]
    assert len(found["rows"]) <= MOST_ROWS
    assert len(events) <= MOST_EVENTS
    assert len({(row["name"], event["at"], event["role"]) for row in found["rows"] for event in row["events"]}) == len(
        events
    )
    assert all(found["from"] <= event["at"] <= found["until"] for event in events)
    assert len({event["at"] for event in events}) <= BINS
