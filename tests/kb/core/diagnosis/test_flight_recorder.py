"""Dumps of the Flight Recorder: who is suspected, in small worlds that are simulated."""

import pickle
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.flight_recorder.analysis import Analysis, analyse
from kb.core.diagnosis.flight_recorder.load import read_dump
from tests.kb.core.diagnosis.dumps import Call, Json, Made, data_parallel, dumped, shared_world

LOGS = Path(__file__).parents[5] / "shared/data/logs/logs"


def top(analysis: Analysis) -> int | None:
    return analysis.suspects[0].rank if analysis.suspects else None


def kinds(analysis: Analysis) -> set[str]:
    return {finding.kind for finding in analysis.findings}


class TestOneGroup:
    def test_a_healthy_run_has_no_suspects(self) -> None:
        found = analyse(data_parallel().dumps())
        assert (found.suspects, found.findings, found.waits) == ((), (), {})
        assert "Nothing is held up" in found.sentence

    def test_no_dumps_are_nothing_to_look_at(self) -> None:
        assert "no dump" in analyse([]).sentence
        unplaced = read_dump(pickle.dumps({"entries": []}), "dump")
        assert "1 of the dumps do not say whose" in analyse([unplaced]).sentence

    def test_the_straggler_whom_all_wait_for_is_the_suspect(self) -> None:
        found = analyse(data_parallel(stops={2: 3}).dumps())
        assert [(one.rank, one.score) for one in found.suspects] == [(2, 0.9)]
        assert "never enqueued all_reduce number 4 of G0" in found.suspects[0].why
        assert found.waits == {0: (2,), 1: (2,), 3: (2,)}
        (finding,) = found.findings
        assert (finding.kind, finding.sequence, finding.ranks) == ("missing", 4, (2,))
        assert finding.where == "train.py:41 train_step"
        assert found.sentence.startswith("Look at rank 2 first: 3 of 4 ranks are held up.")

    def test_clocks_that_disagree_change_nothing(self) -> None:
        made = data_parallel(stops={2: 3})
        skewed = [dumped(made.content(rank, clock=(-1) ** rank * 10**17), rank) for rank in range(4)]
        assert analyse(skewed) == analyse(made.dumps()) == analyse(made.dumps()[::-1])

    def test_a_rank_that_stopped_before_anything_is_the_suspect(self) -> None:
        made = data_parallel(stops={2: 0})
        assert top(analyse(made.dumps())) == top(analyse(made.dumps(active_only=True))) == 2

    def test_a_rank_without_a_dump_is_the_suspect_where_only_it_can_be_missing(self) -> None:
        found = analyse(data_parallel(stops={2: 3}).dumps(without=[2]))
        assert (top(found), kinds(found), found.waits[0]) == (2, {"late", "no_dump"}, (2,))
        assert "left no dump" in found.suspects[0].why

    def test_a_rank_without_a_dump_comes_after_one_that_is_seen_to_be_missing(self) -> None:
        found = analyse(data_parallel(stops={2: 3}).dumps(without=[1]))
        assert [one.rank for one in found.suspects] == [2, 1]

    def test_of_few_dumps_nothing_much_is_said(self) -> None:
        found = analyse(data_parallel(16, stops={2: 3}).dumps(without=range(1, 16)))
        assert found.suspects[0].score < 0.5
        assert "prove little" in found.sentence

    def test_where_all_are_inside_nobody_is_blamed(self) -> None:
        made = data_parallel()
        made.done = {rank: {0, 1, 2, 3, 4} for rank in range(4)}
        found = analyse(made.dumps())
        assert (found.suspects, found.waits, kinds(found)) == ((), {}, {"late"})
        assert "do not tell who is at fault" in found.sentence

    def test_who_did_not_start_what_the_others_started_is_the_suspect(self) -> None:
        made = data_parallel()
        made.done = {rank: {0, 1, 2, 3, 4} for rank in range(4)}
        contents = {rank: made.content(rank) for rank in range(4)}
        for rank, content in contents.items():
            content["entries"][-1]["state"] = "scheduled" if rank == 1 else "started"  # type: ignore[index]
        found = analyse([dumped(content, rank) for rank, content in contents.items()])
        assert (top(found), kinds(found)) == (1, {"never_started"})

    def test_who_never_saw_the_end_of_what_the_others_completed_is_the_suspect(self) -> None:
        made = data_parallel()
        made.done[3] -= {3, 4, 5}
        found = analyse(made.dumps())
        assert (top(found), kinds(found), len(found.suspects)) == (3, {"late"}, 1)


class TestMismatches:
    @pytest.mark.parametrize(
        ("odd", "what"),
        [
            (Call(0, "all_gather"), "all_gather where the others enqueued all_reduce"),
            (Call(0, size=32), "32 elements where the others have 16"),
            (Call(0, dtype="BFloat16"), "BFloat16 where the others have Float"),
        ],
    )
    def test_the_one_that_differs_is_the_suspect(self, odd: Call, what: str) -> None:
        made = data_parallel()
        made.calls[1][4] = odd
        for rank in range(4):
            made.done[rank] -= {4, 5}
        found = analyse(made.dumps())
        assert (top(found), found.findings[0].kind, found.findings[0].sequence) == (1, "mismatch", 5)
        assert what in found.suspects[0].why

    def test_all_to_all_may_be_uneven(self) -> None:
        calls = {rank: [Call(0, "all_to_all", size=rank + 1)] for rank in range(4)}
        assert analyse(Made([(0, 1, 2, 3)], calls).run().dumps()).findings == ()

    def test_between_two_both_are_suspects(self) -> None:
        made = data_parallel(2)
        made.calls[1][5] = Call(0, "barrier")
        made.done = {0: {0, 1, 2, 3, 4}, 1: {0, 1, 2, 3, 4}}
        assert [one.rank for one in analyse(made.dumps()).suspects] == [0, 1]


TENSOR_BY_DATA = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2, 4, 6), (1, 3, 5, 7)]


class TestManyGroups:
    @pytest.mark.parametrize("stopped", range(8))
    @pytest.mark.parametrize("active_only", [True, False])
    def test_waiting_is_followed_through_groups_to_its_root(self, stopped: int, active_only: bool) -> None:
        order = [0, 1, 2, 3] * 3 + [4, 5] + [0, 1, 2, 3] * 3 + [4, 5]
        made = shared_world(TENSOR_BY_DATA, order, stops={stopped: 5}, ahead=3)
        found = analyse(made.dumps(active_only=active_only))
        assert top(found) == stopped
        assert [one.rank for one in found.suspects if one.score > 0.6] == [stopped]

    @pytest.mark.parametrize("stopped", range(4))
    def test_a_pipeline_leads_to_the_stage_that_stopped(self, stopped: int) -> None:
        found = analyse(self.pipeline(stopped).dumps())
        assert top(found) == stopped
        assert "p2p" in kinds(found)

    def pipeline(self, stopped: int) -> Made:
        calls: dict[int, list[Call]] = {rank: [] for rank in range(4)}
        for _ in range(6):
            for rank in range(3):
                calls[rank].append(Call(0, f"send {rank}->{rank + 1}", peer=(rank + 1,)))
                calls[rank + 1].append(Call(0, f"recv {rank + 1}<-{rank}", peer=(rank,)))
        return Made([(0, 1, 2, 3)], calls, {stopped: 4}).run()

    def test_two_that_wait_for_each_other_are_a_circle(self) -> None:
        calls = {0: [Call(0), Call(1)], 1: [Call(1), Call(0)], 2: [Call(2)], 3: [Call(2)]}
        found = analyse(Made([(0, 1), (1, 0), (0, 1, 2, 3)], calls).run().dumps())
        assert [one.rank for one in found.suspects] == [0, 1]
        assert "circle" in found.suspects[0].why

    def test_groups_of_the_same_name_with_other_members_are_others(self) -> None:
        contents = [data_parallel(2, stops={1: 2}).content(rank % 2) for rank in range(4)]
        for rank, content in enumerate(contents):
            content["pg_config"] = {"0": {"name": "0", "desc": "dp", "ranks": "[0, 1]" if rank < 2 else "[2, 3]"}}
        found = analyse([dumped(content, rank) for rank, content in enumerate(contents)])
        assert {one.rank for one in found.suspects} == {1, 3}

    def test_the_old_version_without_groups_and_states_of_groups_is_enough(self) -> None:
        made = data_parallel(stops={2: 3})
        contents = [{"version": "1.0", "entries": made.content(rank)["entries"]} for rank in range(4)]
        assert top(analyse([dumped(content, rank) for rank, content in enumerate(contents)])) == 2

    def test_parts_of_a_coalesced_batch_are_done_when_the_batch_is(self) -> None:
        made = data_parallel()
        contents = [made.content(rank) for rank in range(4)]
        for content in contents:
            part, whole = (dict(content["entries"][-1]) for _ in range(2))  # type: ignore[index]
            content["entries"] += [  # type: ignore[operator]
                part | {"collective_seq_id": 7, "record_id": 6, "state": "scheduled"},
                whole | {"collective_seq_id": 7, "record_id": 7, "profiling_name": "nccl:coalesced"},
            ]
        assert analyse([dumped(content, rank) for rank, content in enumerate(contents)]).suspects == ()

    def test_a_world_of_4096_takes_seconds(self) -> None:
        def content(rank: int) -> Json:
            first, late = rank // 8 * 8, rank == 1234
            names = {"0": str(list(range(first, first + 8))), "1": world}
            return {
                "pg_config": {name: {"name": name, "desc": name, "ranks": ranks} for name, ranks in names.items()},
                "entries": [
                    {"record_id": i, "process_group": (str(i % 2), ""), "collective_seq_id": i // 2 + 1,
                     "profiling_name": "nccl:all_reduce", "state": "completed" if i < 6 else "scheduled"}
                    for i in range(6 if late else 7 + (first != 1232))
                ],
            }  # fmt: skip

        world = str(list(range(4096)))
        dumps = [dumped(content(rank), rank) for rank in range(4096)]
        began = time.monotonic()
        found = analyse(dumps)
        assert (top(found), time.monotonic() - began < 5) == (1234, True)


@st.composite
def stuck_worlds(draw: st.DrawFn) -> tuple[Made, int]:
    """A world of nested groups in which one rank stops somewhere, and the others go as far as they can."""
    ranks = draw(st.integers(2, 10))
    subsets = st.sets(st.integers(0, ranks - 1), min_size=2).map(lambda one: tuple(sorted(one)))
    groups = [tuple(range(ranks)), *draw(st.lists(subsets, max_size=6))]
    order = draw(st.lists(st.integers(0, len(groups) - 1), min_size=2, max_size=24))
    stopped, after = draw(st.integers(0, ranks - 1)), draw(st.integers(0, 12))
    ahead, serial = draw(st.integers(0, 4)), draw(st.booleans())
    made = shared_world(groups, order, stops={stopped: after}, ahead=ahead, serial=serial)
    assume(any(made.made[rank] > len(made.done[rank]) for rank in made.calls))
    return made, stopped


class TestAnyWorld:
    @given(stuck_worlds(), st.booleans())
    @settings(max_examples=150, deadline=None)
    def test_the_rank_that_stopped_is_the_first_suspect(self, world: tuple[Made, int], active_only: bool) -> None:
        made, stopped = world
        found = analyse(made.dumps(active_only=active_only))
        assert top(found) == stopped
        assert all(0 <= one.score <= 1 for one in found.suspects)

    @given(stuck_worlds())
    @settings(max_examples=80, deadline=None)
    def test_so_is_one_that_stopped_and_left_no_dump(self, world: tuple[Made, int]) -> None:
        made, stopped = world
        assert top(analyse(made.dumps(without=[stopped]))) == stopped


@pytest.mark.real_data
@pytest.mark.skipif(not LOGS.exists(), reason="needs ../shared/data")
class TestRealDumps:
    @pytest.mark.parametrize(("job", "truth"), [("fr-gpu_error_1st", [12, 14]), ("fr-lock_gil_1st", [9, 14])])
    def test_the_faulty_ranks_are_the_first_suspects(self, job: str, truth: list[int]) -> None:
        dumps = [read_dump(path.read_bytes(), path.name) for path in (LOGS / job).iterdir()]
        found = analyse(dumps)
        assert [one.rank for one in found.suspects[:2]] == truth
        assert sorted(dump.rank or 0 for dump in dumps) == list(range(16))
