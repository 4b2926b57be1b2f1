"""Loads the curated records into the database: idempotent, every rejected record reported with file and line."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pydantic
import yaml
from django.db import transaction
from pydantic_core import ErrorDetails

from kb.codebook.format import AXIS_CODES
from kb.core.addresses import parse_repository_address
from kb.models import Fix, Issue, Kind, Node, Repository
from kb.services.issues import at_midnight, link_fixes, link_related, save_curated_issues, save_fixes
from kb.services.labels import LabelChanges, ensure_curated_source, replace_labels
from kb.services.readings import save_two_readings
from kb.services.repositories import ensure_repository
from kb.services.rows import Changes
from kb.starter.format import NOT_STATED, Record, RecordFix, RecordLabel, read_record, record_path
from kb.starter.passes import PASSES, Passes, both, read_passes

RECORDS = Path(__file__).parent / "records"


@dataclass(frozen=True)
class Rejection:
    """A record that was not loaded: where, and what to correct."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class StarterReport:
    """What loading did."""

    records: int
    changes: Changes
    labels: LabelChanges
    rejections: tuple[Rejection, ...]


def read_records(root: Path = RECORDS) -> tuple[list[tuple[Path, Record]], list[Rejection]]:
    """Read every record below `root`; a wrong one becomes rejections, never an exception."""
    records: list[tuple[Path, Record]] = []
    rejections: list[Rejection] = []
    for path in sorted(root.rglob("*.yaml")):
        try:
            record = read_record(path)
        except pydantic.ValidationError as error:
            rejections += [Rejection(path, _line_of(path, e["loc"]), _sentence(e)) for e in error.errors()]
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            rejections.append(Rejection(path, line, f"not readable as YAML: {error.problem}"))
        except (UnicodeDecodeError, yaml.YAMLError, OSError) as error:
            rejections.append(Rejection(path, 1, f"not readable as YAML: {error}"))
        else:
            home = record_path(root, record.url)
            if path != home:
                rejections.append(Rejection(path, 1, f"belongs in {home.relative_to(root)}"))
            else:
                records.append((path, record))
    return records, rejections


def _sentence(error: ErrorDetails) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _line_of(path: Path, loc: Iterable[int | str]) -> int:
    """The line on which the mapping key or list item at `loc` stands; 1 when it is missing altogether."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    line = 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
            if part not in pairs:
                return line
            key, node = pairs[str(part)]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


@transaction.atomic
def load_starter(root: Path = RECORDS, passes: Path = PASSES) -> StarterReport:
    """Load every good record below `root` with its two passes; one that names an unknown node is rejected whole."""
    read, rejections = read_records(root)
    nodes = {(n.axis.code, n.code): n for n in Node.objects.house().filter(status="active").select_related("axis")}
    known: list[tuple[Path, Record]] = []
    for path, record in read:
        wrong = list(unknown_nodes(path, record, nodes))
        rejections += wrong
        if not wrong:
            known.append((path, record))
    repositories = _repositories([record for _, record in known])
    good, twice = _each_once(known, repositories)
    rejections += twice
    issues, changes = save_curated_issues(
        wanted={record.url: _issue_values(record, repositories[_repository_key(record)]) for record in good}
    )
    fixes, fix_changes = save_fixes(wanted={fix.url: _fix_values(fix) for record in good for fix in record.fixes})
    link_fixes(wanted={issues[record.url]: [fixes[fix.url] for fix in record.fixes] for record in good})
    _link_relatives(good, issues)
    labels = replace_labels(
        source=ensure_curated_source(),
        wanted={
            issues[record.url].pk: {nodes[axis, label.node]: label.why for axis, label in _labels(record)}
            for record in good
        },
    )
    try:
        twice_read = [one for one in read_passes(passes).values() if one.url in issues]
    except (pydantic.ValidationError, yaml.YAMLError) as error:
        rejections.append(Rejection(passes, 1, f"a file of passes cannot be read: {error}"))
    else:
        changes += save_two_readings(wanted={issues[one.url].pk: _reading_values(one) for one in twice_read})
    return StarterReport(len(good), changes + fix_changes, labels, tuple(rejections))


def _reading_values(passes: Passes) -> dict[str, object]:
    return {
        "read_on": passes.second.date,
        "read_extent": passes.second.extent,
        "is_pilot": passes.is_pilot,
        "answers": [
            {"axis": axis, "first": list(said.first), "second": list(said.second), "why": said.why}
            for axis, said in both(passes).items()
        ],
    }


def _labels(record: Record) -> Iterator[tuple[str, RecordLabel]]:
    for axis in AXIS_CODES:
        for label in getattr(record.labels, axis):
            yield axis, label


def unknown_nodes(path: Path, record: Record, known: Container[tuple[str, str]]) -> Iterator[Rejection]:
    """What is wrong with the record's labels, when these (axis, code) are the active nodes of the house codebook."""
    for axis in AXIS_CODES:
        for i, label in enumerate(getattr(record.labels, axis)):
            if (axis, label.node) not in known:
                reason = f"{axis}: '{label.node}' is not an active node of the house codebook"
                yield Rejection(path, _line_of(path, ("labels", axis, i)), reason)


def _each_once(
    read: list[tuple[Path, Record]], repositories: Mapping[tuple[str, str], Repository]
) -> tuple[list[Record], list[Rejection]]:
    """The records, each issue's once, and what is wrong with further ones: a repository's old name leads to it too."""
    first: dict[tuple[int, str], Path] = {}
    good: list[Record] = []
    rejections: list[Rejection] = []
    # Those under the present name come first, and so are the ones to keep.
    for path, record in sorted(read, key=lambda one: _is_old_name(one[1], repositories)):
        repository = repositories[_repository_key(record)]
        kept = first.setdefault((repository.pk, _ref(record)), path)
        if kept == path:
            good.append(record)
        else:
            reason = f"is the same issue as {kept}, since the repository is now {repository.full_name}: keep one file"
            rejections.append(Rejection(path, 1, reason))
    return good, rejections


def _is_old_name(record: Record, repositories: Mapping[tuple[str, str], Repository]) -> bool:
    key = _repository_key(record)
    return repositories[key].full_name.lower() != key[1]


def _ref(record: Record) -> str:
    return record.url.rsplit("/", 1)[1]


def _link_relatives(records: list[Record], issues: dict[str, Issue]) -> None:
    urls = {url for record in records for url in record.related}
    known = {**issues, **{issue.url: issue for issue in Issue.objects.filter(url__in=urls - issues.keys())}}
    link_related(wanted={issues[r.url]: [known[url] for url in r.related if url in known] for r in records})


def _repository_key(record: Record) -> tuple[str, str]:
    return parse_repository_address(record.url).key


def _repositories(records: list[Record]) -> dict[tuple[str, str], Repository]:
    """The records' repositories, each looked up once."""
    first = {_repository_key(record): record for record in reversed(records)}
    return {key: ensure_repository(url=record.url, framework=record.framework) for key, record in first.items()}


def _issue_values(record: Record, repository: Repository) -> dict[str, object]:
    return {
        "url": record.url,
        "repository": repository,
        "ref": _ref(record),
        "kind": Kind.ISSUE,
        "heading": record.title,
        "summary": record.summary,
        "recognise": list(record.recognise),
        "resolution": "" if record.resolution == NOT_STATED else record.resolution,
        "workaround": "" if record.workaround == NOT_STATED else record.workaround,
        "affected_versions": list(record.affected_versions),
        "fixed_version": record.fixed_version or "",
        "state": record.state,
        "opened_at": at_midnight(record.opened),
        "closed_at": at_midnight(record.closed),
        "comment_count": record.comments,
        "evidence": [e.model_dump() for e in record.evidence],
        "related_urls": list(record.related),
        "read_on": record.read.date,
        "read_extent": record.read.extent,
    }


def _fix_values(fix: RecordFix) -> dict[str, object | None]:
    is_commit = "/commit/" in fix.url
    return {
        "kind": Fix.Kind.COMMIT if is_commit else Fix.Kind.PULL_REQUEST,
        "description": fix.what,
        "merged_on": fix.merged,
        "additions": fix.additions,
        "deletions": fix.deletions,
        "files_changed": fix.files,
    }
