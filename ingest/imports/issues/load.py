"""Importing issue dumps: mirrored facts move, our own words stay, an older copy never replaces a newer one."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from django.db import connection

from ingest.imports.issues.shape import MirroredIssue, read_issue
from ingest.imports.outcomes import FileOutcome, ImportOutcome
from ingest.imports.records import Record, open_records
from ingest.imports.records.files import in_chunks
from ingest.imports.repositories import RepositoryFinder
from ingest.imports.runs import RejectionLog, RunSpec, Tell, run_import, say_nothing, taken_back
from ingest.models import ImportRun
from ingest.rejections import Reason, Rejection
from kb.core.addresses import RepositoryAddress, issue_address
from kb.models import Repository
from kb.services.bulk import IncomingIssue, open_stage, stage_issues, write_staged_issues
from kb.services.repositories import ensure_frameworks

# Bodies are long: fewer rows at a time than for a table of codes.
CHUNK = 200

REPEATED = """
SELECT s.line, chosen.line FROM staged_issue s
JOIN staged_issue chosen ON chosen.issue_id = s.issue_id AND chosen.picked
WHERE NOT s.picked ORDER BY s.line
"""


def import_issues(
    *, files: Sequence[Path], report: Path | None = None, dry_run: bool = False, tell: Tell = say_nothing
) -> ImportOutcome:
    """Import issue dumps; running it again changes nothing.

    `tell` gets one line of progress at a time. Raises what `run_import` raises.
    """
    spec = RunSpec(ImportRun.Kind.ISSUES, "issue dumps")
    with taken_back(dry_run=dry_run):
        ensure_frameworks()
        return run_import(spec=spec, files=files, import_file=_Loader().import_file, report=report, tell=tell)


class _Loader:
    """Imports single dumps."""

    def __init__(self) -> None:
        self._finder = RepositoryFinder()

    def import_file(self, path: Path, log: RejectionLog, outcome: FileOutcome, _run: ImportRun) -> None:
        """Import one dump within the transaction of the caller. Raises `FileUnreadableError`."""
        self._finder.refresh()
        open_stage()
        with open_records(path) as (records, _fingerprint):
            for chunk in in_chunks(records, size=CHUNK):
                self._stage(chunk, log, outcome)
                log.flush()
        issues = write_staged_issues(authority="host")
        outcome.taken = issues.created + issues.changed + issues.unchanged
        outcome.written.update(
            {"new issues": issues.created, "changed issues": issues.changed, "unchanged issues": issues.unchanged}
        )
        with connection.cursor() as cursor:
            cursor.execute(REPEATED)
            for line, taken in cursor.fetchall():
                log.add(Rejection(line, Reason.DUPLICATE, f"the copy on line {taken} was taken"))

    def _stage(self, chunk: Iterable[Record | Rejection], log: RejectionLog, outcome: FileOutcome) -> None:
        rows: list[IncomingIssue] = []
        for item in chunk:
            outcome.read += 1
            if isinstance(item, Rejection):
                log.add(item)
                continue
            issue = read_issue(item.cells, line=item.line)
            if isinstance(issue, Rejection):
                log.add(issue)
                continue
            repository = self._finder.find(issue.address.repository)
            if repository is None:
                log.add(self._finder.unknown(issue.address.repository, line=item.line))
            else:
                rows.append(_incoming(issue, repository, item))
        stage_issues(rows=rows)


def _incoming(issue: MirroredIssue, repository: Repository, record: Record) -> IncomingIssue:
    address = issue.address
    current = RepositoryAddress(repository.host, repository.full_name)
    return IncomingIssue(
        entry=record.number,
        line=record.line,
        repository_id=repository.pk,
        ref=address.ref,
        url=issue_address(current, address.ref, is_pull_request=issue.kind == "pull_request"),
        kind=issue.kind,
        title=issue.title,
        body=issue.body,
        state=issue.state,
        opened_at=issue.opened_at,
        closed_at=issue.closed_at,
        updated_at=issue.updated_at,
        comment_count=issue.comment_count,
        reaction_count=issue.reaction_count,
        host_labels=issue.host_labels,
        author_association=issue.author_association,
    )
