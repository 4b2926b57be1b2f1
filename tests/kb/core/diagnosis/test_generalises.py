"""How good diagnoses are on made-up runs that nobody looked at while tuning: a floor for them and for the others.

The floors are what was measured, less what chance may take; they are no goals. Goals are in `evaluation`.
"""

import io
from collections.abc import Iterator
from functools import cache

import pytest

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.report import Diagnosis
from tests.kb.core.diagnosis.evaluation.measures import Tally, tally
from tests.kb.core.diagnosis.generators import generate, held_out_specs, tuning_specs
from tests.kb.core.diagnosis.generators.job import Job

# Of the grid, one job in so many.
EVERY = 4
SOUND = ("healthy", "no_evidence")
FLOORS = {
    "tuning": {
        "verdict": 0.97, "hit@1": 0.95, "hit@5": 0.97, "symptom": 0.96,
        "node top-1": 0.95, "node top-3": 0.96, "rank top-1": 0.95,
    },
    "held out": {
        "verdict": 0.95, "hit@1": 0.86, "hit@5": 0.9, "symptom": 0.93,
        "node top-1": 0.9, "node top-3": 0.92, "rank top-1": 0.92,
    },
}  # fmt: skip


def judged(job: Job, diagnosis: Diagnosis) -> dict[str, float]:
    """The measures that this job has a truth for, from 0 to 1."""
    truth = job.truth
    right = {
        (file, line)
        for lines in (truth.root_lines, truth.support_lines)
        for file, numbers in lines.items()
        for line in numbers
    }
    wanted = SOUND if truth.verdict in SOUND else (truth.verdict,)
    found = {"verdict": float(diagnosis.verdict in wanted)}
    if truth.verdict not in SOUND and right:
        lines = [(line.file, line.line) in right for line in diagnosis.lines[:5]]
        found |= {"hit@1": float(any(lines[:1])), "hit@5": float(any(lines))}
    if truth.symptom != "none":
        found["symptom"] = float(diagnosis.symptom == truth.symptom)
    return found | suspected(job, diagnosis)


def suspected(job: Job, diagnosis: Diagnosis) -> dict[str, float]:
    """Whether the node and the rank at fault are suspected first, where the log names them."""
    truth = job.truth
    found: dict[str, float] = {}
    if truth.verdict == "failure" and truth.nodes:
        right = {name for names in truth.aliases for name in names} | set(truth.nodes)
        nodes = [one.name in right for one in diagnosis.nodes[:3]]
        found |= {"node top-1": float(any(nodes[:1])), "node top-3": float(any(nodes))}
    if truth.verdict == "failure" and truth.ranks:
        found["rank top-1"] = float(any(int(one.name) in truth.ranks for one in diagnosis.ranks[:1]))
    return found


def jobs(part: str) -> Iterator[Job]:
    specs = list(tuning_specs() if part == "tuning" else held_out_specs())
    return (generate(spec) for spec in specs[::EVERY])


@cache
def measured(part: str) -> Tally:
    return tally(judged(job, diagnosis_of(job)) for job in jobs(part))


def diagnosis_of(job: Job) -> Diagnosis:
    return diagnosed(read([InputFile(name, io.BytesIO(data)) for name, data in job.files.items()]))


@pytest.mark.parametrize(("part", "measure"), [(part, measure) for part in FLOORS for measure in FLOORS[part]])
def test_each_measure_keeps_its_floor(part: str, measure: str) -> None:
    found = measured(part)
    assert found.n(measure) >= 50
    assert found.mean(measure) >= FLOORS[part][measure], f"n = {found.n(measure)}"


def test_the_order_of_the_files_changes_no_verdict() -> None:
    several = [job for job in jobs("tuning") if len(job.files) > 1][:12]
    turned = [Job(dict(reversed(job.files.items())), job.truth, job.healthy, job.times) for job in several]
    assert [diagnosis_of(job).verdict for job in turned] == [diagnosis_of(job).verdict for job in several]
