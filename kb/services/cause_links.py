"""Cause links counted from labels: which root causes occur with a symptom, within one source.

Sources are never pooled: each link counts the issues of one source only. Links follow the labels of people; those of
rules are counted only when that source is rebuilt by name.
"""

from dataclasses import dataclass

from django.apps import apps
from django.db import transaction

from kb.models import CauseLink, Source
from kb.services.cause_link_counts import (
    count,
    counting,
    settle_waiting,
    some_wait,
    store,
    touch_sources,
    touch_waiting,
)

# Label changes counted in one transaction.
BATCH = 20_000


class NoteChangedError(ValueError):
    """The note was changed by somebody else, or the link is gone; the message says which."""


def follow_labels(*, wait: bool = True) -> int:
    """Update links for all committed label changes; the work is proportional to these. Returns how many links changed.

    While another process counts, this one waits, or returns at once with `wait=False`. Changes of an aborted
    transaction stay in the queue. A link without evidence is deleted; its note and history are kept for its return.
    """
    changed = 0
    while some_wait():
        with counting(wait=wait) as cursor:
            if cursor is None:
                break
            touch_waiting(cursor, limit=BATCH)
            count(cursor)
            changed += store(cursor)
    return changed


def rebuild_cause_links(*, source: Source | None = None) -> int:
    """Recount all links of `source`, or of all sources when None, which deletes those of rules; notes stay.

    Returns the number of links created or changed.
    """
    sources = [source.pk] if source else list(Source.objects.values_list("pk", flat=True))
    with counting() as cursor:
        assert cursor is not None  # noqa: S101 it waited
        settle_waiting(cursor, sources)
        touch_sources(cursor, sources, with_rules=source is not None)
        count(cursor)
        return store(cursor)


@dataclass(frozen=True)
class NoteVersion:
    """A version of a link's note: the number of its last event in the history."""

    event: int


def note_version(*, link: CauseLink) -> NoteVersion:
    """The current version of a link's note."""
    events = apps.get_model("kb", "CauseLinkNoteEvent")._default_manager.filter(pgh_obj=link.pk)
    return NoteVersion(events.order_by("-pgh_id").values_list("pgh_id", flat=True).first() or 0)


@transaction.atomic
def note_cause_link(*, link: CauseLink, note: str, seen: NoteVersion | None = None) -> None:
    """Write the note on a link. Raises `NoteChangedError` when the link is gone, or the note is newer than `seen`."""
    locked = CauseLink.objects.filter(pk=link.pk).order_by().select_for_update()
    if not list(locked.values_list("pk")):
        raise NoteChangedError("No issue speaks for this link any more, so that it has gone. Its former note is kept.")
    if seen and note_version(link=link) != seen:
        raise NoteChangedError("Somebody else changed the note meanwhile. Read theirs, then save yours again.")
    link.note = note
    link.save(update_fields=["note"])
