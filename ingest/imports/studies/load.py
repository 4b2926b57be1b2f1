"""Importing a labelled data set: from a checked mapping and files to issues, labels, rows and votes.

Per file: read in chunks, stage by COPY, merge in a few statements; a file is imported whole or not at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ingest.imports.outcomes import FileOutcome, ImportOutcome
from ingest.imports.records import Record, RecordFile, open_records
from ingest.imports.records.files import in_chunks
from ingest.imports.repositories import RepositoryFinder
from ingest.imports.runs import RejectionLog, RunSpec, Tell, run_import, say_nothing, taken_back
from ingest.imports.studies import write
from ingest.imports.studies.mapping import MappingError, StudyMapping
from ingest.imports.studies.matching import NodeRef
from ingest.imports.studies.rows import RowReader, StudyRow
from ingest.models import ImportedFile, ImportRun
from ingest.rejections import Effect, Reason, Rejection
from kb.core.addresses import RepositoryAddress, issue_address
from kb.core.frameworks import FrameworksFile
from kb.models import Node, Repository, Scheme, Source, Study
from kb.services.bulk import IncomingIssue, open_stage, stage_issues, write_staged_issues, write_staged_labels
from kb.services.cause_links import follow_labels
from kb.services.repositories import ensure_frameworks
from kb.services.sources import StudySource, ensure_study_source

CHUNK = 5_000


def import_study(
    *,
    mapping: StudyMapping,
    files: Sequence[Path],
    mapping_name: str = "",
    report: Path | None = None,
    dry_run: bool = False,
    tell: Tell = say_nothing,
) -> ImportOutcome:
    """Import the files by the mapping; running it again changes nothing.

    `tell` gets one line of progress at a time. Raises `MappingError` when mapping and scheme do not fit,
    `LockHeldError` when the same set is being imported, and what `run_import` raises.
    """
    nodes = _nodes(mapping)
    RowReader(mapping, nodes)  # refuses a mapping that does not fit before anything is written
    with taken_back(dry_run=dry_run):
        ensure_frameworks()
        if mapping.repositories:
            ensure_frameworks(listed=FrameworksFile(frameworks=mapping.repositories))
        study = Study.objects.get(slug=mapping.study)
        stated = mapping.source
        source = ensure_study_source(
            study=study,
            wanted=StudySource(
                stated.slug, stated.name, stated.confidence, stated.url, stated.licence, stated.trust_note
            ),
        )
        spec = RunSpec(ImportRun.Kind.STUDY, f"study {source.slug}", source, mapping_name[:200])
        importer = _Loader(mapping, nodes, source).import_file
        outcome = run_import(spec=spec, files=files, import_file=importer, report=report, tell=tell)
        follow_labels()
        return outcome


def _nodes(mapping: StudyMapping) -> dict[str, list[NodeRef]]:
    """The active nodes of the study's scheme by axis. Raises `MappingError` when the scheme is not loaded."""
    scheme = Scheme.objects.filter(study__slug=mapping.study).first()
    if scheme is None:
        raise MappingError(f"the study '{mapping.study}' is not in the database: run `manage.py load_codebook` first")
    nodes: dict[str, list[NodeRef]] = {axis.code: [] for axis in scheme.axes.all()}
    active = Node.objects.filter(axis__scheme=scheme, status=Node.Status.ACTIVE)
    for pk, code, name, parent, axis in active.values_list("pk", "code", "name", "parent_id", "axis__code"):
        nodes[axis].append(NodeRef(pk, code, name, parent))
    return nodes


class _Loader:
    """Imports single files of one set."""

    def __init__(self, mapping: StudyMapping, nodes: dict[str, list[NodeRef]], source: Source) -> None:
        self._mapping = mapping
        self._nodes = nodes
        self._source = source
        self._finder = RepositoryFinder(rules=mapping.frameworks)

    def import_file(self, path: Path, log: RejectionLog, outcome: FileOutcome, run: ImportRun) -> None:
        """Import one file within the transaction of the caller. Raises `FileUnreadableError`."""
        reader = RowReader(self._mapping, self._nodes)
        self._finder.refresh()
        open_stage()
        write.open_answer_stage()
        with open_records(path, format=self._mapping.format, delimiter=self._mapping.delimiter) as (records, print_):
            for chunk in in_chunks(self._checked(records), size=CHUNK):
                self._stage(chunk, reader, log, outcome)
                log.flush()
            digest = print_.sha256
        outcome.blanks = reader.blanks
        self._merge(path, digest, log, outcome, run)

    def _checked(self, records: RecordFile) -> Iterator[Record | Rejection]:
        """Pass the records on once it is sure that the columns of the mapping are there."""
        columns = records.columns
        if columns is not None:
            self._mapping.refuse_missing(columns)
        for item in records:
            if columns is None and isinstance(item, Record):
                columns = tuple(item.cells)
                self._mapping.refuse_missing(columns)
            yield item

    def _stage(
        self, chunk: Iterable[Record | Rejection], reader: RowReader, log: RejectionLog, outcome: FileOutcome
    ) -> None:
        rows: list[tuple[StudyRow, Repository]] = []
        for item in chunk:
            outcome.read += 1
            if isinstance(item, Rejection):
                log.add(item)
                continue
            row, problems = reader.read(item)
            for problem in problems:
                log.add(problem)
            if row is None:
                continue
            repository = self._finder.find(row.address.repository)
            if repository is None:
                log.add(self._finder.unknown(row.address.repository, line=row.line))
            else:
                rows.append((row, repository))
        stage_issues(rows=(_incoming(row, repository) for row, repository in rows))
        answers: list[tuple[int, int, int]] = []
        for row, _ in rows:
            answers += [(row.number, write.FINAL, node) for node in row.finals]
            answers += [(row.number, annotator, node) for annotator, node in row.votes]
        write.stage_answers(answers=answers, doubtful=[row.number for row, _ in rows if row.doubtful])

    def _merge(self, path: Path, digest: str, log: RejectionLog, outcome: FileOutcome, run: ImportRun) -> None:
        issues = write_staged_issues(authority="study")
        file, _ = ImportedFile.objects.update_or_create(
            source=self._source, name=path.name, defaults={"sha256": digest, "run": run}
        )
        for repeat in write.number_staged_rows(file=file, merge=self._mapping.repeats == "merge"):
            log.add(_rejection(repeat))
        rows = write.write_staged_rows(file=file)
        write.stage_labels(file=file)
        labels = write_staged_labels(source=self._source)
        outcome.taken = rows.rows
        outcome.written.update(
            {
                "new issues": issues.created,
                "changed issues": issues.changed,
                "new rows": rows.added,
                "removed rows": rows.removed,
                "new labels": labels.added,
                "removed labels": labels.removed,
                "new votes": rows.votes_added,
                "removed votes": rows.votes_removed,
            }
        )


def _incoming(row: StudyRow, repository: Repository) -> IncomingIssue:
    current = RepositoryAddress(repository.host, repository.full_name)
    return IncomingIssue(
        entry=row.number,
        line=row.line,
        repository_id=repository.pk,
        ref=row.address.ref,
        url=issue_address(current, row.address.ref, is_pull_request=row.address.is_pull_request),
        kind=row.kind,
        title=row.title,
        state=row.state,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
    )


def _rejection(repeat: write.Repeat) -> Rejection:
    if repeat.file:
        message = f"the data set already has this issue: {repeat.file}, line {repeat.earlier_line}"
        return Rejection(repeat.line, Reason.DUPLICATE, message)
    effect = Effect.MERGED if repeat.gives_labels else Effect.COUNTED_ONLY
    message = f"the file already has this issue on line {repeat.earlier_line}"
    return Rejection(repeat.line, Reason.DUPLICATE, message, effect=effect)
