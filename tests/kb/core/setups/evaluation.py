"""How right checks are, on set-ups with expected answers: `python -m tests.kb.core.setups.evaluation FOLDER`.

`FOLDER/expected.json` names for each `cases/NAME/` a record and whether it affects the set-up, may, or does not. The
records' own files are what is known; no database is read.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypedDict

from kb.check.texts import texts_at
from kb.core.addresses import parse_repository_address
from kb.core.frameworks import package_of
from kb.core.setups.judging import findings
from kb.core.setups.known_faults import Bound, KnownFault, Row, combined
from kb.core.setups.reading import read_setup
from kb.starter.format import read_record
from kb.starter.ranges import RecordAffects, RecordBound, ordered

RECORDS = Path(__file__).parents[4] / "kb" / "starter" / "records"


class Expected(TypedDict, total=False):
    """What is expected of one set-up."""

    record: str
    expect: str
    accept: list[str]
    also: list[str]
    why: str


@dataclass
class Report:
    """Counts, and the set-ups that were answered otherwise."""

    affected: int = 0
    listed: int = 0
    said: int = 0
    wrong: int = 0
    cases: int = 0
    judged: int = 0
    misses: list[str] = field(default_factory=list)
    affecting: list[int] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the affected set-ups whose fault is listed."""
        return self.listed / self.affected if self.affected else 1.0

    @property
    def wrongly(self) -> float:
        """Share of set-ups that are not affected, or have no fault at all, where "affects" is said of their record."""
        return self.wrong / self.judged if self.judged else 0.0

    def __str__(self) -> str:
        return "\n".join(
            (
                f"set-ups {self.cases}; affected {self.affected}, listed {self.recall:.3f}",
                f"not affected {self.judged}, 'affects' all the same {self.wrongly:.3f}",
                f"'affects' in all {self.said}, median per set-up {median(self.affecting or [0])}",
                *self.misses,
            )
        )


def evaluate(folder: Path, faults: Sequence[KnownFault]) -> Report:
    """Check every set-up of the folder against these faults."""
    expected: Mapping[str, Expected] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    report = Report()
    for name, wanted in sorted(expected.items()):
        _count(report, name, wanted, _verdicts(folder / "cases" / name, faults))
    return report


def _count(report: Report, name: str, wanted: Expected, verdicts: Mapping[str, str]) -> None:
    record = wanted.get("record") or ""
    verdict = verdicts.get(record, "not")
    shown = verdict if verdict in ("affects", "may") else "not"
    affecting = [url for url, each in verdicts.items() if each == "affects"]
    report.cases += 1
    report.affecting.append(len(affecting))
    report.said += len(affecting)
    accepted = {wanted.get("expect", "not"), *wanted.get("accept", [])}
    if wanted.get("expect") == "affects":
        report.affected += 1
        report.listed += shown != "not"
    elif "affects" not in accepted:
        report.judged += 1
        report.wrong += shown == "affects" if record else bool(affecting)
    if (record and shown not in accepted) or (not record and affecting):
        report.misses.append(f"{name}: {record or affecting} {shown}, expected {sorted(accepted)}: {wanted.get('why')}")


def _verdicts(folder: Path, faults: Sequence[KnownFault]) -> dict[str, str]:
    found = findings(read_setup(texts_at([folder])), faults)
    return {_name(finding.fault.url): finding.verdict for finding in found}


def _name(url: str) -> str:
    owner, repository, _, number = url.split("/")[-4:]
    return f"{owner}/{repository}#{number}"


def faults_of_records(root: Path = RECORDS) -> Iterator[KnownFault]:
    """The faults that records place in versions, or state a condition of."""
    for path in sorted(root.glob("*/*.yaml")):
        record = read_record(path)
        rows = combined(map(_row, record.affects))
        if rows or record.affects_when:
            package = package_of(parse_repository_address(record.url).key[1])
            yield KnownFault(record.url, record.title, rows, record.affects_when or "", package=package)


def _row(entry: RecordAffects) -> Row:
    reported = tuple(sorted(map(ordered, entry.reported)))
    introduced = _bound(entry.introduced) or (Bound(reported[0], "reported") if reported else None)
    return Row(
        package=entry.package,
        is_of_record=True,
        introduced=introduced,
        fixed=_bound(entry.fixed),
        last_affected=_bound(entry.last_affected),
        reported=reported,
    )


def _bound(stated: RecordBound | None) -> Bound | None:
    return Bound(ordered(stated.version), stated.by, stated.evidence) if stated else None


if __name__ == "__main__":
    print(evaluate(Path(sys.argv[1]), tuple(faults_of_records())))  # noqa: T201
