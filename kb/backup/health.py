"""Whether backups are made, for `manage.py doctor`."""

import datetime as dt
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from kb.backup.manifest import BackupError, backups, read
from kb.health.checks import Check, ago

NAME = "backup"
# One is made every night; one may fail.
LATE = dt.timedelta(hours=50)
FIX = "`manage.py backup` makes one now, or says why it cannot. Worker and beat make one every night."
INSTALLED = "SELECT min(applied) FROM django_migrations"


def backup() -> Check:
    """The last backup is not old, where a folder for backups is set."""
    if not settings.BACKUP_DIR:
        return Check(NAME, True, "None are made here: BACKUP_DIR names no folder.")
    newest = next(iter(backups(Path(settings.BACKUP_DIR))), None)
    if newest is None:
        return Check(NAME, _is_new(), f"There is none in {settings.BACKUP_DIR} yet.", FIX)
    try:
        made_at = read(newest).made_at
    except BackupError as error:
        return Check(NAME, False, str(error).splitlines()[0], FIX)
    detail = f"The last one was made {ago(made_at.timestamp())}: {newest}."
    return Check(NAME, timezone.now() - made_at < LATE, detail, FIX)


def _is_new() -> bool:
    """Whether this site has not yet stood for a night."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(INSTALLED)
            (since,) = cursor.fetchone()
    except Error:
        return True
    return since is None or timezone.now() - since < LATE
