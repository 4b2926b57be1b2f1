"""Cause links drawn from labels: which root causes go with a symptom, within one source.

Sources are never pooled here: each link counts the issues of one source only. Links follow the labels that people
stand for; what rules suggest is counted for who asks for that source by name.
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

# So many changes are counted in one transaction.
BATCH = 20_000


class NoteChangedError(ValueError):
    """Somebody else wrote the note meanwhile, or the link has gone; the message says which."""


def follow_labels(*, wait: bool = True) -> int:
    """Bring links up to date with all label changes that are visible; the work is in proportion to what changed.

    Returns the number of links created or changed. Of two at a time the second waits, or with `wait=False` leaves it
    to the first. What was taken and not committed waits again. A link whose evidence is gone goes; its note and their
    history are kept, and are back when it is.
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
    """Count every cause link of `source` from nothing (of all when None, which drops those of rules); notes stay.

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
    """Which state of a link's note somebody has seen: the number of its last event in the history."""

    event: int


def note_version(*, link: CauseLink) -> NoteVersion:
    """The present state of a link's note."""
    events = apps.get_model("kb", "CauseLinkNoteEvent")._default_manager.filter(pgh_obj=link.pk)
    return NoteVersion(events.order_by("-pgh_id").values_list("pgh_id", flat=True).first() or 0)


@transaction.atomic
def note_cause_link(*, link: CauseLink, note: str, seen: NoteVersion | None = None) -> None:
    """Write staff's note on a link; its numbers are nobody's to write.

    Raises `NoteChangedError` when the link is gone, or its note is not what was `seen` any more.
    """
    locked = CauseLink.objects.filter(pk=link.pk).order_by().select_for_update()
    if not list(locked.values_list("pk")):
        raise NoteChangedError("No issue speaks for this link any more, so that it has gone. Its former note is kept.")
    if seen and note_version(link=link) != seen:
        raise NoteChangedError("Somebody else changed the note meanwhile. Read theirs, then save yours again.")
    link.note = note
    link.save(update_fields=["note"])
