"""Run by the peers' own Python: what Drain and an isolation forest say of each job, as JSON on standard output.

He, Zhu, Zheng, Lyu: Drain, ICWS 2017; Liu, Ting, Zhou: Isolation Forest, ICDM 2008. How they are put to use follows
L4 (study P4): rare templates, templates that no healthy run has, and nodes by how unlike the others' their events are.
Knows nothing of Faultbook; the peers are imported late, as only their own environment has them.
"""

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

MASKS = ((r"0x[0-9a-fA-F]+", "HEX"), (r"\d+\.\d+\.\d+\.\d+(:\d+)?", "IP"), (r"\d+", "NUM"))
MOST_LINES, MOST_RANKED = 200_000, 100
# A template, a file's place among the job's, and a line of it.
Seen = tuple[int, int, int]


def miner() -> Any:
    """Drain with the masks that its documentation shows."""
    config = import_module("drain3.template_miner_config").TemplateMinerConfig()
    instruction = import_module("drain3.masking").MaskingInstruction
    config.masking_instructions = [instruction(pattern, name) for pattern, name in MASKS]
    config.profiling_enabled = False
    return import_module("drain3").TemplateMiner(config=config)


def lines_of(path: Path) -> list[str]:
    """A log's lines."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.name.endswith(".gz") else content
    return text.decode("utf-8", "replace").split("\n")[:MOST_LINES]


def answers(job: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """The ranked lines of each method and the ranked nodes, for one job."""
    drain = miner()
    usual = {mined(drain, line) for name in job["healthy"] for line in lines_of(root / name) if line.strip()}
    seen: list[Seen] = []
    by_node: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for number, name in enumerate(job["files"]):
        for place, line in enumerate(lines_of(root / name), 1):
            if not line.strip():
                continue
            template = mined(drain, line)
            seen.append((template, number, place))
            for node in job["nodes"]:
                if node in line or node in name:
                    by_node[node][template] += 1
    counts = Counter(template for template, _, _ in seen)
    rare = sorted(seen, key=lambda one: (counts[one[0]], one[1], one[2]))
    new = [one for one in rare if one[0] not in usual]
    lines = {"rarest Drain template": places(rare), "Drain + healthy runs": places(new)}
    return {"lines": lines, "nodes": unlike(by_node)}


def mined(drain: Any, line: str) -> int:
    """The number of the line's template."""
    return int(drain.add_log_message(line)["cluster_id"])


def places(seen: Sequence[Seen]) -> list[list[int]]:
    """Files and lines, the best first."""
    return [[number, place] for _, number, place in seen[:MOST_RANKED]]


def unlike(by_node: Mapping[str, Counter[int]]) -> list[str]:
    """Nodes by how unlike the others' their counts of templates are."""
    names = sorted(by_node)
    if len(names) < 2:
        return names
    templates = sorted({template for counts in by_node.values() for template in counts})
    vectors = [[by_node[name][template] for template in templates] for name in names]
    forest = import_module("sklearn.ensemble").IsolationForest(random_state=0).fit(vectors)
    return [name for _, name in sorted(zip(forest.score_samples(vectors), names, strict=True))]


def main(root: str, jobs: str) -> None:
    """Answer every job of the file."""
    asked = json.loads(Path(jobs).read_text())
    json.dump({job["id"]: answers(job, Path(root)) for job in asked}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
