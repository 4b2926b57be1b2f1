"""Makes a background of healthy runs. Where those come from is the caller's business."""

import json
from collections.abc import Iterable

from kb.core.diagnosis.background.model import Background, Run, alarming, digest, formats_of
from kb.core.diagnosis.scanning.records import Scan


def built(runs: Iterable[tuple[str, Scan]]) -> Background:
    """Put together what these runs had. Each comes with the name of its source."""
    found: list[Run] = []
    lines: dict[str, list[int]] = {}
    for source, scan in runs:
        number = len(found)
        found.append(Run(source, formats_of(scan)))
        for line in dict.fromkeys(digest(template) for template in alarming(scan)):
            lines.setdefault(line, []).append(number)
    return Background(tuple(found), {line: tuple(seen) for line, seen in lines.items()})


def written(background: Background) -> str:
    """The background as it is kept, the same text for the same background."""
    runs = [{"source": run.source, "formats": sorted(run.formats)} for run in background.runs]
    lines = {line: list(seen) for line, seen in sorted(background.lines.items())}
    return json.dumps({"runs": runs, "lines": lines}, indent=None, separators=(",", ":")) + "\n"
