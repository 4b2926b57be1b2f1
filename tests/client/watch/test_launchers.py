"""Where the ranks of a command write, by its launchers' own options."""

import tempfile
from collections.abc import Mapping
from shlex import split

import pytest
from faultbook.watch.launchers import patterns_of

OF_TORCH = tuple(f"*/attempt_*/*/{name}" for name in ("stdout.log", "stderr.log", "error.json"))


def torch(folder: str) -> tuple[str, ...]:
    """The files of torchrun in a folder."""
    return tuple(f"{folder}/{file}" for file in OF_TORCH)


TEMPORARY = torch(f"{tempfile.gettempdir()}/torchelastic_*")


@pytest.mark.parametrize(
    ("command", "patterns"),
    [
        ("torchrun --nproc-per-node 8 --log-dir /logs train.py", torch("/logs")),
        ("python -m torch.distributed.run --log_dir=logs --redirects 3 train.py", torch("logs")),
        ("torchrun -r 3 train.py", TEMPORARY),
        ("torchrun train.py", ()),
        ("accelerate launch --tee 3 train.py", TEMPORARY),
        ("deepspeed --enable_each_rank_log logs train.py", ("logs/*_rank*.log",)),
        ("deepspeed train.py", ()),
        ("srun --output=%j_%t.log --error err.%4t python train.py -o model", ("*_*.log", "err.*")),
        ("srun -N2 -o out/%x-%t.txt python train.py", ("out/*-*.txt",)),
        ("srun --output=none torchrun --log-dir /logs train.py", torch("/logs")),
        ("mpirun --output-filename logs python train.py", ("logs/*/rank.*/std*", "logs.*")),
        ("mpirun --output file=logs/out python train.py", ("logs/out.*",)),
        ("mpiexec.hydra -outfile-pattern=out.%r python train.py", ("out.*",)),
        ("python train.py", ()),
    ],
)
def test_patterns(command: str, patterns: tuple[str, ...]) -> None:
    assert patterns_of(split(command), {}) == patterns


@pytest.mark.parametrize(
    ("command", "environment", "patterns"),
    [
        ("torchrun train.py", {"PET_LOG_DIR": "/logs"}, torch("/logs")),
        ("srun python train.py", {"SLURM_STDOUTMODE": "job-%t.log"}, ("job-*.log",)),
    ],
)
def test_options_told_by_the_environment(
    command: str, environment: Mapping[str, str], patterns: tuple[str, ...]
) -> None:
    assert patterns_of(split(command), environment) == patterns


def test_names_of_folders_are_no_patterns() -> None:
    assert patterns_of(["torchrun", "--log-dir", "/logs[1]"], {})[0].startswith("/logs[[]1]/")
