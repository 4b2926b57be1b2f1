"""What is refused in records beyond their form: labels at odds, signatures that tell nothing; and their coverage."""

import datetime as dt
from typing import Any

import pytest

from kb.codebook.format import HouseFile, parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.starter.consistency import RULES, contradictions, too_general
from kb.starter.coverage import coverage, table
from kb.starter.format import NOT_STATED, Record

Labels = dict[str, list[str]]
HANG: Labels = {"issue_type": ["bug"], "symptom": ["hang-start"], "stage": ["launch"], "component": ["launcher"]}


@pytest.fixture(scope="module")
def house() -> HouseFile:
    return read_house(CODEBOOK / "house.yaml")


@pytest.fixture(scope="module")
def parents(house: HouseFile) -> dict[tuple[str, str], str | None]:
    return parents_of(house)


def record(labels: Labels | None = None, *, number: int = 1, **more: Any) -> Record:
    """A sound record with these labels."""
    values: dict[str, Any] = {
        "url": f"https://github.com/deepspeedai/DeepSpeed/issues/{number}",
        "framework": "deepspeed",
        "title": "Training stalls when ranks disagree",
        "summary": f"Number {number} stalls at the first step when one rank skips a branch that all others take.",
        "resolution": "The branch is taken by all.",
        "workaround": NOT_STATED,
        "state": "open",
        "evidence": [{"url": "https://github.com/a/b/issues/1", "supports": "resolution", "by": "maintainer"}],
        "read": {"date": dt.date(2026, 1, 1), "extent": "description"},
        "labels": {
            axis: [{"node": code, "why": "The thread says so."} for code in codes]
            for axis, codes in (labels or HANG).items()
        },
    }
    return Record.model_validate(values | more)


def _told(one: Record, parents: dict[tuple[str, str], str | None]) -> list[str]:
    return list(contradictions(one.labels, parents, is_resolved=one.resolution != NOT_STATED))


class TestLabelsAtOdds:
    def test_a_sound_record_has_none(self, parents: dict[tuple[str, str], str | None]) -> None:
        assert _told(record(), parents) == []

    @pytest.mark.parametrize(
        ("labels", "said"),
        [
            ({"theme": ["A.1"]}, "theme: A.1 is of a question, and the issue type says bug"),
            ({"symptom": ["hang", "hang-start"]}, "symptom: hang-start says hang already"),
            ({"stage": ["backward"]}, "symptom: hang-start needs one of these as stage"),
            ({"symptom": ["hang-io"]}, "symptom: hang-io needs one of these as component"),
            ({"symptom": ["test-failure"]}, "symptom: test-failure needs one of these as stage: develop"),
            (
                {"symptom": ["oom-host"], "root_cause": ["accelerator-memory"]},
                "root_cause: accelerator-memory is the op",
            ),
        ],
    )
    def test_they_are_told(self, labels: Labels, said: str, parents: dict[tuple[str, str], str | None]) -> None:
        (told,) = _told(record(HANG | labels), parents)
        assert told.startswith(said)

    def test_what_nobody_fixed_has_no_pattern_of_a_fix(self, parents: dict[tuple[str, str], str | None]) -> None:
        unsettled = record(HANG | {"fix_pattern": ["revert"]}, resolution=NOT_STATED)
        assert [told.partition(":")[0] for told in _told(unsettled, parents)] == ["fix_pattern"]

    def test_every_rule_names_codes_that_are_there(self, parents: dict[tuple[str, str], str | None]) -> None:
        named = {(rule.axis, code) for rule in RULES for code in rule.codes}
        named |= {(rule.other, code) for rule in RULES for code in rule.needed}
        assert named <= parents.keys()


class TestSignatures:
    def test_one_that_fits_many_other_records_is_refused(self) -> None:
        same = [record(number=number) for number in range(1, 30)]
        vague = record(number=30, recognise=["stalls at first step"])
        telling = record(number=31, recognise=["hostfile parsing gave no slots"])
        assert [one for one, _, _ in too_general([*same, vague, telling])] == [vague]


class TestCoverage:
    def test_a_code_counts_for_all_above_it_and_a_record_once(self, house: HouseFile) -> None:
        labels = HANG | {"root_cause": ["group-setup", "transport"]}
        have = {(row.axis, row.what): row.have for row in coverage([record(labels)], house)}
        assert have["root_cause", "communication"] == have["root_cause", "transport"] == 1
        assert have["", "hangs"] == 1
        assert have["", "largest framework, deepspeed, %"] == 100
        assert have["", "silent wrong results"] == have["root_cause", "hardware"] == 0

    def test_what_ends_with_an_error_is_not_silent(self, house: HouseFile) -> None:
        some = [record(HANG | {"symptom": codes}) for codes in (["wrong-gradient"], ["wrong-gradient", "exception"])]
        assert next(row.have for row in coverage(some, house) if row.what == "silent wrong results") == 1

    @pytest.mark.parametrize(
        ("what", "more"),
        [
            ("inference, %", {"labels": HANG | {"stage": ["serve"], "symptom": ["hang-serving"]}}),
            ("memory", {"labels": HANG | {"symptom": ["memory-growth"]}}),
            ("set-up and versions", {"labels": HANG | {"root_cause": ["packaging"]}}),
            ("ROCm, Ascend, TPU, Apple", {"labels": HANG | {"hardware": ["amd"]}}),
            ("ROCm, Ascend, TPU, Apple", {"framework": "mindspore"}),
            ("found by Chinese words, or reported on Gitee", {"also_seen": ["训练卡住不动"]}),
            ("with a fix line", {"fix_line": "Set `NCCL_P2P_DISABLE=1`."}),
            ("with a line to recognise, or why there is none", {"no_line": "Nothing is printed."}),
            ("with a literal command, option or setting", {"workaround": "Run `nvidia-smi -r`."}),
            ("with a literal command, option or setting", {"snippet": "pip install torch"}),
            ("checked by a reader who did not write it", {"checked": {"date": "2026-01-02", "extent": "all"}}),
        ],
    )
    def test_each_share_counts_the_records_that_are_of_it(
        self, what: str, more: dict[str, Any], house: HouseFile
    ) -> None:
        labels = more.pop("labels", None)
        few = [record(), record(labels, number=2, **more)]
        have = {row.what: row.have for row in coverage(few, house)}
        assert have[what] == (50 if what.endswith("%") else 1)

    @pytest.mark.parametrize(
        ("supports", "by", "percent"),
        [
            ("resolution", "reporter", 100),
            ("resolution", "other user", 0),
            ("cause", "maintainer", 0),
        ],
    )
    def test_a_resolution_counts_if_a_maintainer_or_the_reporter_confirms_it(
        self, supports: str, by: str, percent: int, house: HouseFile
    ) -> None:
        some = record(evidence=[{"url": "https://github.com/a/b/issues/1", "supports": supports, "by": by}])
        assert next(row.have for row in coverage([some], house) if row.what.startswith("resolutions")) == percent

    def test_the_table_shows_every_goal_and_of_the_codes_what_lacks(self, house: HouseFile) -> None:
        lines = list(table(coverage([record(number=number) for number in range(1, 4)], house)))
        assert "LACKS      3 of 1200  records" in lines
        assert "EXCEEDS  100 of   15  largest framework, deepspeed, %" in lines
        assert "LACKS      0 of    3  symptom hang-io" in lines
        assert not any("hang-start" in line for line in lines)
