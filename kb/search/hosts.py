"""Which host this is. Each has an index in a folder of its own, which its own indexer feeds from the one outbox.

The folder and the database both note the host, its index, what that was made of, and how often it was fed. Where they
disagree, one of them was put back from a copy. Engines that keep their index in the database are one host for all.
"""

import datetime as dt
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from kb.core.search.tantivy.failures import failures_told
from kb.core.search.tantivy.folder import current, write_safely
from kb.models import SearchHost
from kb.search import outbox
from kb.search.backends import EngineUnavailableError

NOTE = "HOST"
# A host that was not heard from for so long is forgotten: changes are kept for it no longer.
FORGOTTEN_AFTER = dt.timedelta(hours=1)
APART = "The index folder or the database was put back from a copy, so that they do not belong together."


@dataclass(frozen=True)
class Note:
    """What the folder says."""

    host: str
    index: str = ""
    made_of: str = ""
    position: int = 0


def has_folder() -> bool:
    """Does the engine keep its index in a folder?"""
    return bool(settings.SEARCH_ENGINE == "tantivy")


def root() -> Path:
    """That folder."""
    return Path(settings.SEARCH_INDEX_DIR)


def own() -> SearchHost:
    """This host as the database knows it, from now on at the latest."""
    note = _read() or renamed()
    host, _ = SearchHost.objects.get_or_create(key=note.host)
    return host


def known() -> SearchHost | None:
    """This host, if the database knows it."""
    note = _read()
    return SearchHost.objects.filter(key=note.host).first() if note else None


def renamed() -> Note:
    """Become another host: the folder is new, or a copy of one that is in use elsewhere."""
    note = Note(uuid4().hex)
    _write(note)
    return note


def is_in_step(host: SearchHost) -> bool:
    """Do folder and database speak of the same index, fed as often?"""
    if not has_folder():
        return True
    note = _read()
    return (
        note is not None
        and (note.host, note.index, note.index) == (host.key, host.index, current(root()))
        # A process may have died after it wrote the index and before it settled the outbox.
        and host.settled <= note.position <= host.position
    )


def is_made_of(host: SearchHost, mark: str) -> bool:
    """Was the index made by this program from this database?"""
    note = _read() if has_folder() else None
    return host.made_of == mark and (not has_folder() or (note is not None and note.made_of == mark))


def begin_feeding(host: SearchHost) -> None:
    """Write down, before the index is written, that it will be one further."""
    here = SearchHost.objects.filter(pk=host.pk, position=host.position)
    if not is_in_step(host) or not here.update(position=F("position") + 1):
        raise EngineUnavailableError(APART)
    host.position += 1


def end_feeding(host: SearchHost) -> None:
    """Write down in the folder that the index is one further; `settle` follows, with the outbox."""
    note = _read()
    if has_folder() and note is not None:
        _write(replace(note, position=host.position))


def settle(host: SearchHost) -> None:
    """Write down in the database how far the index is."""
    SearchHost.objects.filter(pk=host.pk).update(settled=host.position)


def note_new_index(host: SearchHost, mark: str) -> None:
    """Write down that a new index is in use."""
    index = current(root()) if has_folder() else ""
    if has_folder():
        _write(Note(host.key, index, mark))
    SearchHost.objects.filter(pk=host.pk).update(index=index, made_of=mark, position=0, settled=0)


def leave_sign(host: SearchHost, problem: str) -> None:
    """Say that this host lives, and what is in its way; forget those that do not."""
    SearchHost.objects.filter(pk=host.pk).update(seen_at=Now(), problem=problem)
    silent = SearchHost.objects.filter(seen_at__lt=Now() - FORGOTTEN_AFTER).exclude(pk=host.pk)
    # One that wakes up just now cannot be deleted; it is not silent any more.
    with suppress(IntegrityError), transaction.atomic():
        if silent.delete()[0]:
            outbox.tidy()


def _read() -> Note | None:
    if not has_folder():
        return Note(settings.SEARCH_ENGINE)
    try:
        return Note(**json.loads((root() / NOTE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write(note: Note) -> None:
    with failures_told("The search index cannot be written"):
        root().mkdir(parents=True, exist_ok=True)
        write_safely(root() / NOTE, json.dumps(asdict(note)))
