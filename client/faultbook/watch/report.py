"""What is told of a run: the diagnosis of what it wrote, as text and JSON, and the user's own command on a failure.

It is called in a process of its own, whose end the watcher waits for and whose failure changes nothing.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import orjson

from faultbook.diagnose import add_known
from faultbook.watch.child import OF_SIGNALS, exit_code
from faultbook.watch.parts import Part, Pieces, marked
from faultbook.watch.rhythm import Stall
from faultbook.watch.schema import StallData, WatchData, WatchedDiagnosis
from faultbook.watch.watched import Run
from kb.core.diagnosis import command
from kb.core.diagnosis.analysis.past import NO_PAST
from kb.core.diagnosis.past_runs import past_jobs
from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, is_worth_asking, read, without_known
from kb.core.diagnosis.report import FAILURE
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.setup import setup_of
from kb.core.diagnosis.terminal import as_text, as_text_of_known
from kb.core.secrets.masking import mask

COMMAND_LIMIT = 60.0
REPORT = "FAULTBOOK_REPORT"
LAST_SIGNAL = 64
MINUTE, HOUR = 60, 3600


class Report:
    """What is told at a stall or at the end. `notes`: what was not kept, and why."""

    def __init__(self, run: Run, options: Namespace, notes: Sequence[str], stall: Stall | None = None) -> None:
        self._run, self._options, self._notes, self._stall = run, options, notes, stall
        self._code = exit_code(run.status) if run.status is not None else 0

    def tell(self, parts: Sequence[Part]) -> int:
        """Diagnose, print, write, and run the user's command. Returns 1 where there is a failure, 0 where none is."""
        parts = [*parts, *self._end(is_all=not parts)]
        alone = self._diagnosis(parts)
        data = add_known(alone, setup_of(_files(parts))) if is_worth_asking(alone) else without_known(alone, "")
        has_failed = self._has_failed(data)
        if has_failed:
            self._print(f"{self._head(data)}\n\n{as_text(alone)}{as_text_of_known(data, alone)}")
        elif self._code:
            self._print(f"{self._head(data)} {data['sentence']}\n")
        whole = orjson.dumps(self._whole(data), option=orjson.OPT_INDENT_2)
        if self._options.report:
            _write(Path(self._options.report), whole)
        if has_failed and self._options.on_failure:
            with _file_with(whole) as path:
                self._act(path)
        return int(has_failed)

    def _has_failed(self, data: DiagnosisData) -> bool:
        """Whether it is told as a failure. A run that was told to end has failed only if its output says so."""
        says_failure = data["verdict"] == FAILURE
        if self._stall is not None or (self._code and not self._run.told):
            return True
        return says_failure and (bool(self._code) or data.get("is_of_models", True))

    def _diagnosis(self, parts: Sequence[Part]) -> DiagnosisData:
        """From the output alone, beside other runs where the user names them."""
        failed = read(_files(parts))
        with ExitStack() as opened:
            files = self._options.healthy
            healthy = read(command.input_files(files, opened)) if files else None
        past = past_jobs(Path(self._options.past), []) if self._options.past else NO_PAST
        data = as_data(diagnosed(failed, healthy, past=past, stands_still=self._run.stands_still))
        by_name = {part.name: part for part in parts}
        for line in data["lines"]:
            if line["file"] in by_name:
                line["line"] = by_name[line["file"]].line(line["line"])
        data["unknown"] += self._notes
        return data

    def _end(self, *, is_all: bool) -> Iterator[Part]:
        """What a shell would say of an end by a signal that nobody sent through us, or if nothing else is said."""
        number = self._code - OF_SIGNALS
        is_by_signal = 0 < number <= LAST_SIGNAL and not self._run.told and not self._run.was_killed
        if is_by_signal or is_all:
            words = signal.strsignal(number) if is_by_signal else "Ended"
            yield Part("end of the command", [f"{words}: process exited with exit code {self._code}\n".encode()])

    def _head(self, data: DiagnosisData) -> str:
        """What happened, in a sentence."""
        if self._stall is not None:
            return f"{sentence_of(self._stall)} {self._fate}"
        after = f"after {duration(self._run.seconds)}"
        if self._run.process is None:
            return f"the output ended {after}."
        if self._run.status is not None and os.WIFSIGNALED(self._run.status):
            name = signal.Signals(os.WTERMSIG(self._run.status)).name
            return f"the command was ended by {name} (exit code {self._code}) {after}."
        but = ", but its output shows a failure" if self._has_failed(data) and not self._code else ""
        return f"the command ended with exit code {self._code} {after}{but}."

    @property
    def _fate(self) -> str:
        if self._run.process is None:
            return ""
        return "It is ended now, as --kill-on-hang says." if self._options.kill_on_hang else "It is left alone."

    def _print(self, text: str) -> None:
        if text and not self._options.quiet:
            with suppress(OSError):
                sys.stderr.write("\n" + marked(text))
                sys.stderr.flush()

    def _whole(self, data: DiagnosisData) -> WatchedDiagnosis:
        run, status = self._run, self._run.status
        by_signal = status is not None and os.WIFSIGNALED(status)
        watch: WatchData = {
            "event": "stall" if self._stall is not None else "end",
            "command": mask(shlex.join(run.command)).text,
            "exit_code": self._code if status is not None else None,
            "signal": signal.Signals(self._code - OF_SIGNALS).name if by_signal else None,
            "seconds": round(run.seconds, 3),
            "stalls": [_stall_data(stall) for stall in run.stalls],
        }
        return {**data, "watch": watch}

    def _act(self, report: str) -> None:
        """Run the user's command. It writes to standard error: standard output is the watched command's."""
        process = subprocess.Popen(  # noqa: S602 - it is the user's own
            self._options.on_failure,
            shell=True,
            env={**os.environ, REPORT: report},
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            start_new_session=True,
        )
        try:
            process.wait(COMMAND_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self._print(f"--on-failure was ended: it took longer than {duration(COMMAND_LIMIT)}.\n")


def _files(parts: Sequence[Part]) -> Iterator[InputFile]:
    return (InputFile(part.name, Pieces(part)) for part in parts)


def sentence_of(stall: Stall) -> str:
    """The stall in words: what did not come, what was allowed, what is usual."""
    usual = f"; usual are {duration(stall.usual)} for each" if stall.usual is not None else ""
    last = f" since step {stall.last_step:,}" if stall.last_step is not None else ""
    return (
        f"the run stands still: no {stall.what}{last} for {duration(stall.quiet)} "
        f"(its rhythm allows {duration(stall.limit)}{usual})."
    )


def duration(seconds: float) -> str:
    """Seconds in the units that a reader would use."""
    if seconds < MINUTE:
        return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2g} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min {seconds % MINUTE:.0f} s"
    return f"{seconds // HOUR:,.0f} h {seconds % HOUR // MINUTE:.0f} min"


def _stall_data(stall: Stall) -> StallData:
    return {
        "noticed": round(stall.noticed, 3),
        "quiet": round(stall.quiet, 3),
        "limit": round(stall.limit, 3),
        "last_step": stall.last_step,
        "again": round(stall.again, 3) if stall.again is not None else None,
    }


def _write(path: Path, content: bytes) -> None:
    """Write the file as a whole: nobody reads half of it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


@contextmanager
def _file_with(content: bytes) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(prefix="faultbook-", suffix=".json") as file:
        file.write(content)
        file.flush()
        yield file.name
