"""Following labels that a host renamed or deleted: their issues and pull requests do not count as changed by that."""

from django.db import transaction

from ingest.sync.session import Session
from kb.services.mirror import forget_host_label, rename_host_label


def follow_labels(session: Session) -> None:
    """Compare the host's labels with those seen last, and carry over what changed. Raises `HostError`s."""
    cursor, repository = session.cursor, session.repository
    names = dict(session.host.labels(repository=repository.full_name))
    with transaction.atomic():
        for label, old in cursor.label_names.items():
            new = names.get(label)
            if new == old or (new is None and old in names.values()):
                continue
            if new is None:
                forget_host_label(repository=repository, name=old)
            else:
                rename_host_label(repository=repository, old=old, new=new)
        cursor.label_names = names
        cursor.save(update_fields=["label_names"])
