"""A watched command writes and reads as it would without the watcher, byte by byte."""

import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from tests.client.watch.running import ENVIRONMENT, QUIET, begin, on_terminal, python, rest_of, run, until, watcher

BYTES = python(
    "import os\n"
    "os.write(1, bytes(range(256)) * 2000)\n"
    "os.write(2, b'\\x1b[31mred\\x1b[0m 50%|#####     | 1/2\\r')\n"
    "os.write(1, b'no end of line'); os.write(2, b'\\xff\\xfe\\r\\n\\n')"
)
TERMINAL = python(
    "import os, sys\n"
    "print([os.isatty(n) for n in range(3)], os.get_terminal_size(), os.ttyname(0) == os.ctermid())\n"
    "print('\\x1b[32mgreen\\x1b[0m\\rback', file=sys.stderr)"
)
# 64 ranks share the pipes and write whole lines.
RANKS = python(
    "import os\n"
    "for rank in range(64):\n"
    "    if not os.fork():\n"
    "        for step in range(40):\n"
    "            os.write(1 + step % 2, f'[rank{rank}]: step {step}\\n'.encode())\n"
    "        os._exit(0)\n"
    "while True:\n"
    "    try: os.wait()\n"
    "    except ChildProcessError: break"
)


def test_bytes_on_both_streams_stay_as_they_are() -> None:
    alone, watched = run(BYTES), run([*QUIET, *BYTES])
    assert (watched.stdout, watched.stderr) == (alone.stdout, alone.stderr)


def test_all_lines_of_many_ranks_arrive_whole() -> None:
    alone, watched = run(RANKS), run([*QUIET, *RANKS])
    assert sorted(watched.stdout.splitlines()) == sorted(alone.stdout.splitlines())
    assert sorted(watched.stderr.splitlines()) == sorted(alone.stderr.splitlines())
    assert len(watched.stdout.splitlines() + watched.stderr.splitlines()) == 64 * 40


def test_streams_that_share_a_pipe_keep_their_order() -> None:
    code = python("import os\nfor n in range(2000): os.write(1 + n % 2, b'%d\\n' % n)")
    watched = run(["sh", "-c", 'exec "$@" 2>&1', "sh", *QUIET, *code])
    assert watched.stdout.splitlines() == [b"%d" % number for number in range(2000)]


def test_input_and_environment_and_open_files_are_the_commands_own() -> None:
    reads = ["sh", "-c", "cat; env | sort; cat <&7"]
    environment = {name: ENVIRONMENT[name] for name in ("PATH", "PYTHONPATH")}
    shell = ["sh", "-c", 'exec 7<"$0"; exec "$@"', os.devnull]
    alone = run([*shell, *reads], input=b"given\0", environment=environment)
    assert run([*shell, *QUIET, *reads], input=b"given\0", environment=environment).stdout == alone.stdout


def test_a_question_without_end_of_line_is_seen_before_it_is_answered() -> None:
    process = begin([*QUIET, "sh", "-c", "printf 'ready? '; read answer; echo got $answer"])
    assert process.stdout is not None
    assert process.stdout.read(7) == b"ready? "
    output, _ = process.communicate(b"yes\n")
    assert output == b"got yes\n"


@pytest.mark.parametrize("before", [[], QUIET], ids=["alone", "watched"])
def test_a_terminal_stays_a_terminal_with_its_size_and_colours(before: list[str]) -> None:
    process, terminal = on_terminal([*before, *TERMINAL])
    assert rest_of(terminal) == (
        b"[True, True, True] os.terminal_size(columns=97, lines=31) False\r\n\x1b[32mgreen\x1b[0m\rback\r\n"
    )
    os.waitpid(process, 0)


def test_a_consumer_that_goes_ends_the_command_as_it_would() -> None:
    process = begin([*QUIET, "yes"], stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait() == -signal.SIGPIPE


def test_a_slow_consumer_holds_up_the_command_but_neither_its_errors_nor_signals() -> None:
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGUSR1, lambda *_: os.write(2, b'got it'))\n"
        "os.write(2, b'begun'); rest = memoryview(bytes(1 << 24))\n"
        "while rest: rest = rest[os.write(1, rest):]"
    )
    process = begin([*QUIET, *python(code)])
    assert process.stderr is not None
    assert process.stdout is not None
    assert os.read(process.stderr.fileno(), 5) == b"begun"
    process.send_signal(signal.SIGUSR1)
    assert select.select([process.stderr], [], [], 10)[0], "a signal arrives while output is not taken"
    assert os.read(process.stderr.fileno(), 6) == b"got it"
    assert len(process.stdout.read()) == 1 << 24
    assert process.wait() == 0


def test_a_file_is_the_commands_own_and_its_lines_are_named_by_it(tmp_path: Path) -> None:
    log, position = (
        tmp_path / "job.log",
        "import os, sys\nsys.stdout.write('step 1 loss: 2.0\\n'); sys.stdout.flush()\n",
    )
    fails = "print('torch.OutOfMemoryError: CUDA out of memory.', flush=True)\nos.lseek(1, 0, 2); sys.exit(1)"
    log.write_text("an older run\n")
    with log.open("ab") as file:
        told = subprocess.run(
            [*watcher(), *python(position + fails)], stdout=file, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
        )
    assert log.read_text() == "an older run\nstep 1 loss: 2.0\ntorch.OutOfMemoryError: CUDA out of memory.\n"
    assert f"{log}:3  torch.OutOfMemoryError".encode() in told.stderr


def test_what_outlives_the_command_can_still_write() -> None:
    code = (
        "import os, sys, time\nif not os.fork():\n    time.sleep(0.8); os.write(1, b'late'); os._exit(0)\nos._exit(4)"
    )
    process = begin([*QUIET, *python(code)])
    assert until(lambda: process.poll()) == 4
    assert process.stdout is not None
    assert process.stdout.read() == b"late"
