"""Rows of Slurm's sacct beside a log, or within it: state, exit code and node of jobs and steps."""

import pytest

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, INCOMPLETE
from tests.kb.core.diagnosis.lines import STEPS, diagnosis_of, indicated

DEFAULT = """\
JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
4711              train        gpu         ml         64 {job:>10} {code:>8}
4711.batch        batch                    ml         64 {step:>10} {code:>8}
4711.extern      extern                    ml         64  COMPLETED      0:0
"""
WITH_NODES = """\
JobID                  End        NodeList      State ExitCode
------------ ------------------- --------------- ---------- --------
4711         2026-05-14T10:30:00     node[01-04] {job:>10} {code:>8}
4711.0       2026-05-14T10:30:00          node03 {step:>10} {code:>8}
"""
BARS = (
    "JobID|State|ExitCode|NodeList|End|\n4711|{job}|{code}|node[01-04]|Unknown|\n4711.0|{step}|{code}|node03|Unknown|\n"
)


@pytest.mark.parametrize("table", [DEFAULT, WITH_NODES, BARS], ids=["default", "with nodes", "bars"])
@pytest.mark.parametrize(
    ("job", "step", "code", "verdict", "symptom", "cause"),
    [
        ("OUT_OF_ME+", "OUT_OF_ME+", "0:125", FAILURE, "oom-host", "host-memory"),
        ("FAILED", "OUT_OF_MEMORY", "0:125", FAILURE, "oom-host", "host-memory"),
        ("NODE_FAIL", "CANCELLED+", "0:9", FAILURE, "node-lost", None),
        ("TIMEOUT", "CANCELLED", "0:15", CANCELLED, None, None),
        ("PREEMPTED", "CANCELLED", "0:15", CANCELLED, None, None),
        ("CANCELLED by 1000", "CANCELLED", "0:15", CANCELLED, None, None),
    ],
)
def test_a_state_says_what_ended_a_log_that_breaks_off(
    table: str, job: str, step: str, code: str, verdict: str, symptom: str | None, cause: str | None
) -> None:
    if table is not BARS:
        job = job if len(job) <= 10 else "CANCELLED+"
        step = step if len(step) <= 10 else "OUT_OF_ME+"
    rows = table.format(job=job, step=step, code=code)
    found = diagnosis_of({"train.log": STEPS, "sacct.txt": rows})
    assert found.verdict == verdict
    assert found.lines[0].file == "sacct.txt"
    if verdict == FAILURE:
        assert found.symptom_code is not None
    if cause is not None:
        assert (found.symptom_code, found.causes[0].code) == (symptom, cause)


@pytest.mark.parametrize("table", [WITH_NODES, BARS], ids=["fixed", "bars"])
@pytest.mark.parametrize("state", ["NODE_FAIL", "OUT_OF_MEMORY"])
def test_the_node_of_the_step_is_suspect_and_a_list_of_nodes_is_not(table: str, state: str) -> None:
    shown = state if table is BARS else state[:9] + "+" * (len(state) > 10)
    found = diagnosis_of({"train.log": STEPS, "sacct.txt": table.format(job="FAILED", step=shown, code="0:9")})
    assert [node.name for node in found.nodes][:1] == ["node03"]


def test_rows_within_a_log_keep_their_lines() -> None:
    rows = DEFAULT.format(job="NODE_FAIL", step="CANCELLED", code="0:9")
    found = diagnosis_of(f"{STEPS}\n$ sacct -j 4711\n{rows}$ exit\n")
    assert indicated(found) == [("job.log", 34)]
    assert found.lines[0].text.startswith("sacct: 4711 State=NODE_FAIL")


@pytest.mark.parametrize(
    ("job", "step", "verdict"),
    [
        ("COMPLETED", "COMPLETED", HEALTHY),
        ("RUNNING", "COMPLETED", INCOMPLETE),
        ("PENDING", "PENDING", INCOMPLETE),
    ],
)
def test_a_job_that_completed_or_still_runs_accuses_nobody(job: str, step: str, verdict: str) -> None:
    found = diagnosis_of({"train.log": STEPS, "sacct.txt": DEFAULT.format(job=job, step=step, code="0:0")})
    assert (found.verdict, found.nodes) == (verdict, ())


def test_words_that_only_look_like_a_table_stay_as_they_are() -> None:
    found = diagnosis_of(f"{STEPS}\nJobID and State are shown by sacct\nRuntimeError: the shelf is gone\n")
    assert indicated(found) == [("job.log", 32)]
