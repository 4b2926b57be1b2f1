"""What signals advise: nothing that contradicts the message, and commands with the names of the run filled in."""

import pytest

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.commands import WORDS, filled
from kb.core.diagnosis.signals.contradictions import contradictions
from tests.kb.core.diagnosis.lines import diagnosis_of


def test_no_advice_of_the_catalogue_contradicts_its_message() -> None:
    for signal in catalogue().signals:
        assert list(contradictions(signal.model_dump(mode="json"))) == [], signal.code


@pytest.mark.parametrize(
    ("message", "key", "advice"),
    [
        ("Free memory on device is less than desired GPU memory utilization", "check", "Raise the share of memory."),
        ("CUDA out of memory. Tried to allocate 2 GiB", "check", "Use a larger batch."),
        ("torch.OutOfMemoryError: HIP out of memory", "check", "Increase max_seq_len."),
        ("out of resource: shared memory. Reducing block sizes may help", "check", "Use larger tiles."),
        ("Timed out after 1800 s waiting for clients", "check", "Lower the timeout."),
        ("size mismatch for lm_head: copying a param", "means", "The names of the weights differ."),
        ("GGML_ASSERT(n_tokens > 0) failed", "means", "The model file cannot be read."),
        ("wandb.errors.CommError: 502", "means", "No key was given."),
        ("DEADLINE_EXCEEDED: Barrier timed out", "causes", "accelerator-fault"),
        ("OSError: No space left on device", "causes", "script-bug"),
    ],
)
def test_advice_that_contradicts_the_message_is_a_fault(message: str, key: str, advice: str) -> None:
    entry = {"pattern": "unrelated", "examples": [message], key: advice if key == "means" else [advice]}
    assert key in [place for place, _ in contradictions(entry)]


def test_each_alternative_of_a_pattern_is_a_message() -> None:
    advice = ["Raise the share of GPU memory."]
    good, bad = (
        r"No (?:memory|room)\. Try increasing gpu_memory_utilization",
        "less than desired GPU memory utilization",
    )
    assert [key for key, _ in contradictions({"pattern": f"{good}|{bad}", "check": advice})] == ["check"]
    assert list(contradictions({"pattern": good, "check": advice})) == []


def test_names_are_filled_in_where_they_are_known() -> None:
    check = "See `dmesg -T | grep {pci}` on {node}; {rank} may be stuck."
    names = {"node": "node02", "rank": "7", "pci": "0000:44:00.0"}
    assert filled(check, names) == "See `dmesg -T | grep 0000:44:00.0` on node02; rank 7 may be stuck."
    assert filled(check) == "See `dmesg -T | grep PCI` on the node; that rank may be stuck."
    assert filled("{rank} is late.") == "That rank is late."


@pytest.mark.parametrize("name", ["n;reboot", "$(id)", "-rf", "`id`", "a b", "", "n" * 101])
def test_what_is_no_plain_name_never_reaches_a_command(name: str) -> None:
    assert filled("Look at `ssh {node}` from {node}.", {"node": name}) == "Look at `ssh NODE` from the node."


def test_every_check_of_the_catalogue_reads_well_with_and_without_names() -> None:
    for signal in catalogue().signals:
        for check in signal.check:
            for text in (filled(check), filled(check, dict.fromkeys(WORDS, "x9"))):
                assert "{" not in text, (signal.code, text)


def test_a_diagnosis_names_the_node_and_the_device_in_its_commands() -> None:
    kernel = "node07 kernel: NVRM: Xid (PCI:0000:44:00): 79, pid=6755, name=python3, GPU has fallen off the bus."
    found = diagnosis_of({"dmesg.log": "\n".join(f"Apr 24 16:22:1{second} {kernel}" for second in range(3))})
    assert any("`" in check and "node07" in check for check in found.checks), found.checks


def test_a_command_names_the_adapter_and_the_process_of_the_line() -> None:
    log = "step 1 loss 2.0\nstep 2 loss 1.9\nnode3:41:92 [5] NCCL WARN NET/IB : mlx5_4:1 Got async event : port error\n"
    assert any("mlx5_4" in check for check in diagnosis_of(log).checks)
