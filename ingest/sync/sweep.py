"""Looking again at every issue that we hold: what lists of changes never tell.

Deleted and transferred issues drop out of the lists; a link made in a side bar, a comment edited or deleted need not
touch its issue. The sweep goes round by our own ids, at the pace of `pace.py`, and begins again; whoever asks for a
whole one has the round begin anew, also while it goes on.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

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

# By node id, when a comment was changed last; by address, the state of what closes an issue.
CommentTimes = dict[str, dt.datetime | None]
ClosingStates = dict[str, str]


def sweep(session: Session, *, most: int | None = None) -> bool:
    """Look at up to `most` issues, from where the last sweep stopped. Returns whether it came round to the end.

    Raises `HostError`s and `OutOfTimeError`; what was found until then is kept.
    """
    seen = 0
    while most is None or seen < most:
        session.check_time()
        began, size = timezone.now(), session.host.glanced_at_once
        if most is not None:
            size = min(size, most - seen)
        rows = list(_next_issues(session)[: size + 1])
        issues, is_end = rows[:size], len(rows) <= size
        up_to = session.cursor.swept_up_to
        if issues:
            _look_at(session, issues)
            up_to = issues[-1].pk
        is_kept = _keep_place(session, up_to=up_to, at=began, is_end=is_end)
        session.say()
        seen += len(issues)
        if is_end and is_kept:
            return True
    return False


def _keep_place(session: Session, *, up_to: int, at: dt.datetime, is_end: bool) -> bool:
    """Note how far the sweep has come, unless somebody asked for a whole one meanwhile: then it begins anew.

    With its round ends one that somebody asked for: asking begins the round anew.
    """
    cursor = session.cursor
    looks = looked(cursor.looks, after=cursor.swept_up_to, up_to=up_to, at=at, is_end=is_end)
    unchanged = Cursor.objects.filter(pk=cursor.pk, sweep_asked_at=cursor.sweep_asked_at)
    if is_end:
        rows = unchanged.update(swept_up_to=0, looks=looks, swept_at=timezone.now(), sweep_asked_at=None)
    else:
        rows = unchanged.update(swept_up_to=up_to, looks=looks)
    cursor.refresh_from_db(fields=["swept_up_to", "swept_at", "sweep_asked_at", "looks"])
    return bool(rows)


def _next_issues(session: Session) -> QuerySet[Issue]:
    """What the host should have still, from the last one looked at on."""
    return looked_at(session.host).filter(repository=session.repository, pk__gt=session.cursor.swept_up_to).only(
        "pk", "ref", "node_id", "title", "state", "state_reason", "host_labels", "host_updated_at", "comment_count",
        "repository_id", "url",
    )  # fmt: skip


def _look_at(session: Session, issues: Sequence[Issue]) -> None:
    name = session.repository.full_name
    glances = session.host.glance(repository=name, issues=[(issue.node_id, issue.ref) for issue in issues])
    comments, closings = _comments_held(issues), _closings_held(issues)
    stale: list[Issue] = []
    vanished: list[Issue] = []
    for issue in issues:
        glance = glances.found.get(issue.node_id)
        if issue.node_id in glances.failed:
            session.problems.append(f"{issue.ref} was not shown")
        elif issue.node_id in glances.vanished:
            vanished.append(issue)
        elif glance is None:
            continue
        elif glance.ref != issue.ref or glance.repository.lower() != name.lower() or _differs(issue, glance):
            stale.append(issue)
        else:
            details_differ = _details_differ(glance, comments.get(issue.pk, {}), closings.get(issue.pk, {}))
            _correct(session, issue, glance, details_differ=details_differ)
    for issue in (*stale, *vanished):
        find_out(session, issue)


def _differs(issue: Issue, glance: Glance) -> bool:
    """Return whether something differs that only reading the issue anew brings."""
    return (
        issue.host_updated_at is None
        or glance.updated_at > issue.host_updated_at
        or glance.title != issue.title
        or glance.state != issue.state
        or (glance.state == "closed" and glance.state_reason != issue.state_reason)
    )


def _details_differ(glance: Glance, comments: CommentTimes, closings: ClosingStates) -> bool:
    """Return whether the comments or the linked pull requests are others than those we hold."""
    if len(comments) != glance.comment_count:
        return True
    if any(comments.get(node_id) != updated_at for node_id, updated_at in glance.comments.items()):
        return True
    if glance.closings is None:
        return False
    # A link that was taken back is no longer told; of very many only the first are.
    if len(glance.closings) < min(len(closings), MOST_TOLD):
        return True
    return any(closings.get(url) != state for url, state in glance.closings.items())


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


def _closings_held(issues: Sequence[Issue]) -> dict[int, ClosingStates]:
    closings: dict[int, ClosingStates] = defaultdict(dict)
    rows = ClosingReference.objects.filter(issue__in=issues).order_by().values_list("issue_id", "url", "state")
    for issue_id, url, state in rows:
        closings[issue_id][url] = state
    return closings


def _comments_held(issues: Sequence[Issue]) -> dict[int, CommentTimes]:
    comments: dict[int, CommentTimes] = defaultdict(dict)
    rows = Comment.objects.filter(issue__in=issues).order_by().values_list("issue_id", "node_id", "updated_at")
    for issue_id, node_id, updated_at in rows:
        comments[issue_id][node_id] = updated_at
    return comments
