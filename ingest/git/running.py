"""Running git on a bare repository that nobody vouches for: no hooks, no helpers, no replaced objects, no prompts.

What is asked is in the modules beside this; where a repository comes from, in `cloning`.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROGRAM = "git"
# Larger files are counted as binary ones: nobody wrote a fix into them by hand.
BIG_FILE = "8m"
# Settings of the repository itself could run programs or change numbers: these win over them.
OPTIONS = (
    "--no-replace-objects", "--no-pager", "--literal-pathspecs",
    "-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
    "-c", "core.commitGraph=false", "-c", f"core.bigFileThreshold={BIG_FILE}", "-c", "core.attributesFile=/dev/null",
    "-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "blame.ignoreRevsFile=", "-c", "gc.auto=0",
    "-c", "diff.algorithm=myers", "-c", "diff.renames=true", "-c", "diff.renameLimit=1000",
    "-c", "diff.orderFile=/dev/null", "-c", "credential.helper=", "-c", "core.askPass=", "-c", "maintenance.auto=false",
)  # fmt: skip
# For what compares files: neither foreign programs nor filters.
PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
SECONDS = 300.0
MOST_ERRORS = 4000
CHUNK = 1 << 16
SHA_LENGTHS = (40, 64)


class GitError(RuntimeError):
    """Git could not answer; the message says what it was asked and what it said."""


class HistoryError(ValueError):
    """The repository is none, or its history cannot be told from what is there; the message says why."""


@dataclass(frozen=True)
class Git:
    """One bare repository on this machine. `may_fetch`: missing files may be asked for by https."""

    folder: Path
    may_fetch: bool = False
    seconds: float = SECONDS

    def text(self, *arguments: str, most: int = 1 << 26) -> str:
        """What a command prints, as text. Raises `GitError`, also above `most` bytes."""
        parts: list[bytes] = []
        size = 0
        with self.started(arguments) as output:
            while chunk := output.read(CHUNK):
                size += len(chunk)
                if size > most:
                    raise GitError(f"git {arguments[0]} printed more than {most} bytes")
                parts.append(chunk)
        return b"".join(parts).decode("utf-8", "replace")

    def records(self, *arguments: str, asked: Sequence[str] = (), most: int = 1 << 20) -> Iterator[bytes]:
        """The parts of what a command prints, each ended by NUL and cut after `most` bytes."""
        with self.started(arguments, asked) as output:
            yield from _records(output, most)

    @contextmanager
    def started(self, arguments: Sequence[str], asked: Sequence[str] = ()) -> Iterator[IO[bytes]]:
        """A command's output while it runs; it is killed when its time is over or nobody reads on."""
        process = self._process(arguments, has_questions=bool(asked))
        printed, complained = _pipe(process.stdout), _pipe(process.stderr)
        timer = threading.Timer(self.seconds, _kill, [process])
        errors: list[bytes] = []
        helpers = [threading.Thread(target=_drain, args=(complained, errors), daemon=True)]
        if asked:
            helpers.append(threading.Thread(target=_ask, args=(_pipe(process.stdin), asked), daemon=True))
        for helper in (timer, *helpers):
            helper.start()
        is_read = False
        try:
            yield printed
            is_read = True
        finally:
            is_late = not timer.is_alive()
            timer.cancel()
            if not is_read:
                _kill(process)
            code = process.wait()
            for helper in helpers:
                helper.join()
            printed.close()
            complained.close()
        if code:
            words = b"".join(errors).decode("utf-8", "replace").strip()
            reason = f"took longer than {self.seconds:.0f} s" if is_late else words or f"ended with {code}"
            raise GitError(f"git {arguments[0]}: {reason}")

    def _process(self, arguments: Sequence[str], *, has_questions: bool) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - git, with arguments of our own
                [PROGRAM, *OPTIONS, "--git-dir", str(self.folder), *arguments],
                stdin=subprocess.PIPE if has_questions else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(may_fetch=self.may_fetch),
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise GitError("git is not installed on this machine") from error


def environment(*, may_fetch: bool = False) -> dict[str, str]:
    """The whole environment of a command: nothing of the user's, and no transport but https."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        # Names no transport: git would ask a promising remote for each file that is missing.
        "GIT_ALLOW_PROTOCOL": "https" if may_fetch else "none",
        **{name: value for name, value in os.environ.items() if name.lower() in PROXIES and may_fetch},
    }


PROXIES = ("https_proxy", "no_proxy", "ssl_cert_file", "git_ssl_cainfo")


def _records(output: IO[bytes], most: int) -> Iterator[bytes]:
    """Parts between NULs, without ever holding much more than `most` bytes."""
    held = bytearray()
    while chunk := output.read(CHUNK):
        *ends, rest = chunk.split(b"\0")
        for end in ends:
            held += end[: max(0, most - len(held))]
            yield bytes(held)
            held.clear()
        held += rest[: max(0, most - len(held))]
    if held:
        yield bytes(held)


def _drain(errors: IO[bytes], kept: list[bytes]) -> None:
    """Read what git complains about, keep its beginning."""
    size = 0
    while chunk := errors.read1(CHUNK):  # type: ignore[attr-defined]
        if size < MOST_ERRORS:
            kept.append(chunk[: MOST_ERRORS - size])
        size += len(chunk)


def _ask(questions: IO[bytes], asked: Sequence[str]) -> None:
    """Write the questions; git may end before it read them all."""
    with suppress(OSError), questions:
        questions.write("".join(f"{line}\n" for line in asked).encode())


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise GitError("git was started without a pipe")
    return pipe


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
