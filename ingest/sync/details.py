"""Fetching comments and fixes of the issues that a page has brought, in batches, each written as a whole."""

from collections.abc import Callable, Sequence

from django.db import transaction

from ingest.hosts import Batch, Details
from ingest.sync.due_details import Wanted, due, fulfil, next_wanted, put_off
from ingest.sync.missing_issues import find_out
from ingest.sync.read_ahead import Ahead, Heard
from ingest.sync.rows import details_row
from ingest.sync.session import Session
from kb.models import Issue
from kb.services.mirror_details import write_details


def fetch_details(session: Session) -> None:
    """Fetch what is pending and due. Raises `HostError`s and `OutOfTimeError`; what came until then is kept."""
    session.pending = due(session).count()
    size = session.host.at_once
    with Ahead[Batch[Details]](session, Batch[Details]) as ahead:
        while rows := next_wanted(session):
            batches = [rows[start : start + size] for start in range(0, len(rows), size)]
            for place, batch in enumerate(batches):
                session.check_time()
                heard = ahead.ask(*_question(session, batch))
                if place + 1 < len(batches):
                    ahead.ask_ahead(*_question(session, batches[place + 1]))
                _write(session, batch, heard)
                session.say()


def _question(session: Session, batch: Sequence[Wanted]) -> tuple[str, Callable[[], Batch[Details]]]:
    name, issues = session.repository.full_name, [(row.node_id, row.ref) for row in batch]
    return " ".join(row.node_id for row in batch), lambda: session.host.details(repository=name, issues=issues)


def _write(session: Session, batch: Sequence[Wanted], heard: Heard[Batch[Details]]) -> None:
    answer = heard.answer
    ids = {row.node_id: row.issue_id for row in batch}
    with transaction.atomic():
        write_details(details=[details_row(ids[node_id], details) for node_id, details in answer.found.items()])
        fulfil(issues=[ids[node_id] for node_id in answer.found], asked_at=heard.asked_at)
        put_off(ids[node_id] for node_id in answer.failed)
    session.run.detailed += len(answer.found)
    vanished = [ids[node_id] for node_id in answer.vanished]
    for issue in Issue.objects.filter(pk__in=vanished).order_by("pk"):
        find_out(session, issue)
    # Some are there after all: asking for them again at once would go on for ever.
    put_off(vanished)
