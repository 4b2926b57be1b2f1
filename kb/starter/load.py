"""Loads the curated records into the database; rejected ones are reported with file and line. Idempotent."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pydantic
import yaml
from django.db import transaction

from kb.codebook.format import AXIS_CODES
from kb.core.addresses import parse_repository_address
from kb.core.frameworks import listed_slugs
from kb.core.yaml_faults import Fault, Rejection, line_of, problems_of
from kb.core.yaml_files import read_yaml
from kb.models import Fix, Framework, Issue, Kind, Node, Repository
from kb.services.issues import at_midnight, link_fixes, link_related, save_curated_issues, save_fixes
from kb.services.labels import LabelChanges, ensure_curated_source, replace_labels
from kb.services.other_reports import save_other_reports
from kb.services.readings import save_two_readings
from kb.services.repositories import ensure_frameworks, ensure_repository
from kb.services.rows import Changes, FieldValues
from kb.starter.format import NOT_STATED, Record, RecordFix, record_path
from kb.starter.histories import load_histories
from kb.starter.passes import PASSES, Passes, compared
from kb.starter.public_ids import ids_of_others, wrong_ids
from kb.starter.range_rows import save_ranges, version_values
from kb.starter.rules import Rules, no_more_rules, read_values, unknown_codes

RECORDS = Path(__file__).parent / "records"


class RecordFile(NamedTuple):
    """A file below the records' folder, the record in it if its form is right, and all its errors."""

    path: Path
    record: Record | None
    rejections: list[Rejection]


@dataclass(frozen=True)
class StarterReport:
    """The result of loading the records."""

    records: int
    changes: Changes
    labels: LabelChanges
    rejections: tuple[Rejection, ...]


def read_records(root: Path = RECORDS) -> tuple[list[tuple[Path, Record]], list[Rejection]]:
    """The valid records below `root`, and all errors of the others."""
    return without_errors(read_files(root, frameworks=listed_slugs()))


def without_errors(files: Iterable[RecordFile]) -> tuple[list[tuple[Path, Record]], list[Rejection]]:
    """The records of the files that have no error, and the errors of the others."""
    records, rejections = [], []
    for file in files:
        rejections += file.rejections
        if file.record and not file.rejections:
            records.append((file.path, file.record))
    return records, rejections


def read_files(root: Path, *, frameworks: Collection[str], more: Rules = no_more_rules) -> Iterator[RecordFile]:
    """Every file below `root`, with all its errors. `frameworks`: known slugs; `more`: other rules."""
    for path in sorted(root.rglob("*.yaml")):
        try:
            values = read_yaml(path)
        except (UnicodeDecodeError, yaml.YAMLError, OSError) as error:
            yield RecordFile(path, None, [Rejection(path, *problem) for problem in problems_of(error, path, Record)])
            continue
        record, faults = read_values(values, frameworks=frameworks, more=more)
        if record and path != (home := record_path(root, record.url)):
            faults.append(Fault((), f"belongs in {home.relative_to(root)}"))
        yield RecordFile(path, record, rejected(path, faults))


def rejected(path: Path, faults: Iterable[Fault]) -> list[Rejection]:
    """The faults with their lines, in the file's order."""
    rejections = (Rejection(path, line_of(path, fault.place), fault.reason) for fault in faults)
    return sorted(rejections, key=lambda rejection: rejection.line)


@transaction.atomic
def load_starter(root: Path = RECORDS, passes: Path = PASSES) -> StarterReport:
    """Load the valid records below `root` and their two passes; a record with an unknown node is rejected."""
    ensure_frameworks()
    active = Node.objects.house().filter(status=Node.Status.ACTIVE).select_related("axis")
    nodes = {(node.axis.code, node.code): node for node in active}
    frameworks = frozenset(Framework.objects.values_list("slug", flat=True))
    files = read_files(root, frameworks=frameworks, more=partial(unknown_codes, known=nodes))
    known, rejections = without_errors(files)
    repositories = _repositories(record for _, record in known)
    known, wrong = _without_wrong_ids(known, repositories)
    records, duplicates = _without_duplicates(known, repositories)
    rejections += [*wrong, *duplicates]
    issues, changes = save_curated_issues(
        wanted={record.url: _issue_values(record, repositories[_repository_key(record)]) for record in records}
    )
    changes += _save_fixes(records, issues)
    changes += save_ranges({issues[record.url]: record for record in records})
    changes += load_histories()
    _link_relatives(records, issues)
    changes += _save_other_reports(records, issues)
    reasons = {issues[record.url].pk: _reasons(record, nodes) for record in records}
    labels = replace_labels(source=ensure_curated_source(), wanted=reasons)
    readable, unreadable = readable_passes(passes)
    rejections += unreadable
    # What was loaded from a file before stays when the file cannot be read.
    if not unreadable:
        changes += _save_readings(readable.values(), issues)
    return StarterReport(len(records), changes, labels, tuple(rejections))


def _save_fixes(records: Sequence[Record], issues: Mapping[str, Issue]) -> Changes:
    wanted: dict[str, FieldValues] = {}
    for record in records:
        wanted.update((fix.url, _fix_values(fix)) for fix in record.fixes)
    fixes, changes = save_fixes(wanted=wanted)
    link_fixes(wanted={issues[record.url]: [fixes[fix.url] for fix in record.fixes] for record in records})
    return changes


def readable_passes(root: Path) -> tuple[dict[Path, Passes], list[Rejection]]:
    """The passes below `root` by path, and the errors of the files that cannot be read."""
    passes, rejections = {}, []
    for path in sorted(root.rglob("*.yaml")):
        try:
            passes[path] = Passes.model_validate(read_yaml(path))
        except (pydantic.ValidationError, UnicodeDecodeError, yaml.YAMLError, OSError) as error:
            rejections += [Rejection(path, *problem) for problem in problems_of(error, path, Passes)]
    return passes, rejections


def _save_readings(read_twice: Iterable[Passes], issues: Mapping[str, Issue]) -> Changes:
    wanted: dict[int, FieldValues] = {}
    for passes in read_twice:
        if passes.url not in issues:
            continue
        answers = [
            {"axis": axis, "first": list(answer.first), "second": list(answer.second), "why": answer.why}
            for axis, answer in compared(passes).items()
        ]
        wanted[issues[passes.url].pk] = {
            "read_on": passes.second.date,
            "read_extent": passes.second.extent,
            "is_pilot": passes.is_pilot,
            "answers": answers,
        }
    return save_two_readings(wanted=wanted)


def _reasons(record: Record, nodes: Mapping[tuple[str, str], Node]) -> dict[Node, str]:
    reasons = {}
    for axis in AXIS_CODES:
        for label in getattr(record.labels, axis):
            reasons[nodes[axis, label.node]] = label.why
    return reasons


def _without_duplicates(
    records: list[tuple[Path, Record]], repositories: Mapping[tuple[str, str], Repository]
) -> tuple[list[Record], list[Rejection]]:
    """One record of each issue; one under the repository's present name wins over those under old names."""

    def has_old_name(item: tuple[Path, Record]) -> bool:
        key = _repository_key(item[1])
        return repositories[key].full_name.lower() != key[1]

    first: dict[tuple[int, str], Path] = {}
    unique: list[Record] = []
    rejections: list[Rejection] = []
    for path, record in sorted(records, key=has_old_name):
        repository = repositories[_repository_key(record)]
        first_path = first.setdefault((repository.pk, ref_of(record.url)), path)
        if first_path == path:
            unique.append(record)
        else:
            name = repository.full_name
            reason = f"is the same issue as {first_path}, since the repository is now {name}: keep one file"
            rejections.append(Rejection(path, 1, reason))
    return unique, rejections


def _without_wrong_ids(
    known: list[tuple[Path, Record]], repositories: Mapping[tuple[str, str], Repository]
) -> tuple[list[tuple[Path, Record]], list[Rejection]]:
    places = {record.id: (repositories[_repository_key(record)].pk, ref_of(record.url)) for _, record in known}
    taken = ids_of_others({public_id: place for public_id, place in places.items() if public_id})
    faults = dict(wrong_ids(known, taken))
    rejections = [rejection for path, fault in faults.items() for rejection in rejected(path, [fault])]
    return [(path, record) for path, record in known if path not in faults], rejections


def ref_of(url: str) -> str:
    """The number or code at the end of an issue's address."""
    return url.rsplit("/", 1)[1]


def _link_relatives(records: Sequence[Record], issues: Mapping[str, Issue]) -> None:
    urls: set[str] = set()
    for record in records:
        urls.update(record.related)
    known = {issue.url: issue for issue in Issue.objects.filter(url__in=urls - issues.keys())} | dict(issues)
    wanted = {}
    for record in records:
        wanted[issues[record.url]] = [known[url] for url in record.related if url in known]
    link_related(wanted=wanted)


def _save_other_reports(records: Sequence[Record], issues: Mapping[str, Issue]) -> Changes:
    """The reports that records answer besides their own, by repository: an unlisted one is the record's framework's."""
    repositories: dict[tuple[str, str], Repository] = {}
    wanted: dict[Issue, list[tuple[Repository, str]]] = {}
    for record in records:
        reports = wanted.setdefault(issues[record.url], [])
        for url in record.same_as:
            key = parse_repository_address(url).key
            if key not in repositories:
                repositories[key] = ensure_repository(url=url, framework=record.framework, is_list_loaded=True)
            if (repositories[key].pk, ref_of(url)) != (issues[record.url].repository_id, ref_of(record.url)):
                reports.append((repositories[key], ref_of(url)))
    return save_other_reports(wanted=wanted)


def _repository_key(record: Record) -> tuple[str, str]:
    return parse_repository_address(record.url).key


def _repositories(records: Iterable[Record]) -> dict[tuple[str, str], Repository]:
    repositories: dict[tuple[str, str], Repository] = {}
    for record in records:
        key = _repository_key(record)
        if key not in repositories:
            repositories[key] = ensure_repository(url=record.url, framework=record.framework, is_list_loaded=True)
    return repositories


def _issue_values(record: Record, repository: Repository) -> FieldValues:
    return {
        # Without one, the database makes one, or keeps the one that is there.
        **({"public_id": record.id} if record.id else {}),
        "url": record.url,
        "repository": repository,
        "ref": ref_of(record.url),
        "kind": Kind.ISSUE,
        "heading": record.title,
        "summary": record.summary,
        "fix_line": record.fix_line or "",
        "snippet": record.snippet or "",
        "recognise": list(record.recognise),
        "no_line": record.no_line or "",
        "also_seen": list(record.also_seen),
        "resolution": "" if record.resolution == NOT_STATED else record.resolution,
        "workaround": "" if record.workaround == NOT_STATED else record.workaround,
        **version_values(record),
        "state": record.state,
        "opened_at": at_midnight(record.opened),
        "closed_at": at_midnight(record.closed),
        "comment_count": record.comments,
        "certainty": record.certainty or "",
        "inferred": list(record.inferred),
        "severity": record.severity or "",
        **record.circumstances.words,
        "model_names": list(record.models),
        "layout": record.layout or "",
        "neighbours": [neighbour.model_dump() for neighbour in record.neighbours],
        "evidence": [line.model_dump() for line in record.evidence],
        "related_urls": list(record.related),
        "read_on": record.read.date,
        "read_extent": record.read.extent,
        "checked_on": record.checked and record.checked.date,
        "checked_extent": record.checked.extent if record.checked else "",
    }


def _fix_values(fix: RecordFix) -> FieldValues:
    is_commit = "/commit/" in fix.url
    return {
        "kind": Fix.Kind.COMMIT if is_commit else Fix.Kind.PULL_REQUEST,
        "description": fix.what,
        "merged_on": fix.merged,
        "additions": fix.additions,
        "deletions": fix.deletions,
        "files_changed": fix.files,
    }
