"""Following labels that a host renamed or deleted: their issues and pull requests do not count as changed by that."""

from django.db import transaction

from ingest.services.mirrors import ask_sweep
from ingest.sync.session import Session
from kb.services.mirror import follow_host_labels


def follow_labels(session: Session) -> None:
    """Compare the host's labels with those seen last, and carry over what changed. Raises `HostError`s."""
    cursor, repository = session.cursor, session.repository
    seen = session.host.labels(repository=repository.full_name, marks=cursor.label_marks)
    if seen is None:
        return
    names = dict(seen.names)
    changed = {old: names.get(label) for label, old in cursor.label_names.items() if names.get(label) != old}
    # Who bears a label that was deleted and made anew under its name, only the issues tell.
    made_anew = {
        old for old, new in changed.items() if new is None and old in names.values() and old not in changed.values()
    }
    with transaction.atomic():
        if made_anew:
            ask_sweep(mirror=session.mirror)
        renamed = {old: new for old, new in changed.items() if old not in made_anew}
        session.run.updated += follow_host_labels(repository=repository, names=renamed)
        cursor.label_names, cursor.label_marks = names, dict(seen.marks)
        cursor.save(update_fields=["label_names", "label_marks"])
