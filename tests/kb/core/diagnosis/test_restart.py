"""Whether to start again: what it follows from, and how often the fault is told right on held-out logs."""

import io
import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

from kb.core.diagnosis.analysis.restart import INFRASTRUCTURE, MEASURED, restart_of
from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.report import Cause, Diagnosis, Suspect, Verdict
from tests.kb.core.diagnosis.evaluation.corpus import HELD_OUT, read_corpus
from tests.kb.core.diagnosis.evaluation.measures import wilson


def failed(*causes: tuple[str, float], nodes: tuple[Suspect, ...] = (), verdict: Verdict = "failure") -> Diagnosis:
    return Diagnosis(verdict, "", causes=tuple(Cause(code, share, "") for code, share in causes), nodes=nodes)


@pytest.mark.parametrize(
    ("diagnosis", "fault", "helps", "without"),
    [
        (failed(("accelerator-fault", 1.0), nodes=(Suspect("n7", 0.9, ""),)), "infrastructure", "likely", ("n7",)),
        (failed(("accelerator-fault", 1.0), nodes=(Suspect("n7", 0.3, ""),)), "infrastructure", "likely", ()),
        (failed(("transport", 1.0), nodes=(Suspect("n7", 0.9, ""),)), "infrastructure", "likely", ()),
        (failed(("config-invalid", 0.7), ("node-fault", 0.3)), "workload", "unlikely", ()),
        (failed(("config-invalid", 0.5), ("node-fault", 0.5)), "unknown", "unknown", ()),
        (failed(("stream-race", 1.0)), "workload", "unknown", ()),
        (failed(), "unknown", "unknown", ()),
        (failed(verdict="cancelled"), "none", "likely", ()),
    ],
)
def test_follows_from_causes_and_suspects(diagnosis: Diagnosis, fault: str, helps: str, without: tuple[str]) -> None:
    restart = restart_of(diagnosis)
    assert restart is not None
    assert (restart.fault, restart.helps, restart.without) == (fault, helps, without)
    assert all(node in restart.why for node in without)


@pytest.mark.parametrize("verdict", ["healthy", "incomplete", "no_evidence"])
def test_nothing_is_advised_where_nothing_failed(verdict: Verdict) -> None:
    assert restart_of(failed(verdict=verdict)) is None


def test_the_share_shown_is_what_held_out_logs_give() -> None:
    told: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for truth in read_corpus(HELD_OUT):
        if truth.cause and truth.verdict == "failure":
            files = [InputFile(name, io.BytesIO(Path(name).read_bytes())) for name in truth.files]
            restart = diagnosed(read(files)).restart
            if restart is not None:
                told[restart.fault] += 1
                right[restart.fault] += restart.fault == (
                    "infrastructure" if truth.cause in INFRASTRUCTURE else "workload"
                )
    measured = {}
    for fault in ("infrastructure", "workload"):
        low, high = wilson(right[fault] / told[fault], told[fault])
        measured[fault] = {"right": right[fault], "n": told[fault], "low": round(low, 3), "high": round(high, 3)}
    if os.environ.get("UPDATE_MEASURED"):
        head = "# How often the fault was told right on held-out logs: UPDATE_MEASURED=1 pytest {}\n".format(
            "tests/kb/core/diagnosis/test_restart.py"
        )
        MEASURED.write_text(head + yaml.safe_dump(measured, sort_keys=False))
    shown = yaml.safe_load(MEASURED.read_text())
    # A signal more or less does not change what readers may expect.
    for fault, now in measured.items():
        assert shown[fault]["right"] / shown[fault]["n"] == pytest.approx(now["right"] / now["n"], abs=0.1), measured
