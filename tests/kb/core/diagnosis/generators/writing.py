"""From a script to files: lines in the order in which they are shown, numbered, with the truth about each."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace

from tests.kb.core.diagnosis.generators.entries import At, Part
from tests.kb.core.diagnosis.generators.job import Job, Places, Truth
from tests.kb.core.diagnosis.generators.script import Script
from tests.kb.core.diagnosis.generators.styles.transports import pod_name

# The gap between two lines of one text: others print in between.
GAP = 0.0004


@dataclass(frozen=True)
class Written:
    """A physical line."""

    shown: float
    time: float
    part: Part
    text: str
    at: At


def written(s: Script) -> Job:
    """The job of this script."""
    files = _files(s)
    lines = [line for name in files for line in files[name]]
    names, ranks = _named_nodes(s, files), _named_ranks(s, lines)
    truth = Truth(
        s.verdict,
        _places(files, Part.ROOT),
        _places(files, Part.SUPPORT),
        _places(files, Part.CASCADE),
        tuple(several[0] for several in names),
        tuple(names),
        ranks,
        s.stage,
        None if s.spec.serving else s.iteration,
        s.symptom,
    )
    contents = {name: "".join(f"{line.text}\n" for line in files[name]).encode() for name in files}
    return Job(contents, truth, s.verdict == "healthy", {n: tuple(line.time for line in files[n]) for n in files})


def in_order(s: Script) -> list[Written]:
    """All lines as they are shown."""
    lines = []
    for entry in s.entries:
        for place, (text, part) in enumerate(entry.lines):
            shown, time = entry.shown + place * GAP, entry.at.time + place * GAP
            text = s.style.wrap(replace(entry.at, time=time), text)
            lines.append(Written(shown, time, part, text, entry.at))
    return sorted(lines, key=lambda line: line.shown)


def _files(s: Script) -> dict[str, list[Written]]:
    files: defaultdict[str, list[Written]] = defaultdict(list)
    for line in in_order(s):
        files[s.style.file(line.at)].append(line)
    return dict(sorted(files.items()))


def _places(files: dict[str, list[Written]], part: Part) -> Places:
    """Where lines of this part are, by file."""
    found = {name: tuple(n for n, line in enumerate(files[name], 1) if line.part == part) for name in files}
    return {name: numbers for name, numbers in found.items() if numbers}


def _named_nodes(s: Script, files: dict[str, list[Written]]) -> list[tuple[str, ...]]:
    """The nodes to blame, by the names that their own lines or the words on the fault have for them."""
    if s.spec.serving:
        return []
    found = []
    for node in s.blamed_nodes:
        known = s.cluster.nodes[node]
        pod = pod_name(At(s.cluster, s.rank(node * s.cluster.gpus), 0.0))
        own = [
            f"{name} {line.text}" for name in files for line in files[name] if line.at.voice.node == node or line.part
        ]
        text = "\n".join(own)
        names = dict.fromkeys((known.host, known.short, known.address, pod))
        shown = tuple(name for name in names if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text))
        if shown:
            found.append(shown)
    return found


def _named_ranks(s: Script, lines: list[Written]) -> tuple[int, ...]:
    """The ranks to blame, as far as the log ties their number to what they do."""
    told = []
    for rank in s.blamed_ranks:
        pattern = re.compile(rf"\brank\w*[^0-9a-z]{{0,10}}{rank}\b", re.IGNORECASE)
        own = (line.text for line in lines if line.at.voice.rank == rank or line.part)
        by_prefix = s.style.name in ("srun", "mpirun", "jsonl", "per_rank")
        if by_prefix or any(pattern.search(text) for text in own):
            told.append(rank)
    return tuple(told)
