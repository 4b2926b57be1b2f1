"""Following labels that a host renamed or deleted: their issues and pull requests do not count as changed by that."""

from django.db import transaction

from ingest.services.mirrors import ask_sweep
from ingest.sync.session import Session
from kb.services.mirror import follow_host_labels


def follow_labels(session: Session) -> None:
    """Compare the host's labels with those seen last, and carry over what changed. Raises `HostError`s."""
    cursor, repository = session.cursor, session.repository
    labels = session.host.labels(repository=repository.full_name, marks=cursor.label_marks)
    if labels is None:
        return
    names = dict(labels.names)
    changed = {old: names.get(label) for label, old in cursor.label_names.items() if names.get(label) != old}
    present_names = set(names.values()) - set(changed.values())
    # Who bears a label that was deleted and made anew under its name, only the issues tell.
    renamed = {old: new for old, new in changed.items() if new is not None or old not in present_names}
    with transaction.atomic():
        if len(renamed) < len(changed):
            ask_sweep(mirror=session.mirror)
        session.run.updated += follow_host_labels(repository=repository, names=renamed)
        cursor.label_names, cursor.label_marks = names, dict(labels.marks)
        cursor.save(update_fields=["label_names", "label_marks"])
