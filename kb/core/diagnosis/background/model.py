"""The background: of every healthy run of the past, of which formats it was and which alarming kinds of lines it had.

A kind of line is known by a digest of its masked text: no text of a log is kept.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from kb.core.diagnosis.scanning.records import Scan, Template

BUNDLED = Path(__file__).with_name("usual.json")
# Words in any of a log's kinds of lines that show of which format it is. A log may be of several.
FORMATS = {
    "torchrun": ("torch/distributed/elastic", "torchrun", "torch.distributed.launch", "omp_num_threads environment"),
    "deepspeed": ("deepspeed", "deepscale"),
    "megatron": ("elapsed time per iteration", "megatron"),
    "vllm": ("vllm", "enginecore"),
    "ray": ("ray::", "ray cluster", "raylet", "raytrainworker"),
    "slurm": ("srun:", "slurmstepd", "slurm_"),
    "kubernetes": ("kubelet", "pod/", "kubectl"),
    "nccl": ("nccl info", "nccl warn"),
    "ci": ("##[", "github actions", "runner-container"),
}
LOOKED_AT = 4_000


@dataclass(frozen=True)
class Run:
    """A healthy run: whence it is, and of which formats."""

    source: str
    formats: frozenset[str]


@dataclass(frozen=True)
class Usual:
    """What runs of the formats of one log had: how many there were, and in how many each kind of line was."""

    runs: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def seen(self, template: Template) -> int:
        """In how many of the runs a line of this kind was."""
        return self.counts.get(digest(template), 0) if self.counts else 0


NOTHING_USUAL = Usual()


@dataclass(frozen=True)
class Background:
    """`lines`: the runs that had each kind of line, by its digest."""

    runs: tuple[Run, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def without(self, source: str) -> "Background":
        """The same, as if nothing of this source had been seen."""
        kept = {number for number, run in enumerate(self.runs) if run.source != source}
        place = {number: new for new, number in enumerate(sorted(kept))}
        lines = {line: tuple(place[run] for run in runs if run in kept) for line, runs in self.lines.items()}
        return Background(tuple(self.runs[number] for number in sorted(kept)), {k: v for k, v in lines.items() if v})

    def beside(self, formats: Collection[str]) -> Usual:
        """What was usual in runs that share a format with this log."""
        alike = {number for number, run in enumerate(self.runs) if run.formats.intersection(formats)}
        counts = {line: sum(run in alike for run in runs) for line, runs in self.lines.items()}
        return Usual(len(alike), {line: count for line, count in counts.items() if count})


def digest(template: Template) -> str:
    """What a kind of line is known by: the same for lines that differ in numbers, paths and names."""
    return blake2b(template.text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def formats_of(scan: Scan) -> frozenset[str]:
    """The formats that the log's own words show."""
    texts = (template.text.lower() for template in scan.templates[:LOOKED_AT])
    heads = (f"{emitter.fields.get('actor', '')} {emitter.fields.get('node', '')}".lower() for emitter in scan.emitters)
    said = "\n".join((*texts, *heads))
    return frozenset(name for name, words in FORMATS.items() if any(word in said for word in words))


def alarming(scan: Scan) -> Iterable[Template]:
    """The kinds of lines that somebody might take for the failure, were it not for the background."""
    return (template for template in scan.templates if template.is_notable and not template.is_frame)


def read(text: str) -> Background:
    """A background as it is kept. Raises `ValueError` if it is not of the shape that `build` writes."""
    data = json.loads(text)
    runs = tuple(Run(one["source"], frozenset(one["formats"])) for one in data["runs"])
    lines = {str(line): tuple(int(run) for run in seen) for line, seen in data["lines"].items()}
    if any(not 0 <= run < len(runs) for seen in lines.values() for run in seen):
        raise ValueError("A line is said to be of a run that is not listed.")
    return Background(runs, lines)


@lru_cache(maxsize=1)
def bundled() -> Background:
    """The background that comes with the project."""
    return read(BUNDLED.read_text())
