"""Dumps of the Flight Recorder: what may be read, and what is refused without harm."""

import json
import os
import pickle
import time
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.flight_recorder import unpickling
from kb.core.diagnosis.flight_recorder.analysis import analyse
from kb.core.diagnosis.flight_recorder.load import UnreadableDump, UnsafeDump, read_dump
from tests.kb.core.diagnosis.dumps import Json, data_parallel, dumped


class TestReading:
    def test_contents_of_a_dump_are_read(self) -> None:
        dump = dumped(data_parallel(stops={2: 3}).content(1), 1)
        assert (dump.rank, dump.groups[0].ranks) == (1, (0, 1, 2, 3))
        assert (dump.statuses[0].last_enqueued, dump.statuses[0].last_completed) == (4, 3)
        last = dump.entries[-1]
        assert (last.collective, last.name, last.state, last.is_p2p) == (4, "nccl:all_reduce", "scheduled", False)
        assert (last.input_sizes, last.input_dtypes) == (((16,),), ("Float",))
        assert [str(frame) for frame in last.frames] == ["train.py:41 train_step"]

    @pytest.mark.parametrize("protocol", [2, 3, 4, 5])
    def test_every_modern_protocol_and_json_say_the_same(self, protocol: int) -> None:
        content = data_parallel(stops={2: 3}).content(1)
        as_json = read_dump(b" \n" + json.dumps(content).encode(), "nccl_trace_rank_0")
        assert dumped(content, 0, protocol) == as_json

    @pytest.mark.parametrize(
        ("name", "rank"),
        [("nccl_trace_rank_3", 3), ("a/rank12.json", 12), ("_dump_7", 7), ("dump.5.pickle", 5), ("dump", None)],
    )
    def test_rank_comes_from_the_name_unless_the_contents_tell(self, name: str, rank: int | None) -> None:
        assert read_dump(pickle.dumps({"entries": []}), name).rank == rank
        assert read_dump(pickle.dumps({"entries": [], "rank": 9}), name).rank == 9

    def test_rank_is_the_only_member_that_all_groups_share(self) -> None:
        groups = {"0": {"ranks": "[0, 1, 2, 3]"}, "1": {"ranks": "[2, 3]"}, "2": {"ranks": [1, 3]}}
        assert read_dump(pickle.dumps({"pg_config": groups}), "dump").rank == 3

    def test_old_versions_and_missing_keys_are_read(self) -> None:
        old = {"version": "1.2", "pg_config": {0: [0, 1]}, "entries": [{"seq_id": 4, "pg_id": 0, "state": None}, 7]}
        dump = dumped(old)
        assert (dump.groups[0].ranks, dump.entries[0].collective, dump.entries[0].group) == ((0, 1), 4, "0")
        assert (dump.entries[0].state, dump.entries[0].frames, len(dump.entries)) == (None, (), 1)

    def test_text_that_cannot_be_shown_or_stored_is_not_kept(self) -> None:
        assert dumped({"pg_config": {"2\x00\ud800": [0, 1]}}).groups[0].name == "2��"


class Evil:
    def __init__(self, what: tuple[object, ...]) -> None:
        self.what = what

    def __reduce__(self) -> tuple[object, ...]:
        return self.what


def doubled(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value, value]
    return value


class TestSafety:
    @pytest.mark.parametrize("protocol", range(6))
    def test_pickle_that_would_run_something_is_refused_before_it_does(self, protocol: int, tmp_path: Path) -> None:
        ran = tmp_path / "ran"
        for evil in (Evil((os.system, (f"touch {ran}",))), Evil((exec, ("import antigravity",))), os.system):
            with pytest.raises(UnsafeDump):
                dumped({"version": "2.9", "entries": [evil]}, protocol=protocol)
        assert not ran.exists()

    @pytest.mark.parametrize(
        "data", [b"cos\nsystem\n(S'ls'\ntR.", b"\x80\x02Pid\n.", b"\x80\x02\x82\x01.", b"(ios\nsystem\n."]
    )
    def test_names_and_references_are_refused(self, data: bytes) -> None:
        with pytest.raises(UnsafeDump):
            read_dump(data, "x")

    def test_the_unpickler_refuses_names_even_uninspected(self) -> None:
        with patch.object(unpickling, "_inspect"), pytest.raises(UnsafeDump):
            dumped({"entries": [os.system]})

    def test_values_shared_exponentially_do_no_harm(self) -> None:
        began = time.monotonic()
        lists = doubled(60)
        dump = dumped({"entries": [{"input_sizes": lists, "frames": lists, "process_group": lists}], "rank": lists})
        assert dump.entries[0].frames == ()
        shared_tuples = b"\x80\x02}Nq\x00" + b"h\x00\x86q\x00" * 60 + b"Ns."
        with pytest.raises(UnreadableDump, match="keys"):  # to hash it would take for ever
            read_dump(shared_tuples, "x")
        assert time.monotonic() - began < 2

    @pytest.mark.parametrize(
        "data",
        [
            b"", b"{", b"[]", b"hello", b"\x80\x02N.", b"\x80\x02]q\x00.", b"{\"a\": 1}", b"{" * 100_000,
            b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7f", b"\x80\x02r\xff\xff\xff\x7f.", b"\x80\x02}r\xff\xff\xff\x7f.",
            b"\x80\x02}(\x8a\x09" + b"\x01" * 9 + b"Nu.", b"\x80\x02}a.",
            pickle.dumps({"entries": [], "version": "x" * 300_000}), b"\x80\x02N\x88b."[:3],
            pickle.dumps({"entries": [{"a": 1}] * 100_001}), pickle.dumps({"entries": [{}]})[:-3],
        ],
    )  # fmt: skip
    def test_what_is_no_dump_is_refused_in_bounded_time(self, data: bytes) -> None:
        began = time.monotonic()
        with pytest.raises(UnreadableDump):
            read_dump(data, "x")
        assert time.monotonic() - began < 15

    def test_more_instructions_than_any_dump_has_are_refused(self) -> None:
        with patch.object(unpickling, "MAX_INSTRUCTIONS", 1000), pytest.raises(UnreadableDump, match="larger"):
            read_dump(b"\x80\x02" + b"](" * 1000, "x")

    def test_too_large_a_file_is_refused_unread(self) -> None:
        with pytest.raises(UnreadableDump, match="64 MiB"):
            read_dump(bytes((64 << 20) + 1), "x")

    @given(st.binary(max_size=300))
    @settings(max_examples=250, deadline=None)
    def test_bytes_of_any_kind_raise_nothing_else(self, data: bytes) -> None:
        for prefix in (b"", b"\x80\x02", b"{"):
            self.refused_or_read(prefix + data)

    @given(st.data())
    @settings(max_examples=250, deadline=None)
    def test_a_damaged_dump_raises_nothing_else(self, data: st.DataObject) -> None:
        whole = bytearray(pickle.dumps(data_parallel(2, stops={1: 1}).content(0), data.draw(st.sampled_from([2, 4]))))
        for _ in range(data.draw(st.integers(1, 6))):
            whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
        self.refused_or_read(bytes(whole[: data.draw(st.integers(1, len(whole)))]))

    @given(st.data())
    @settings(max_examples=100, deadline=None)
    def test_values_of_the_wrong_type_raise_nothing_else(self, data: st.DataObject) -> None:
        plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9))
        value = st.recursive(plain, lambda one: st.lists(one) | st.dictionaries(plain, one), max_leaves=9)
        content = data_parallel(2, stops={1: 1}).content(0)
        places: list[Json] = [content, *(content["entries"]), *content["pg_config"].values()]  # type: ignore[misc, attr-defined]
        for _ in range(data.draw(st.integers(1, 4))):
            place = data.draw(st.sampled_from(places))
            place[data.draw(st.sampled_from(sorted(place)))] = data.draw(value)
        with suppress(UnreadableDump):
            analyse([dumped(content)])

    def test_long_lists_that_many_share_are_read_once(self) -> None:
        began = time.monotonic()
        sizes, ranks = [list(range(32))] * 256, list(range(60_000))
        dump = dumped(
            {"entries": [{"input_sizes": sizes, "output_sizes": sizes, "input_dtypes": ["x"] * 256}] * 50_000}
        )
        assert len(dump.entries) == 50_000
        with pytest.raises(UnreadableDump, match="members"):
            dumped({"pg_config": {str(number): ranks for number in range(20_000)}})
        assert time.monotonic() - began < 5

    def refused_or_read(self, data: bytes) -> None:
        looked_up = patch.object(
            unpickling._Unpickler, "find_class", side_effect=AssertionError("a name was looked up")
        )
        with looked_up, suppress(UnreadableDump, UnsafeDump):
            analyse([read_dump(data, "rank_0")])
