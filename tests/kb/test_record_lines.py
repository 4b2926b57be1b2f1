"""Recognise lines are held against other records and mirrored issues, as a diagnosis compares error lines."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.starter.format import Record
from kb.starter.lines import MOST_ISSUES, IssueText, failed_lines, read_issues
from tests.kb.test_record_checks import record

PARENTS = parents_of(read_house(CODEBOOK / "house.yaml"))
LINE = "hostfile parsing gave no slots for node 3"
# As another run prints it.
AGAIN = "[2026-01-02 10:00:00] ERROR: hostfile parsing gave no slots for node 17"


def with_line(number: int, cause: str = "", line: str = LINE, **more: Any) -> Record:
    labels = {"issue_type": ["bug"], "symptom": ["hang"], "component": ["launcher"]}
    return record(labels | ({"root_cause": [cause]} if cause else {}), number=number, recognise=[line], **more)


def others() -> list[Record]:
    """Enough other records that a word in one of them is rare."""
    return [record(number=number) for number in range(100, 140)]


def issues(count: int) -> list[IssueText]:
    url = "https://github.com/vllm-project/vllm/issues/{}"
    return [IssueText(url.format(number), "It fails", f"Look:\n```\n{AGAIN}\n```") for number in range(count)]


def refused(records: Sequence[Record], mirrored: Sequence[IssueText] = ()) -> dict[str, str]:
    failed = failed_lines([*records, *others()], mirrored, PARENTS)
    return {line.record.url.rsplit("/", 1)[1]: line.reason for line in failed}


def test_a_line_of_one_cause_is_fine() -> None:
    assert refused([with_line(1, "config-invalid"), with_line(2, "config-invalid")]) == {}
    assert refused([with_line(1, "communication"), with_line(2, "transport")]) == {}, "one is above the other"


def test_a_line_that_fits_another_cause_is_refused_in_both_and_names_the_other() -> None:
    reasons = refused([with_line(1, "config-invalid"), with_line(2, "toolchain")])
    assert "also fits other causes: https://github.com/deepspeedai/DeepSpeed/issues/2 (toolchain)" in reasons["1"]
    assert reasons.keys() == {"1", "2"}


def test_a_line_that_several_other_causes_are_also_seen_with_is_refused_where_it_recognises() -> None:
    seen = [record(number=number, also_seen=[f"{LINE} (follow-on)"]) for number in range(2, 5)]
    assert refused([with_line(1, "config-invalid"), *seen]).keys() == {"1"}
    assert refused([with_line(1, "config-invalid"), *seen[:2]]) == {}, "two may show it on their way"


def test_near_causes_share_a_line_unless_they_are_many() -> None:
    near = [with_line(1, "config-invalid"), with_line(2, "config-conflict"), with_line(3, "config-ignored")]
    assert refused(near) == {}
    assert refused([*near, with_line(4, "resource-settings")]).keys() == {"1", "2", "3", "4"}


def test_records_that_name_each_other_as_the_same_fault_are_not_compared() -> None:
    same = with_line(2, same_as=["https://github.com/deepspeedai/DeepSpeed/issues/1"])
    assert refused([with_line(1, "config-invalid"), same]) == {}


def test_a_neighbour_that_is_told_apart_may_have_the_line_and_so_may_a_minority() -> None:
    url = "https://github.com/deepspeedai/DeepSpeed/issues/1"
    told = with_line(2, "toolchain", neighbours=[{"url": url, "tell": "There no host is listed at all."}])
    assert refused([with_line(1, "config-invalid"), told]) == {}
    most = [with_line(number, "config-invalid") for number in (1, 3)]
    assert refused([*most, with_line(2, "toolchain")]).keys() == {"2"}


def test_a_line_that_many_mirrored_issues_have_is_refused_unless_the_record_names_them() -> None:
    assert refused([with_line(1, "config-invalid")], issues(MOST_ISSUES)) == {}
    reasons = refused([with_line(1, "config-invalid")], issues(MOST_ISSUES + 1))
    assert (
        f"fits {MOST_ISSUES + 1} mirrored issues, such as https://github.com/vllm-project/vllm/issues/0" in reasons["1"]
    )
    named = with_line(1, "config-invalid", same_as=[issue.url for issue in issues(2)])
    assert refused([named], issues(MOST_ISSUES + 1)) == {}


def test_a_line_without_words_of_its_own_is_refused() -> None:
    assert "too few words of its own" in refused([with_line(1, line="stalls")])["1"]


def test_issues_are_read_from_a_folder_and_none_from_one_that_is_not_there(tmp_path: Path) -> None:
    values = {"html_url": "https://github.com/a/b/issues/1", "title": "x", "body": None}
    with gzip.open(tmp_path / "some.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(values) + "\n")
    assert list(read_issues(tmp_path)) == [IssueText("https://github.com/a/b/issues/1", "x", "")]
    assert list(read_issues(tmp_path / "none")) == []
