"""Keeps the search index in step with the database: applies the outbox, and rebuilds beside the index in use.

On each host one process at a time does this (`indexer` sees to that). Nothing is lost when it is killed: a changed
issue leaves the outbox only after the index has it, and doing any of this twice changes nothing.

While an index is being built, the one in use is fed as ever, but what was fed is kept in the outbox. When the new
index has taken the place, all of that is fed once more, to the new one.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.search import lexicon
from kb.core.search.backend import Build, Prepared
from kb.core.search.values import Document
from kb.models import Issue, SearchBuild, SearchHost
from kb.search import backends, hosts, outbox
from kb.search.backends import EngineUnavailableError, Index
from kb.search.document_builder import CHUNK, built, prepared
from kb.search.documents import documents, documents_and_gone

log = logging.getLogger(__name__)

APPLY = 1_000
# So many documents of a rebuild are in memory before they are written.
WRITE = 2_000
KEPT_BUILDS = 10

# The program that decides what documents and cards hold. An engine knows by itself when its own form has changed.
KB = Path(__file__).parents[1]
SOURCES = (
    *(KB / "core" / "search" / f"{name}.py" for name in (
        "normalise", "sections", "lexicon", "features", "cards", "values", "error_signals",
    )),
    *(KB / "search" / f"{name}.py" for name in ("vocabulary", "document_rows", "documents")),
    KB / "filters" / "issues.py",
    KB / "filters" / "filter_types.py",
    *sorted((KB / "core" / "secrets").glob("*.py")),
)  # fmt: skip
ORIGIN = """
SELECT (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()), 'kb_issue'::regclass::oid
"""


# In one statement, so that both are of one moment.
COUNTS = """
SELECT (SELECT count(*) FROM kb_issue),
    (SELECT count(DISTINCT issue_id) FROM kb_searchchange WHERE NOT (%s = ANY (fed_by)))
"""


class ReplacedError(Exception):
    """Somebody asked for another rebuild instead of the one under way."""


def apply_changes(index: Index | None, *, limit: int = APPLY) -> int:
    """Feed changed issues to the index in use and settle them in the outbox; returns how many.

    Raises EngineUnavailableError when the index cannot be written; then nothing is settled.
    """
    host = hosts.own()
    taken = outbox.take(host, limit=limit)
    if not taken.issues:
        return 0
    is_building = False
    if index is not None:
        # Looked up before the documents are read: a build that starts later reads what they hold.
        is_building = host.builds.filter(finished_at=None).exclude(started_at=None).exists()
        hosts.begin_feeding(host)
        made, gone = documents_and_gone(taken.issues)
        refused = _apply(index, made, gone)
        if refused:
            # What the index held of these issues before is out of date.
            index.apply([], refused)
            log.error("The search index left out %s of %s changed issues", len(refused), len(made))
        hosts.end_feeding(host)
    with transaction.atomic():
        outbox.settle(host, taken, keep=is_building)
        hosts.settle(host)
    return len(taken.issues)


def _apply(index: Index, made: Sequence[Document], gone: Sequence[int]) -> list[int]:
    """Feed the index in use; returns the ids of documents that it refuses, which is found out half by half."""
    try:
        index.apply(made, gone)
    except ValueError as error:
        if not made:
            raise
        if len(made) == 1:
            log.error("The search index cannot hold the issue with id %s: %s", made[0].id, error)
            return [made[0].id]
        middle = len(made) // 2
        return _apply(index, made[:middle], gone) + _apply(index, made[middle:], gone)
    return []


def ask_for_rebuild(reason: str, *, fresh: bool = False) -> SearchBuild:
    """Have this host's index rebuilt by its indexer; `fresh`: from the start, not from where a rebuild stopped."""
    host = hosts.own()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE kb_searchbuild IN SHARE ROW EXCLUSIVE MODE")
        if fresh:
            host.builds.filter(finished_at=None).delete()
        row, _ = host.builds.get_or_create(finished_at=None, defaults={"reason": reason[:120]})
        cursor.execute("NOTIFY kb_search")
    return row


def reason_to_rebuild() -> str:
    """Why the index in use will not do; empty when it will. It is opened and asked."""
    try:
        size = backends.current().size()
    except EngineUnavailableError as error:
        return str(error)
    host = hosts.own()
    if not hosts.is_made_of(host, made_of()):
        return "The program that makes documents, or the database, is another one than the index was built from."
    return wrong_count(host, size) if hosts.is_in_step(host) else hosts.APART


def build_asked_for() -> SearchBuild | None:
    """The rebuild of this host's index that is not finished."""
    return SearchBuild.objects.select_related("host").filter(host=hosts.own(), finished_at=None).first()


def rebuild(index: Index, *, between: Callable[[], None], processes: int = 1) -> bool:
    """Do the rebuild that was asked for, going on where it stopped; False when none was asked for.

    `between` is called several times a second; it may apply changes, and may raise to stop. Raises
    EngineUnavailableError when the index cannot be written, ReplacedError when another rebuild was asked for.
    """
    row = build_asked_for()
    if row is None:
        return False
    log.info("Rebuilding the search index: %s", row.reason)
    build = _begin(index, row)
    refused = _fill(build, row, between, processes)
    row.lacking = len(refused)
    if problem := wrong_count(row.host, build.size(), row.lacking):
        # It must not take the place, and is begun anew.
        SearchBuild.objects.filter(pk=row.pk).update(started_at=None)
        raise EngineUnavailableError(f"The new search index is rebuilt. {problem}")
    build.finish()
    _finish(row)
    log.info("The search index is rebuilt: %s issues", f"{row.done:,}")
    if refused:
        log.error("The new search index lacks %s issues that it cannot hold", f"{len(refused):,}")
    return True


def _fill(build: Build, row: SearchBuild, between: Callable[[], None], processes: int) -> set[int]:
    """Put all issues into the new index; returns the ids of those that it refuses."""
    batch: list[Prepared] = []
    last_id = build.last_id
    refused: set[int] = set()
    for chunk in built(after=build.last_id, processes=processes, between=between):
        batch += chunk.made
        refused.update(chunk.refused)
        last_id = chunk.last_id
        if len(batch) >= WRITE:
            _write(build, row, batch, last_id, len(refused))
            batch = []
    _write(build, row, batch, last_id, len(refused))
    # What changed meanwhile, so that the new index is not behind when it takes the place.
    ids = outbox.kept(row.host)
    for start in range(0, len(ids), CHUNK):
        made, lacking = prepared(documents(ids[start : start + CHUNK]))
        build.add(made, build.last_id)
        refused.update(lacking)
        between()
    return refused


def wrong_count(host: SearchHost, size: int, lacking: int | None = None) -> str:
    """What is wrong with an index of this size; empty when it may hold all that the database does.

    `lacking`: how many issues it cannot hold; as many as its last build left out unless given.
    """
    if lacking is None:
        last = host.builds.exclude(finished_at=None).order_by("-finished_at", "-pk").first()
        lacking = last.lacking if last else 0
    with connection.cursor() as cursor:
        cursor.execute(COUNTS, [host.pk])
        issues, waiting = cursor.fetchone()
    # What waits may have been counted in one and not yet in the other.
    if abs(size + lacking - issues) <= waiting:
        return ""
    return f"It holds {size:,} issues, and there are {issues:,}."


def _begin(index: Index, row: SearchBuild) -> Build:
    mark = made_of()
    # Which issues an earlier process left out is not known any more, nor how old a folder is that was put back.
    known = not row.lacking and hosts.is_in_step(row.host)
    goes_on = row.started_at is not None and row.made_of == mark and known
    if not goes_on and not can_feed():
        # Nobody is fed, and everything is read after this moment.
        outbox.clear(row.host)
    started = SearchBuild.objects.filter(pk=row.pk)
    if not goes_on:
        # First of all, since from here on the outbox keeps what is fed.
        started.update(started_at=Now(), made_of=mark, last_id=0, done=0, lacking=0, total=Issue.objects.count())
    build = index.build(fresh=not goes_on)
    row.refresh_from_db()
    if build.last_id < row.last_id or not goes_on:
        # Perhaps it had taken the place already when the process died: then it lacks what was kept.
        outbox.release(row.host)
        started.update(last_id=build.last_id, done=Issue.objects.filter(pk__lte=build.last_id).count())
        row.refresh_from_db()
    return build


def _write(build: Build, row: SearchBuild, made: list[Prepared], last_id: int, lacking: int) -> None:
    """Put documents into the new index and write down how far it is."""
    build.add(made, last_id)
    same = SearchBuild.objects.filter(pk=row.pk, finished_at=None)
    if not same.update(done=F("done") + len(made), last_id=last_id, lacking=lacking):
        raise ReplacedError
    row.done += len(made)


def _finish(row: SearchBuild) -> None:
    """Write down that the new index is in use; what was kept is fed once more, deletions with it."""
    hosts.note_new_index(row.host, row.made_of)
    with transaction.atomic():
        outbox.release(row.host)
        SearchBuild.objects.filter(pk=row.pk).update(finished_at=Now(), lacking=row.lacking)
        old = row.host.builds.exclude(finished_at=None).order_by("-finished_at", "-pk")[KEPT_BUILDS:]
        SearchBuild.objects.filter(pk__in=[build.pk for build in old]).delete()


def can_feed() -> bool:
    """Can the index in use be read, and is it the one that the outbox has fed?"""
    try:
        backends.current().size()
    except EngineUnavailableError:
        return False
    return hosts.is_in_step(hosts.own())


def made_of() -> str:
    """The fingerprint of the program that makes documents and of the tables it reads; restored tables are others."""
    with connection.cursor() as cursor:
        cursor.execute(ORIGIN)
        origin = cursor.fetchone()
    return hashlib.sha256(f"{_program()} {settings.SEARCH_ENGINE} {origin}".encode()).hexdigest()


@cache
def _program() -> str:
    digest = hashlib.sha256(f"{lexicon.checksum()} {catalogue().version}".encode())
    for path in SOURCES:
        digest.update(path.read_bytes())
    return digest.hexdigest()
