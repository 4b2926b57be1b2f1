"""Of a log that was rotated, what was written first is read first."""

import gzip
from itertools import permutations

import pytest

from kb.core.diagnosis.reading.rotation import in_order_of_writing
from tests.kb.core.diagnosis.test_reading import texts, zipped

SETS = [
    ["train.log.10.gz", "train.log.2.gz", "train.log.1", "train.log"],
    ["run/train.log-20260301.gz", "run/train.log-20260302", "run/train.log"],
    ["train.log.2026-03-01_09", "train.log.2026-03-01_10", "train.log.2026-03-02_00", "train.log"],
    ["train.log.old", "train.log"],
    ["syslog.2.gz", "syslog.1", "syslog"],
    ["0.log.20260301-100000", "0.log"],
]


@pytest.mark.parametrize("names", SETS)
def test_rotated_logs_are_put_in_order(names: list[str]) -> None:
    assert all(in_order_of_writing(mixed, str) == names for mixed in permutations(names))


@pytest.mark.parametrize(
    "names",
    [
        ["b.log", "a.log"], ["train.log.1", "train.log.0", "train.log.2"], ["node02.log.1", "node01.log.1"],
        ["rank.1.log", "rank.0.log"], ["dump_2", "dump_1"], ["slurm-20260301.out", "slurm-20260302.out"],
    ],
)  # fmt: skip
def test_other_files_stay_as_they_are_given(names: list[str]) -> None:
    assert in_order_of_writing(names, str) == names


def test_so_are_those_in_an_archive() -> None:
    members = {"a.log": b"c", "a.log.1": b"b", "a.log.2.gz": gzip.compress(b"a"), "z.log": b"z"}
    assert list(texts(zipped(members), name="logs")[0].values()) == ["a", "b", "c", "z"]
