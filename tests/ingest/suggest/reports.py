"""The real reports that suggestions are measured on, and what is known about them from people."""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.suggest.rules import SuggestedAxis
from kb.starter.format import read_record, record_path
from kb.starter.load import RECORDS
from kb.starter.passes import read_passes
from tests.ingest.small import DATA

JUDGED = Path(__file__).with_name("judged.jsonl")
# What hosts' labels say about the issue type, in the words of the three projects. `documentation`, `performance` and
# `installation` say what a report is about, not what kind it is.
HOST_LABELS = {
    "bug": frozenset(("bug", "bug-unconfirmed")),
    "requirement": frozenset(("feature request", "enhancement", "feature", "new-model", "RFC", "roadmap")),
    "question": frozenset(("usage", "question")),
}


@dataclass(frozen=True)
class RealReport:
    """A mirrored issue."""

    url: str
    repo: str
    title: str
    body: str
    labels: tuple[str, ...]

    @property
    def host_type(self) -> str | None:
        """The issue type that the host's labels name, if they name one."""
        named = [kind for kind, labels in HOST_LABELS.items() if labels & set(self.labels)]
        return named[0] if len(named) == 1 else None


@dataclass(frozen=True)
class Judgement:
    """What somebody said of one suggestion after reading the issue; `part` is `tuning` or `held out`."""

    url: str
    axis: SuggestedAxis
    node: str
    right: bool
    part: str
    judged_on: str


def real_reports() -> Iterator[RealReport]:
    """All mirrored issues beside this project."""
    for path in sorted((DATA / "issues").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield RealReport(row["html_url"], row["repo"], row["title"], row["body"] or "", tuple(row["labels"]))


def judgements() -> Sequence[Judgement]:
    """Every judgement, in the file's order."""
    return [Judgement(**json.loads(line)) for line in JUDGED.read_text(encoding="utf-8").splitlines()]


def curated() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """What curated records say that were labelled twice, by address and axis: their readers knew no suggestion."""
    found: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for passes in read_passes().values():
        record = read_record(record_path(RECORDS, passes.url))
        for axis in ("issue_type", "symptom", "stage", "component"):
            found[record.url][axis] = frozenset(label.node for label in getattr(record.labels, axis))
    return found


def tensorflow_titles() -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Title, host labels, and whether most of three reviewers called the bug silent."""
    with (DATA / "silent-bugs-keras" / "issues_voting.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            votes = [float(row[f"reviewer{number}"] or 0) for number in (1, 2, 3)]
            yield row["title"], tuple(row["github_labels"].split("^")), sum(votes) > len(votes) / 2
