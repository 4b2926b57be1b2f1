"""Earlier jobs: which are compared with, whether a failure came before, and what is passed over."""

import gzip
import os
from itertools import count
from pathlib import Path

import pytest

from kb.core.diagnosis import past_runs
from kb.core.diagnosis.analysis.past import NO_PAST, PastJobs
from kb.core.diagnosis.past_runs import MOST_JOBS, past_jobs
from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, read
from kb.core.diagnosis.report import Diagnosis, Recurrence
from kb.core.diagnosis.terminal import as_text

STEPS = "".join(f"step {number}/60 | loss: {2.5 - number / 100:.3f} | lr: 1e-4\n" for number in range(1, 61))
UNPLANNED = STEPS.replace("/60", "")
MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB\n"
XID = "NVRM: Xid (PCI:0000:{}:00): 79, pid=1, GPU has fallen off the bus.\n"
# When jobs were written.
CLOCK = count(1_700_000_000, 60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "jobs"
    place.mkdir()
    return place


def add(path: Path, text: str) -> Path:
    """A job, written after all before it."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    written = next(CLOCK)
    os.utime(path, (written, written))
    return path


def diagnosis_of(text: str, past: PastJobs, tmp_path: Path) -> Diagnosis:
    log = tmp_path / "now.log"
    log.write_text(text)
    with log.open("rb") as stream:
        return diagnosed(read([InputFile("now.log", stream)]), past=past)


def recurrence_of(text: str, folder: Path) -> Recurrence | None:
    restart = diagnosis_of(text, past_jobs(folder), folder.parent).restart
    assert restart is not None
    return restart.recurs


class TestRecurrence:
    def test_a_failure_that_came_before_is_told_with_the_newest_of_its_kind(self, folder: Path) -> None:
        add(folder / "a.log", STEPS + MEMORY.format("1.00"))
        add(folder / "b" / "rank0.log.gz", STEPS + MEMORY.format("7.50"))
        add(folder / "c.log", STEPS + XID.format("17"))
        add(folder / "d.log", STEPS + "training finished\n")
        past = past_jobs(folder)
        data = as_data(diagnosis_of(STEPS + MEMORY.format("3.00"), past, folder.parent))
        assert data["restart"] is not None
        assert data["restart"]["recurs"] == {"of": 3, "same": 2, "last": "b"}
        assert "Seen before: 2 of 3 earlier failed jobs failed this way, most recently b." in as_text(data)

    def test_one_that_is_new_is_told_to_be(self, folder: Path) -> None:
        add(folder / "a.log", STEPS + XID.format("17"))
        assert recurrence_of(STEPS + MEMORY.format("3.00"), folder) == Recurrence(1, 0, None)
        assert recurrence_of(STEPS + XID.format("65"), folder) == Recurrence(1, 1, "a.log")

    def test_nothing_is_told_where_none_failed(self, folder: Path) -> None:
        add(folder / "a.log", STEPS + "training finished\n")
        assert recurrence_of(STEPS + MEMORY.format("3.00"), folder) is None

    def test_the_log_at_hand_is_no_earlier_job(self, folder: Path) -> None:
        log = add(folder / "a.log", STEPS + MEMORY.format("1.00"))
        inner = add(folder / "b" / "rank0.log", STEPS + MEMORY.format("1.00"))
        assert [job.name for job in past_jobs(folder, [str(log)]).jobs] == ["b"]
        assert [job.name for job in past_jobs(folder, [str(inner)]).jobs] == ["a.log"]
        assert [job.name for job in past_jobs(folder, [str(inner.parent)]).jobs] == ["a.log"]


class TestComparison:
    NOISE = "ERROR: cannot reach the profiler on port 4123, going on without\n"

    def test_what_healthy_jobs_say_too_is_not_blamed(self, folder: Path) -> None:
        text = f"{self.NOISE}{STEPS}KeyError: 'lr'\n"
        add(folder / "a.log", f"{self.NOISE.replace('4123', '77')}{STEPS}training finished\n")
        lines = diagnosis_of(text, past_jobs(folder), folder.parent).lines
        assert lines[0].text.startswith("KeyError")
        reasons = [reason for line in lines if "profiler" in line.text for reason in line.why]
        assert "Healthy runs log it too." in reasons

    def test_a_job_of_another_kind_is_no_comparison(self, folder: Path) -> None:
        words = ("loading", "shard", "tokenizer", "cache", "worker", "queue", "batch", "router", "prefix", "engine")
        other = "".join(f"INFO {first} {second} ready\n" for first in words for second in words)
        add(folder / "a.log", f"{self.NOISE}{other}INFO: Application startup complete.\nINFO: Shutting down\n")
        lines = diagnosis_of(f"{self.NOISE}{STEPS}KeyError: 'lr'\n", past_jobs(folder), folder.parent).lines
        assert not any("Healthy runs" in reason for line in lines for reason in line.why)

    def test_a_run_that_breaks_off_before_all_healthy_ones_is_incomplete(self, folder: Path) -> None:
        for name in ("a.log", "b.log"):
            add(folder / name, f"{UNPLANNED}training finished\n")
        half = "".join(UNPLANNED.splitlines(keepends=True)[:37])
        assert diagnosis_of(half, past_jobs(folder), folder.parent).verdict == "incomplete"
        assert diagnosis_of(UNPLANNED, past_jobs(folder), folder.parent).verdict == "healthy"
        assert diagnosis_of(UNPLANNED, NO_PAST, folder.parent).verdict == "incomplete"

    def test_a_run_has_no_length_of_others_where_these_differ(self, folder: Path) -> None:
        add(folder / "a.log", f"{UNPLANNED}training finished\n")
        add(folder / "b.log", f"{UNPLANNED}step 61 | loss: 1.9 | lr: 1e-4\ntraining finished\n")
        assert diagnosis_of(UNPLANNED, past_jobs(folder), folder.parent).verdict == "incomplete"


class TestBounds:
    def test_only_the_newest_are_read(self, folder: Path) -> None:
        for number in range(MOST_JOBS + 5):
            add(folder / f"{number:02}.log", STEPS)
        names = [job.name for job in past_jobs(folder).jobs]
        assert (len(names), names[0], names[-1]) == (MOST_JOBS, "24.log", "05.log")

    def test_what_cannot_be_compared_is_told(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(past_runs, "MOST_TEXT", 10_000)
        add(folder / "empty.log", "")
        (folder / "core").write_bytes(bytes(range(256)) * 30)
        (folder / "none").mkdir()
        (folder / "gone.log").symlink_to(folder / "nowhere")
        add(folder / "large.log", STEPS * 10)
        add(folder / "bomb.log.gz", STEPS * 100)
        add(folder / ".hidden", STEPS)
        add(folder / "fine.log", STEPS)
        past = past_jobs(folder)
        assert [job.name for job in past.jobs] == ["fine.log"]
        for name in ("empty.log", "core", "none", "gone.log", "large.log", "bomb.log.gz"):
            assert any(f"The earlier job {name} was not compared" in sentence for sentence in past.unread), name
        assert diagnosis_of(STEPS, past, folder.parent).unknown == past.unread

    def test_when_the_time_is_over_the_rest_is_told_and_read_another_time(self, folder: Path) -> None:
        for number in range(10):
            add(folder / f"{number}.log", STEPS)
        ticks = count(0, 0.4)
        first = past_jobs(folder, clock=lambda: next(ticks))
        assert 0 < len(first.jobs) < 10
        assert "of the earlier jobs were not compared" in first.unread[-1]
        ticks = count(0, 0.4)
        assert len(past_jobs(folder, clock=lambda: next(ticks)).jobs) > len(first.jobs)

    def test_a_job_that_was_written_on_is_read_again(self, folder: Path) -> None:
        log = add(folder / "a.log", STEPS)
        assert past_jobs(folder).jobs[0].verdict == "healthy"
        add(log, STEPS + MEMORY.format("1.00"))
        assert past_jobs(folder).jobs[0].verdict == "failure"

    def test_a_folder_that_is_not_there_is_an_error(self, folder: Path) -> None:
        with pytest.raises(OSError, match="nowhere"):
            past_jobs(folder / "nowhere")
