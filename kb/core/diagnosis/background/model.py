"""The background: of every healthy run of the past, of which formats it was and which alarming kinds of lines it had.

A kind of line is known by a digest of its masked text: no text of a log is kept.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from pydantic import TypeAdapter

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
    """A healthy run: the name of its source, and the formats of its log."""

    source: str
    formats: frozenset[str]


@dataclass(frozen=True)
class Usual:
    """The healthy runs that share a format with a log: how many, and in how many of them each kind of line was."""

    runs: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def seen(self, template: Template) -> int:
        """The number of runs that had a line of this kind."""
        return self.counts.get(digest(template), 0) if self.counts else 0


NOTHING_USUAL = Usual()


@dataclass(frozen=True)
class Background:
    """All healthy runs. `lines`: the numbers of the runs that had each kind of line, by its digest."""

    runs: tuple[Run, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def without(self, source: str) -> "Background":
        """The same background as if this source had never been seen."""
        kept = [number for number, run in enumerate(self.runs) if run.source != source]
        renumbered = {number: new for new, number in enumerate(kept)}
        lines: dict[str, tuple[int, ...]] = {}
        for line, runs in self.lines.items():
            left = tuple(renumbered[run] for run in runs if run in renumbered)
            if left:
                lines[line] = left
        return Background(tuple(self.runs[number] for number in kept), lines)

    def beside(self, formats: Collection[str]) -> Usual:
        """What is usual in runs that share a format with this log."""
        alike = {number for number, run in enumerate(self.runs) if run.formats.intersection(formats)}
        counts: dict[str, int] = {}
        for line, runs in self.lines.items():
            count = len(alike.intersection(runs))
            if count:
                counts[line] = count
        return Usual(len(alike), counts)


def digest(template: Template) -> str:
    """The digest of a kind of line: the same for lines that differ in numbers, paths and names."""
    return blake2b(template.text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def formats_of(scan: Scan) -> frozenset[str]:
    """The formats that the log's own words show."""
    texts = [template.text for template in scan.templates[:LOOKED_AT]]
    texts += [f"{emitter.fields.get('actor', '')} {emitter.fields.get('node', '')}" for emitter in scan.emitters]
    text = "\n".join(texts).lower()
    return frozenset(name for name, words in FORMATS.items() if any(word in text for word in words))


def alarming(scan: Scan) -> Iterable[Template]:
    """The kinds of lines that somebody might take for the failure, were it not for the background."""
    return (template for template in scan.templates if template.is_notable and not template.is_frame)


def read(text: str) -> Background:
    """A background from its file's text. Raises `ValueError` if it is not of the shape that `build` writes."""
    background = TypeAdapter(Background).validate_json(text)
    listed = set(range(len(background.runs)))
    if not all(listed.issuperset(runs) for runs in background.lines.values()):
        raise ValueError("A line belongs to a run that is not listed.")
    return background


@lru_cache(maxsize=1)
def bundled() -> Background:
    """The background that comes with the project."""
    return read(BUNDLED.read_text())


def built(runs: Iterable[tuple[str, Scan]]) -> Background:
    """The background of these runs. Each comes with the name of its source."""
    listed: list[Run] = []
    lines: dict[str, tuple[int, ...]] = {}
    for number, (source, scan) in enumerate(runs):
        listed.append(Run(source, formats_of(scan)))
        for line in dict.fromkeys(map(digest, alarming(scan))):
            lines[line] = (*lines.get(line, ()), number)
    return Background(tuple(listed), lines)


def written(background: Background) -> str:
    """The background as its file's text, the same for the same background."""
    runs = [{"source": run.source, "formats": sorted(run.formats)} for run in background.runs]
    lines = {line: list(seen) for line, seen in sorted(background.lines.items())}
    return json.dumps({"runs": runs, "lines": lines}, indent=None, separators=(",", ":")) + "\n"
