"""Reading single issues anew, whatever the lists say: because somebody asked, or a webhook hinted at them."""

from collections.abc import Sequence

from django.db import transaction

from ingest.hosts import Host, HostIssue
from ingest.hosts.errors import UnwellError
from ingest.models import Mirror, SyncRun
from ingest.sync.details import fetch_details
from ingest.sync.due_details import want_details
from ingest.sync.missing_issues import find_out
from ingest.sync.rows import write_page
from ingest.sync.runs import Outcome, run_alone
from ingest.sync.session import Session
from kb.models import Issue

MOST_UNWELL = 3


def read_some(*, mirror: Mirror, host: Host, refs: Sequence[str], seconds: float) -> tuple[Outcome, list[str]]:
    """Read issues anew within one run; returns how it ended, and which of them were read. Raises `LockHeldError`."""
    read: list[str] = []

    def work(session: Session) -> None:
        unwell = 0
        for ref in refs:
            session.check_time()
            try:
                _read(session, ref)
                read.append(ref)
            except UnwellError as error:
                # One issue that the host cannot show must not stand in the others' way; a host that is down may.
                unwell += 1
                if unwell == min(MOST_UNWELL, len(refs)):
                    raise
                session.problems.append(f"number {ref}: {error}")
        fetch_details(session)

    outcome = run_alone(mirror=mirror, host=host, kind=SyncRun.Kind.ONE, work=work, seconds=seconds)
    return outcome, read


def _read(session: Session, ref: str) -> None:
    repository = session.repository
    issue = Issue.objects.filter(repository=repository, ref=ref).first()
    if issue is None:
        answer = session.host.look(repository=repository.full_name, ref=ref)
        if isinstance(answer, HostIssue):
            with transaction.atomic():
                _, written = write_page(session, [answer])
            session.run.created += len(written)
        return
    find_out(session, issue)
    issue.refresh_from_db()
    is_here = issue.repository_id == repository.pk and issue.deleted_at is None and not issue.moved_to
    if is_here and issue.kind in session.detailed_kinds:
        # What belongs to it may have changed without the issue counting as changed.
        want_details(mirror=session.mirror, issues=[issue.pk])
