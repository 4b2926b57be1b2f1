"""Checks over all records that need no database: form, codes, contradictions, sentences shared between records."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pydantic
import yaml

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.core.frameworks import listed_slugs
from kb.core.yaml_faults import Fault, Rejection, problems_of
from kb.starter.circumstances import READINGS, Readings, differences, read_readings
from kb.starter.consistency import too_general
from kb.starter.demand import DEMAND, check_demand
from kb.starter.format import Record, RecordFix
from kb.starter.lines import IssueText, failed_lines
from kb.starter.load import read_files, readable_passes, rejected
from kb.starter.passes import PASSES, unsettled
from kb.starter.public_ids import missing_ids, read_withdrawn, wrong_ids
from kb.starter.rules import Values, future_dates, labels_at_odds, unknown_codes

SHARED_WORDS = 12
# Where the day begins first: nobody's today is later.
LATEST = dt.timezone(dt.timedelta(hours=14))
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RecordReport:
    """How many records were read, and their errors."""

    records: int
    problems: tuple[Rejection, ...]


def check_records(
    root: Path, passes: Path = PASSES, *, today: dt.date | None = None, issues: Sequence[IssueText] = ()
) -> RecordReport:
    """Check every record below `root`, and that disagreements of its two passes are settled (`kb.starter.passes`).

    `issues`: mirrored ones; a recognise line must not fit many of them.
    """
    parents = parents_of(read_house(CODEBOOK / "house.yaml"))
    day = today or dt.datetime.now(LATEST).date()

    def more(values: Values) -> Iterator[Fault]:
        yield from unknown_codes(values, parents)
        yield from labels_at_odds(values, parents)
        yield from future_dates(values, day)

    files = list(read_files(root, frameworks=listed_slugs(), more=more))
    problems = [rejection for file in files for rejection in file.rejections]
    records = [(file.path, file.record) for file in files if file.record]
    by_url = {record.url: record for _, record in records}
    paths = {record.url: path for path, record in records}
    for record, number, reason in too_general([record for _, record in records]):
        problems += rejected(paths[record.url], [Fault(("recognise", number), reason)])
    for record, number, reason in failed_lines(list(by_url.values()), issues, parents):
        problems += rejected(paths[record.url], [Fault(("recognise", number), reason)])
    for path, fault in (*wrong_ids(records, read_withdrawn()), *missing_ids(records)):
        problems += rejected(path, [fault])
    problems += _shared_wording(records)
    problems += _contradicting_fixes(records)
    problems += _frameworks_at_odds(records)
    problems += _unsettled(by_url, passes)
    problems += _readings_at_odds(by_url, root.with_name(READINGS.name))
    if (demand := root.with_name(DEMAND.name)).is_file():
        answered = answered_threads(by_url.values())
        problems += check_demand(demand, frameworks=listed_slugs(), records=by_url, answered=answered).problems
    return RecordReport(len(records), tuple(sorted(problems, key=attrgetter("path", "line"))))


def answered_threads(records: Iterable[Record]) -> dict[str, str]:
    """By each thread that a record answers, the record's address."""
    answered = {}
    for record in records:
        answered.update(dict.fromkeys((*record.same_as, record.url), record.url))
    return answered


def _shared_wording(records: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    """Both files of each pair: whoever has one of them checked must hear of it."""
    first: dict[tuple[str, ...], tuple[Path, str]] = {}
    for path, record in records:
        for key in ("title", "summary", "resolution", "workaround"):
            for run in sorted(set(_runs(getattr(record, key)))):
                other_path, other_key = first.setdefault(run, (path, key))
                if other_path != path:
                    yield from _shares(path, key, other_path, run)
                    yield from _shares(other_path, other_key, path, run)
                    break


def _shares(path: Path, key: str, other: Path, run: tuple[str, ...]) -> list[Rejection]:
    reason = f"{key} shares {SHARED_WORDS} words with {other}: '{' '.join(run)}'; rephrase it in your own words"
    return rejected(path, [Fault((key,), reason)])


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """All runs of `SHARED_WORDS` words."""
    words = WORD.findall(text.lower())
    for start in range(len(words) - SHARED_WORDS + 1):
        yield tuple(words[start : start + SHARED_WORDS])


def _contradicting_fixes(records: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    """Both files of each pair, as above."""
    first: dict[str, tuple[Path, int, RecordFix]] = {}
    for path, record in records:
        for number, fix in enumerate(record.fixes):
            other_path, other_number, other_fix = first.setdefault(fix.url, (path, number, fix))
            if fix != other_fix:
                for file, place, other in ((path, number, other_path), (other_path, other_number, path)):
                    reason = f"says other things about {fix.url} than {other}: make them agree"
                    yield from rejected(file, [Fault(("fixes", place), reason)])


def _frameworks_at_odds(records: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    """Both files of each pair, as above: a repository that is not listed has the one framework of its records."""
    first: dict[Path, tuple[Path, str]] = {}
    for path, record in records:
        other, framework = first.setdefault(path.parent, (path, record.framework))
        if framework != record.framework:
            for file, wrong, right in ((path, record.framework, framework), (other, framework, record.framework)):
                reason = (
                    f"framework is '{wrong}', and another record of this repository says '{right}': make them agree"
                )
                yield from rejected(file, [Fault(("framework",), reason)])


def _unsettled(records: Mapping[str, Record], root: Path) -> Iterator[Rejection]:
    passes_by_path, unreadable = readable_passes(root)
    yield from unreadable
    for path, passes in passes_by_path.items():
        if passes.url in records:
            for reason in unsettled(records[passes.url], passes):
                yield from rejected(path, [Fault(("second", "labels", reason.partition(":")[0]), reason)])


def _readings_at_odds(records: Mapping[str, Record], path: Path) -> Iterator[Rejection]:
    """Records that do not say what the two readers of their circumstances came to."""
    if not path.is_file():
        return
    try:
        readings = read_readings(path)
    except (pydantic.ValidationError, UnicodeDecodeError, yaml.YAMLError) as error:
        yield from (Rejection(path, *problem) for problem in problems_of(error, path, Readings))
        return
    for number, reading in enumerate(readings):
        record = records.get(reading.url)
        if record:
            reasons = differences(record.circumstances, reading)
            yield from rejected(path, [Fault(("readings", number), reason) for reason in reasons])
