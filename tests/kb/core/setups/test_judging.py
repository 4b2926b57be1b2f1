"""What is said of a set-up and a known fault."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from kb.core.setups.facts import Value
from kb.core.setups.judging import findings
from kb.core.setups.known_faults import KnownFault, Row, Severity, combined
from tests.kb.core.setups.setups import fault, row, setup

ZERO_3 = "zero_stage == 3"
KNOWN = fault(row("0.14.0", "0.15.1"), condition=ZERO_3)


def verdict_of(known: KnownFault, installed: str, stage: int | None = 3) -> str:
    facts = {} if stage is None else {"zero_stage": stage}
    packages = {"deepspeed": installed} if installed else {}
    found = findings(setup(packages, facts), [known])
    return found[0].verdict if found else "not"


@pytest.mark.parametrize(
    ("installed", "stage", "verdict"),
    [
        ("0.14.0", 3, "affects"),
        ("0.14.2+cu124", 3, "affects"),
        ("0.14.2.post1", 3, "affects"),
        (">=0.14,<0.15", 3, "affects"),
        ("~=0.14.1", 3, "affects"),
        ("0.14.2", None, "may"),
        (">=0.14", 3, "may"),
        ("?", 3, "may"),
        ("0.15.1rc1", 3, "may"),
        ("0.15.1.dev0", 3, "may"),
        ("0.14.0rc1", 3, "may"),
        ("0.15.1", 3, "fixed"),
        ("0.15.1.post1", None, "fixed"),
        (">=0.16", 3, "fixed"),
        ("0.13.5", 3, "not"),
        ("0.14.2", 2, "not"),
        ("0.16.0", 2, "not"),
    ],
)
def test_a_verdict_follows_from_version_and_condition(installed: str, stage: int | None, verdict: str) -> None:
    assert verdict_of(KNOWN, installed, stage) == verdict


class TestWhatIsNotKnown:
    def test_without_a_condition_in_the_record_it_never_affects(self) -> None:
        known = fault(row("0.14.0", "0.15.1"))
        (found,) = findings(setup({"deepspeed": "0.14.2"}, {"zero_stage": 3}), [known])
        assert (found.verdict, found.is_weak) == ("may", True)

    def test_a_fault_that_came_back_after_its_last_fix_has_no_first_fixed_release(self) -> None:
        known = fault(row("", "4.36.0"), row("4.39.0", ""), condition=ZERO_3)
        (found,) = findings(setup({"deepspeed": "5.10.1"}, {"zero_stage": 3}), [known])
        assert (found.verdict, found.first_fixed) == ("may", "")

    def test_a_condition_that_every_set_up_meets_is_one(self) -> None:
        assert verdict_of(replace(KNOWN, condition="any"), "0.14.2", None) == "affects"

    @pytest.mark.parametrize("condition", ["any", ZERO_3])
    def test_without_a_fix_no_version_alone_affects(self, condition: str) -> None:
        assert verdict_of(fault(row("0.14.0"), condition=condition), "0.14.2") == "may"

    def test_without_a_fix_the_very_version_of_the_report_does_under_its_condition(self) -> None:
        reported = row("0.14.0", by="reported")
        assert verdict_of(fault(reported, condition=ZERO_3), "0.14.0") == "affects"
        assert verdict_of(fault(reported, condition="any"), "0.14.0") == "may"
        assert verdict_of(fault(reported, condition=ZERO_3), "0.14.0", None) == "may"

    def test_it_says_what_to_tell(self) -> None:
        (found,) = findings(setup({"deepspeed": ">=0.14"}), [KNOWN])
        assert found.missing[0] == "the exact version of deepspeed"
        assert found.missing[1] == "the DeepSpeed configuration (ZeRO stage)"

    def test_no_known_beginning_leaves_old_versions_open(self) -> None:
        assert verdict_of(fault(row("", "0.15.1"), condition="any"), "0.3.0") == "may"

    def test_up_to_the_last_version_that_has_it(self) -> None:
        known = fault(row("0.14.0", last_affected="0.15.0"), condition="any")
        assert [verdict_of(known, version) for version in ("0.15.0", "0.15.1")] == ["affects", "may"]


class TestPackages:
    def test_what_is_not_in_a_whole_list_is_excluded(self) -> None:
        assert not findings(setup({"torch": "2.6.0"}, {"zero_stage": 3}, is_whole=True), [KNOWN])

    def test_without_a_list_only_what_is_read_or_runs_is_there(self) -> None:
        assert not findings(setup({"torch": "2.6.0"}, {"zero_stage": 3}), [KNOWN, replace(KNOWN, condition="any")])
        (found,) = findings(setup({}, {"zero_stage": 3}, kinds=("deepspeed",)), [KNOWN])
        assert (found.verdict, found.missing) == ("may", ("the version of deepspeed",))

    @pytest.mark.parametrize(
        ("package", "kind", "engine"),
        [("ggml-org/llama.cpp", "", "llama.cpp"), ("vllm", "", "vllm"), ("megatron-core", "megatron", "")],
    )
    def test_what_runs_or_is_configured_is_there(self, package: str, kind: str, engine: str) -> None:
        known = fault(row("0.14.0", "0.15.1", package=package), condition="any")
        facts: dict[str, Value] = {"engine": engine} if engine else {}
        (found,) = findings(setup({"torch": "2.6.0"}, facts, kinds=(kind,)), [known])
        assert (found.verdict, found.missing) == ("may", (f"the version of {package}",))
        whole = findings(setup({"torch": "2.6.0"}, facts, kinds=(kind,), is_whole=True), [known])
        assert bool(whole) == ("/" in package), "what is run from a clone is in no list"

    def test_any_of_several_packages_may_be_in_range(self) -> None:
        known = fault(row("0.14.0", "0.15.1"), row("1.0", "1.2", package="accelerate"), condition="any")
        (found,) = findings(setup({"deepspeed": "0.16.0", "accelerate": "1.1"}), [known])
        assert (found.verdict, found.package, found.first_fixed) == ("affects", "accelerate", "1.2")
        (found,) = findings(setup({"deepspeed": "0.16.0", "accelerate": "1.2"}), [known])
        assert found.verdict == "fixed"

    def test_without_versions_only_a_condition_that_holds_lists_it_where_its_package_is(self) -> None:
        known = fault(condition=ZERO_3, package="deepspeed")
        (found,) = findings(setup({"deepspeed": "0.14.2"}, {"zero_stage": 3}), [known])
        assert (found.verdict, found.is_weak) == ("may", True)
        assert verdict_of(known, "0.14.2", None) == "not"
        assert verdict_of(replace(known, condition="any"), "0.14.2") == "not"
        assert not findings(setup({"torch": "2.6.0"}, {"zero_stage": 3}), [known])


class TestWeak:
    @pytest.mark.parametrize(
        ("rows", "installed", "condition", "is_weak"),
        [
            (row("0.14.0", "0.15.1"), "0.14.2", f"{ZERO_3} and lora", False),
            (row("0.14.0", "0.15.1"), "0.14.2", "lora", True),
            (row("", "0.15.1"), "0.14.2", ZERO_3, False),
            (row("", "0.15.1"), "0.14.2", f"{ZERO_3} and lora", True),
            (row("0.14.0"), "0.14.2", ZERO_3, True),
            (row("0.14.0", "0.15.1"), "?", ZERO_3, False),
            (row("0.14.0", "0.15.1"), "0.15.1rc1", ZERO_3, False),
        ],
    )
    def test_nothing_of_version_and_condition_is_certain(
        self, rows: Row, installed: str, condition: str, is_weak: bool
    ) -> None:
        (found,) = findings(setup({"deepspeed": installed}, {"zero_stage": 3}), [fault(rows, condition=condition)])
        assert (found.verdict, found.is_weak) == ("may", is_weak)

    def test_a_beginning_that_nobody_knows_is_told(self) -> None:
        (found,) = findings(
            setup({"deepspeed": "0.14.2"}, {"zero_stage": 3}), [fault(row("", "0.15.1"), condition="any")]
        )
        assert "the version of deepspeed that brought the fault is unknown" in found.reasons


class TestFirstFixed:
    BACKPORTED = fault(row("0.14.0", "0.15.4"), row("0.16.0", "0.16.2"), condition="any")

    @pytest.mark.parametrize(
        ("installed", "verdict", "fixed"),
        [
            ("0.14.2", "affects", "0.15.4"),
            ("0.15.3", "affects", "0.15.4"),
            ("0.15.4", "fixed", "0.15.4"),
            ("0.16.1", "affects", "0.16.2"),
            ("0.17.0", "fixed", "0.16.2"),
        ],
    )
    def test_it_is_the_next_one_above(self, installed: str, verdict: str, fixed: str) -> None:
        (found,) = findings(setup({"deepspeed": installed}), [self.BACKPORTED])
        assert (found.verdict, found.first_fixed) == (verdict, fixed)


class TestReasons:
    def test_each_has_its_place(self) -> None:
        (found,) = findings(setup({"deepspeed": "0.14.2"}, {"zero_stage": 3}), [KNOWN])
        version, condition = found.reasons
        assert version == (
            "deepspeed 0.14.2 (pip-freeze.txt, line 1) is 0.14.0 or later, which has the fault (from git), and older "
            "than 0.15.1, the first release with the fix (from git)"
        )
        assert condition == "zero_stage is 3 (ds.json, line 2)"

    def test_a_bound_that_the_version_is_below_is_no_reason(self) -> None:
        known = fault(row("0.14.0", "0.15.1", by="lines", oldest="0.10.0"), condition="any")
        (found,) = findings(setup({"deepspeed": "0.12.0"}), [known])
        assert (found.verdict, "0.14.0" in found.reasons[0]) == ("may", False)


class TestCombined:
    HISTORY = row("0.13.0", "0.15.4", by="lines", oldest="0.10.0", is_of_record=False)

    def test_the_records_end_wins(self) -> None:
        (joined,) = combined([self.HISTORY, row("", "0.15.1")])
        assert (str(joined.end), str(joined.introduced.version if joined.introduced else "")) == ("0.15.1", "0.13.0")

    def test_a_stated_beginning_wins_over_lines(self) -> None:
        (joined,) = combined([self.HISTORY, row("0.12.3", by="stated")])
        assert (joined.introduced and str(joined.introduced.version), joined.oldest) == ("0.12.3", None)
        assert str(joined.end) == "0.15.4"

    def test_a_report_lowers_where_it_surely_is(self) -> None:
        (joined,) = combined([self.HISTORY, row("0.11.0", by="reported")])
        assert joined.versions() == replace(
            self.HISTORY.versions(), present_from=Version("0.11.0"), absent_below=Version("0.10.0")
        )

    def test_a_report_older_than_the_oldest_line_rules_that_out(self) -> None:
        (joined,) = combined([self.HISTORY, row("0.9.0", by="reported")])
        assert (joined.versions().absent_below, joined.versions().present_from) == (None, Version("0.9.0"))

    def test_reports_belong_to_the_range_that_they_lie_in(self) -> None:
        joined = combined([row("0.15.2", "0.15.4", by="reported"), row("", "0.16.2"), row("0.16.1", by="reported")])
        assert [str(each.introduced and each.introduced.version) for each in joined] == ["0.15.2", "0.16.1"]

    def test_without_any_end_nothing_is_surely_in_range(self) -> None:
        joined = combined([row("0.11.0", by="reported"), row("0.13.0", by="lines", is_of_record=False)])
        known = fault(*joined, condition="any")
        assert verdict_of(known, "0.14.0") == "may"


class TestOrder:
    def test_verdict_then_severity_then_what_else_is_known(self) -> None:
        ranked = [
            replace(KNOWN, url="silent", severity=Severity.SILENT),
            replace(KNOWN, url="hang", severity=Severity.HANG),
            replace(KNOWN, url="partly", condition=f"{ZERO_3} and lora", severity=Severity.CRASH),
            replace(KNOWN, url="version", condition="", severity=Severity.SILENT),
            replace(KNOWN, url="fixed", rows=(row("0.10.0", "0.11.0"),), severity=Severity.SILENT),
        ]
        found = findings(setup({"deepspeed": "0.14.2"}, {"zero_stage": 3}), ranked[::-1])
        assert [finding.fault.url for finding in found] == [known.url for known in ranked]


VERSIONS = st.sampled_from(["", "0.9", "0.10.0", "0.14.0rc1", "0.14.0", "0.14.2", "0.15.1", "0.15.1.dev0", "0.16"])
ROWS = st.builds(
    row,
    VERSIONS,
    VERSIONS,
    by=st.sampled_from(["git", "stated", "lines", "reported", "date", ""]),
    oldest=VERSIONS,
    is_of_record=st.booleans(),
)
INSTALLED = st.sampled_from(["", "?", "0.14.2", ">=0.10", "<0.15", "==0.14.*", "0.15.1", "0.13+cu121", "<0.1,>=2"])


@given(st.lists(ROWS, max_size=4), INSTALLED, st.sampled_from(["", "any", ZERO_3]), st.booleans())
def test_judging_always_answers_and_affects_needs_a_condition(
    rows: list[Row], installed: str, condition: str, is_whole: bool
) -> None:
    packages = {"deepspeed": installed} if installed else {}
    known = fault(*combined(rows), condition=condition)
    for found in findings(setup(packages, {"zero_stage": 3}, is_whole=is_whole), [known]):
        assert found.verdict != "affects" or (condition and found.installed)
        assert found.verdict != "may" or found.reasons or found.missing


class TestAnotherEngine:
    def verdict(self, engine: str, package: str = "vllm") -> tuple[str, bool]:
        known = fault(row("0.5.0", "0.6.0", package=package), condition='task == "serving"')
        facts: dict[str, Value] = {"task": "serving", **({"engine": engine} if engine else {})}
        (found,) = findings(setup({package: "0.5.4"}, facts), [known])
        return found.verdict, found.is_weak

    def test_what_is_installed_for_another_engine_is_not_what_serves(self) -> None:
        assert self.verdict("sglang") == ("may", True)
        assert self.verdict("vllm", "sglang") == ("may", True)

    def test_the_engine_itself_and_what_is_no_engine_are_judged_as_ever(self) -> None:
        assert self.verdict("vllm") == ("affects", False)
        assert self.verdict("") == ("affects", False)
        assert self.verdict("sglang", "torch") == ("affects", False)

    def test_it_says_what_would_have_to_be_told(self) -> None:
        known = fault(row("0.5.0", "0.6.0", package="vllm"), condition='task == "serving"')
        (found,) = findings(setup({"vllm": "0.5.4"}, {"task": "serving", "engine": "sglang"}), [known])
        assert found.missing == ("whether sglang uses this part of vllm",)
