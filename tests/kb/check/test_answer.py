"""What a check answers."""

import pytest

from kb.check.answer import check
from kb.core.check.answer import MOST_FOLDED, answer
from kb.core.check.schema import CheckFindingData
from kb.core.check.texts import NotCheckedError, TooMuchError, limited, text_of
from kb.core.setups.reading import MAX_CHARACTERS, MAX_TEXTS
from kb.models import Issue
from tests.kb.check.faults import FREEZE, PULL, ZERO_2, ZERO_3, make_fault, make_silent
from tests.kb.core.setups.setups import fault, row, setup

pytestmark = pytest.mark.django_db


def findings_of(*texts: str) -> list[CheckFindingData]:
    return check([(f"file-{number}", text) for number, text in enumerate(texts)])["findings"]


def test_a_fault_affects_with_all_that_a_reader_needs() -> None:
    issue = make_fault()
    make_silent(issue)
    data = check([("pip-freeze.txt", FREEZE), ("ds.json", ZERO_3)])
    (finding,) = data["findings"]
    assert finding["reasons"][0].startswith("deepspeed 0.14.2 (pip-freeze.txt, line 2) is 0.14.0 or later")
    assert "zero_stage is 3" in finding["reasons"][1]
    assert finding | {"reasons": []} == {
        "issue": issue.url,
        "page": issue.get_absolute_url(),
        "kind": "issue",
        "title": "Gradients are wrong with ZeRO-3",
        "symptom": "Wrong result",
        "severity": "silent",
        "verdict": "affects",
        "weak": False,
        "package": "deepspeed",
        "installed": "0.14.2",
        "first_fixed": "0.15.1",
        "reasons": [],
        "unknown": [],
        "advice": ["Upgrade deepspeed to 0.15.1 or later.", "Set `overlap_comm=False`."],
        "proof": [issue.url, PULL],
        "file": "pip-freeze.txt",
        "line": 2,
    }
    assert [source["name"] for source in data["looked_at"]] == ["pip-freeze.txt", "ds.json"]
    assert all(source["form"] for source in data["looked_at"])
    assert data["counts"] | {"faults": 0} == {
        "affects": 1, "may": 0, "weak": 0, "fixed": 0, "faults": 0, "packages": 6,
    }  # fmt: skip
    assert (
        "No git history of deepspeed was read: its versions come from threads and release dates." in data["not_known"]
    )


def test_the_fix_line_is_the_advice_where_a_record_has_one() -> None:
    make_fault()
    Issue.objects.update(fix_line="Set `overlap_comm=False`, or upgrade.")
    (finding,) = findings_of(FREEZE, ZERO_3)
    assert finding["advice"] == ["Upgrade deepspeed to 0.15.1 or later.", "Set `overlap_comm=False`, or upgrade."]


def test_what_is_not_told_is_asked_for() -> None:
    make_fault()
    (finding,) = findings_of(FREEZE)
    assert (finding["verdict"], finding["weak"]) == ("may", True)
    assert finding["unknown"][0].startswith("the DeepSpeed configuration")


@pytest.mark.parametrize(
    ("texts", "verdicts"),
    [
        ((FREEZE, ZERO_2), []),
        ((FREEZE.replace("0.14.2", "0.15.1"), ZERO_3), ["fixed"]),
        ((FREEZE.replace("0.14.2", "0.13.5"), ZERO_3), []),
        ((ZERO_3,), ["may"]),
    ],
)
def test_other_set_ups(texts: tuple[str, ...], verdicts: list[str]) -> None:
    make_fault()
    assert [finding["verdict"] for finding in findings_of(*texts)] == verdicts


def test_without_a_fix_the_resolution_says_what_to_do() -> None:
    issue = make_fault(workaround="", resolution="Use `stage: 2`.")
    issue.affected_ranges.update(fixed="", last_affected="0.15.1")
    (finding,) = findings_of(FREEZE, ZERO_3)
    assert (finding["advice"], finding["first_fixed"]) == (["Use `stage: 2`."], "")


def test_versions_that_do_not_go_together_need_no_report() -> None:
    assert not Issue.objects.exists()
    (finding,) = findings_of(FREEZE + "torchvision==0.20.1\n")
    assert (finding["kind"], finding["verdict"], finding["severity"]) == ("incompatibility", "may", "setup")
    assert finding["advice"] == ["Install torchvision 0.21."]
    assert finding["issue"].startswith("https://")


def test_of_what_little_points_at_a_hundred_are_told_and_all_counted() -> None:
    known = [fault(row("0.14.0", "0.15.1"), package="deepspeed") for _ in range(MOST_FOLDED + 5)]
    known += [fault(row("0.10.0", "0.12.0"), condition="any") for _ in range(MOST_FOLDED + 5)]
    known.append(fault(row("0.14.0", "0.15.1"), condition="any"))
    data = answer(setup({"deepspeed": "0.14.2"}), known)
    assert (data["counts"]["affects"], data["counts"]["weak"], data["counts"]["fixed"]) == (1, 105, 105)
    assert [finding["verdict"] for finding in data["findings"]] == ["affects", *["may"] * 100, *["fixed"] * 100]


def test_it_says_what_it_does_not_know() -> None:
    data = check([("notes.txt", "My cat is asleep on the keyboard.\n")])
    assert data["findings"] == []
    assert data["not_known"][0] == "Not recognised: notes.txt."
    assert "add the output of “pip freeze”" in data["not_known"][1]


class TestLimits:
    def test_nothing_is_refused_with_what_to_give(self) -> None:
        with pytest.raises(NotCheckedError, match="Give a list of packages"):
            limited([("a", " \n"), ("b", "")])

    def test_too_many_or_too_long(self) -> None:
        with pytest.raises(TooMuchError, match="200 files"):
            limited([(str(number), "a") for number in range(MAX_TEXTS + 1)])
        with pytest.raises(TooMuchError, match="1 MB"):
            limited([("a", "a" * MAX_CHARACTERS), ("b", "b")])
        for end in ("\n", "\r", "\r\n"):
            with pytest.raises(TooMuchError, match="30,000 lines"):
                limited([("a", f"a{end}" * 15_001), ("b", f"b{end}" * 15_001)])

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"a==1", "a==1"),
            (b"\xef\xbb\xbfa==1", "a==1"),
            ("a==1".encode("utf-16"), "a==1"),
            (b"a==1 \xff", "a==1 \ufffd"),
            (b"PK\x03\x04\0\0", None),
        ],
    )
    def test_bytes_are_text_or_not(self, content: bytes, text: str | None) -> None:
        assert text_of(content) == text
