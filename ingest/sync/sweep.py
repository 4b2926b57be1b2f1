"""Looking again at every issue that we hold: what lists of changes never tell.

Deleted and transferred issues drop out of the lists; a link made in a side bar, a comment edited or deleted need not
touch its issue. The sweep goes round by our own ids, at the pace of `pace.py`, and begins again; whoever asks for a
whole one has the round begin anew, also while it goes on.
"""

import datetime as dt
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ingest.hosts import Glance
from ingest.looks import looked
from ingest.models import Cursor
from ingest.sync.due_details import want_details
from ingest.sync.missing_issues import find_out
from ingest.sync.pace import looked_at
from ingest.sync.session import Session
from kb.models import ClosingReference, Comment, Issue
from kb.services.mirror import correct_mirrored

# Hosts tell at least so many closing references at a glance, if there are.
MOST_TOLD = 10


def sweep(session: Session, *, most: int | None = None) -> bool:
    """Look at up to `most` issues, from where the last sweep stopped. Returns whether it came round to the end.

    Raises `HostError`s and `OutOfTimeError`; what was found until then is kept.
    """
    seen = 0
    while most is None or seen < most:
        session.check_time()
        at_once, began = session.host.glanced_at_once, timezone.now()
        size = at_once if most is None else min(at_once, most - seen)
        rows = list(_held(session)[: size + 1])
        issues, is_end = rows[:size], len(rows) <= size
        if issues:
            _look_at(session, issues)
        kept = _keep_place(
            session, up_to=issues[-1].pk if issues else session.cursor.swept_up_to, at=began, is_end=is_end
        )
        session.say()
        seen += len(issues)
        if is_end and kept:
            return True
    return False


def _keep_place(session: Session, *, up_to: int, at: dt.datetime, is_end: bool) -> bool:
    """Note how far the sweep has come, unless somebody asked for a whole one meanwhile: then it begins anew.

    With its round ends one that somebody asked for: asking begins the round anew.
    """
    cursor = session.cursor
    looks = looked(cursor.looks, after=cursor.swept_up_to, up_to=up_to, at=at, is_end=is_end)
    ended = {"swept_at": timezone.now(), "sweep_asked_at": None} if is_end else {}
    as_known = Cursor.objects.filter(pk=cursor.pk, sweep_asked_at=cursor.sweep_asked_at)
    is_kept = bool(as_known.update(swept_up_to=0 if is_end else up_to, looks=looks, **ended))
    cursor.refresh_from_db(fields=["swept_up_to", "swept_at", "sweep_asked_at", "looks"])
    return is_kept


def _held(session: Session) -> QuerySet[Issue]:
    """What the host should have still, from the last one looked at on."""
    return looked_at(session.host).filter(repository=session.repository, pk__gt=session.cursor.swept_up_to).only(
        "pk", "ref", "node_id", "title", "state", "state_reason", "host_labels", "host_updated_at", "comment_count",
        "repository_id", "url",
    )  # fmt: skip


def _look_at(session: Session, issues: Sequence[Issue]) -> None:
    glances = session.host.glance(
        repository=session.repository.full_name, issues=[(issue.node_id, issue.ref) for issue in issues]
    )
    comments, closings = _comments_held(issues), _closings_held(issues)
    stale: list[Issue] = []
    for issue in issues:
        glance = glances.found.get(issue.node_id)
        if glance is None:
            continue
        if _is_elsewhere(session, issue, glance) or _differs(issue, glance):
            stale.append(issue)
            continue
        details_differ = _details_differ(glance, comments.get(issue.pk, {}), closings.get(issue.pk, {}))
        _correct(session, issue, glance, details_differ=details_differ)
    session.problems += [f"{issue.ref} was not shown" for issue in issues if issue.node_id in glances.failed]
    for issue in (*stale, *(issue for issue in issues if issue.node_id in glances.vanished)):
        find_out(session, issue)


def _is_elsewhere(session: Session, issue: Issue, glance: Glance) -> bool:
    return glance.ref != issue.ref or glance.repository.lower() != session.repository.full_name.lower()


def _differs(issue: Issue, glance: Glance) -> bool:
    """Is there something that only reading the issue anew brings?"""
    return (
        issue.host_updated_at is None
        or glance.updated_at > issue.host_updated_at
        or glance.title != issue.title
        or glance.state != issue.state
        or (glance.state == "closed" and glance.state_reason != issue.state_reason)
    )


def _details_differ(glance: Glance, comments: Mapping[str, object], closings: Mapping[str, str]) -> bool:
    """Are the comments or the linked pull requests others than those we hold?"""
    if len(comments) != glance.comment_count:
        return True
    if any(comments.get(node_id) != moment for node_id, moment in glance.comments.items()):
        return True
    told = glance.closings
    if told is None:
        return False
    # A link that was taken back is no longer told; of very many only the first are.
    is_fewer = len(told) < len(closings) and len(told) < MOST_TOLD
    return is_fewer or any(closings.get(url) != state for url, state in told.items())


def _correct(session: Session, issue: Issue, glance: Glance, *, details_differ: bool) -> None:
    """Put right what the glance itself tells: labels' names, and whether the rest is still the same."""
    session.run.unchanged += 1
    labels, count = list(glance.host_labels), glance.comment_count
    with transaction.atomic():
        if labels != issue.host_labels or count != issue.comment_count:
            correct_mirrored(issue=issue, host_labels=labels, comment_count=count)
            session.run.updated += 1
        if details_differ:
            want_details(mirror=session.mirror, issues=[issue.pk])


def _closings_held(issues: Sequence[Issue]) -> dict[int, dict[str, str]]:
    held: dict[int, dict[str, str]] = {}
    rows = ClosingReference.objects.filter(issue__in=issues).order_by().values_list("issue_id", "url", "state")
    for issue_id, url, state in rows:
        held.setdefault(issue_id, {})[url] = state
    return held


def _comments_held(issues: Sequence[Issue]) -> dict[int, dict[str, object]]:
    held: dict[int, dict[str, object]] = {}
    rows = Comment.objects.filter(issue__in=issues).order_by().values_list("issue_id", "node_id", "updated_at")
    for issue_id, node_id, moment in rows:
        held.setdefault(issue_id, {})[node_id] = moment
    return held
