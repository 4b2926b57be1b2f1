"""Which playbooks of common faults a text asks for."""

import pytest

from kb.core.search.playbooks import asked_playbooks, playbooks_of_lines


@pytest.mark.parametrize(
    "text",
    [
        "nccl watchdog timeout",
        "NCCL timeouts with 8 GPUs, what to do?",
        "my training hangs in all reduce",
        "多卡训练 nccl 超时",
        "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL",
    ],
)
def test_a_playbook_is_found_by_the_words_that_people_use(text: str) -> None:
    assert asked_playbooks(text)[0].slug == "nccl-watchdog-timeout"


@pytest.mark.parametrize("text", ["", "timeout", "nccl", "how do I bake bread", "\0", "x" * 100_000, "超时"])
def test_a_text_that_names_no_fault_finds_none(text: str) -> None:
    assert "nccl-watchdog-timeout" not in [playbook.slug for playbook in asked_playbooks(text)]


def test_a_failed_line_finds_the_playbook_that_knows_it_and_words_alone_do_not() -> None:
    line = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=31, OpType=ALLREDUCE) ran for 600021 ms"
    assert [playbook.slug for playbook in playbooks_of_lines([line])] == ["nccl-watchdog-timeout"]
    assert playbooks_of_lines(["connection timed out", "nccl timeout"]) == []
