"""Reading what changed on a host, page by page. Each page is written together with the cursor, so that a run that
is killed anywhere loses nothing and repeats one page at most.

Pages are asked for by the moment of the last change seen, not by number: issues that are changed meanwhile move to
the end of the list, and by number the ones behind them would be skipped. Only where more changes bear one and the
same second than fit on a page is the host's own link to the next page followed.
"""

import datetime as dt
from collections.abc import Callable

from django.db import transaction

from ingest.hosts import Page
from ingest.sync.read_ahead import Ahead
from ingest.sync.rows import write_page
from ingest.sync.session import Session
from kb.services.repositories import NameTakenError, rename_repository

# What a host shows late, because its copies lag behind each other, is older than what we have seen already.
LOOKBACK = dt.timedelta(minutes=10)
BLOCK_TRIES = 3


def read_changes(session: Session) -> bool:
    """Bring the mirror up to what the host lists. Returns whether anything was new.

    Raises `HostError`s and `OutOfTimeError`; what was read until then is kept.
    """
    cursor = session.cursor
    if cursor.is_complete:
        page = _probe(session)
        if page is None:
            return False
        if not page.next_url:
            _write(session, page, probe_etag=page.etag)
            return True
        cursor.updated_at = cursor.updated_at and cursor.updated_at - LOOKBACK
    with Ahead(session, Page) as ahead:
        _turn_pages(session, ahead)
    cursor.probe_since = cursor.updated_at and cursor.updated_at - LOOKBACK
    cursor.probe_etag = ""
    # What was changed while we read is on this page; its mark makes the next question cost nothing.
    page = _probe(session)
    if page is not None:
        _write(session, page, probe_etag=page.etag)
    return True


def _probe(session: Session) -> Page | None:
    cursor = session.cursor
    return session.host.newest(
        repository=session.repository.full_name, since=cursor.probe_since, etag=cursor.probe_etag
    )


def _turn_pages(session: Session, ahead: Ahead[Page]) -> None:
    """Read from the cursor on, oldest change first, to the end of the list."""
    cursor = session.cursor
    first_of_block: frozenset[str] | None = None
    tries = 0
    while True:
        session.check_time()
        anchor = _anchor(session)
        followed = bool(cursor.next_url)
        if followed:
            page = session.host.follow(url=cursor.next_url)
        else:
            question = _changes(session, anchor)
            page = ahead.ask(*question).answer
        newest = max((issue.updated_at for issue in page.issues), default=None)
        advanced = newest is not None and (anchor is None or newest > anchor)
        if followed and (advanced or not page.next_url) and tries < BLOCK_TRIES:
            # Somebody may have changed one of this second's issues while we turned its pages: then begin it again.
            again = session.host.changes(repository=session.repository.full_name, since=anchor)
            if _node_ids(again) != first_of_block:
                tries, cursor.next_url = tries + 1, ""
                continue
        if not followed:
            first_of_block = _node_ids(page)
            if advanced:
                tries = 0
        if page.next_url and advanced and not followed:
            ahead.ask_ahead(*_changes(session, newest))
        _write(session, page, next_url="" if advanced else page.next_url, is_last=not page.next_url)
        if not page.next_url:
            return


def _changes(session: Session, since: dt.datetime | None) -> tuple[str, Callable[[], Page]]:
    name = session.repository.full_name
    return f"{name} since {since}", lambda: session.host.changes(repository=name, since=since)


def _node_ids(page: Page) -> frozenset[str]:
    return frozenset(issue.node_id for issue in page.issues)


def _anchor(session: Session) -> dt.datetime | None:
    """From which change on to ask; at the very beginning from the wished day, or without any."""
    if session.cursor.updated_at is not None:
        return session.cursor.updated_at
    day = session.mirror.backfill_from
    return dt.datetime.combine(day, dt.time(), dt.UTC) if day else None


def _write(
    session: Session, page: Page, *, next_url: str = "", is_last: bool = False, probe_etag: str | None = None
) -> None:
    """Write a page and how far the mirror has come, both or neither."""
    cursor, run = session.cursor, session.run
    moments = [issue.updated_at for issue in page.issues]
    if cursor.updated_at is not None:
        moments.append(cursor.updated_at)
    _follow_rename(session, page)
    with transaction.atomic():
        selection, written = write_page(session, page.issues)
        cursor.updated_at = max(moments, default=None)
        cursor.next_url = next_url
        cursor.is_complete = cursor.is_complete or is_last
        if probe_etag is not None:
            cursor.probe_etag = probe_etag
        cursor.save(update_fields=["updated_at", "next_url", "is_complete", "probe_since", "probe_etag"])
    session.problems += page.unreadable
    session.listed += len(page.issues)
    created = sum(row.is_new for row in written)
    run.pages += 1
    run.created += created
    run.updated += len(written) - created
    run.unchanged += len(selection.kept) - len(written)
    run.left_out += selection.newly_left_out
    session.say()


def _follow_rename(session: Session, page: Page) -> None:
    """Take over the name that the host's answer bears, if it is another than the one we asked by."""
    names = [issue.repository for issue in page.issues if issue.repository]
    if not names or names[0].lower() == session.repository.full_name.lower():
        return
    try:
        rename_repository(repository=session.repository, full_name=names[0])
    except NameTakenError as error:
        session.problems.append(str(error))
