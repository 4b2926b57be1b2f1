"""Makes a version of the dump: beside the others, and only when it is whole it takes its name."""

import datetime as dt
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from kb.exports.client_data import write_client_data
from kb.exports.dumps.archives import write_changes, write_osv, write_records
from kb.exports.dumps.described import Version, describe, files_of, sha256
from kb.exports.dumps.issue_tables import ISSUE_TABLES
from kb.exports.dumps.knowledge_tables import KNOWLEDGE_TABLES
from kb.exports.dumps.versions import LATEST, versions_in
from kb.exports.dumps.writing import write_tables
from kb.models import Scheme
from kb.services.fault_changes import follow_faults
from kb.services.locks import session_lock

# The name by which clients ask for it.
CLIENT_DATA = "faultbook-client.json.zst"
TABLES = (*ISSUE_TABLES, *KNOWLEDGE_TABLES)


@dataclass(frozen=True)
class Published:
    """The folder of the newest version, and whether it is new: unchanged knowledge makes none."""

    folder: Path
    is_new: bool


def publish(root: Path, *, today: dt.date, keep: int) -> Published:
    """Make a version below `root`, have `latest` lead to it, and delete all but the last `keep`.

    Raises `LockHeldError` while another process makes one.
    """
    with session_lock("publish-dump"):
        return _publish(root, today=today, keep=keep)


def _publish(root: Path, *, today: dt.date, keep: int) -> Published:
    root.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
    try:
        beside.chmod(0o755)
        version = _build(beside, today)
        latest = next(iter(versions_in(root)), None)
        if latest and _same_tables(latest.folder, beside):
            return Published(latest.folder, is_new=False)
        folder = root / version.name
        if folder.exists():
            folder.rename(beside / ".before")
            shutil.rmtree(beside / ".before")
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    # Moved into its place, so that `latest` leads somewhere at every moment.
    link = folder.with_name(f".{LATEST}")
    link.unlink(missing_ok=True)
    link.symlink_to(folder.name)
    link.rename(folder.with_name(LATEST))
    for old in versions_in(root)[keep:]:
        shutil.rmtree(old.folder)
    return Published(folder, is_new=True)


def _build(folder: Path, today: dt.date) -> Version:
    site = str(settings.SITE_URL).rstrip("/")
    follow_faults()
    with _one_state():
        version = Version(today, Scheme.objects.get(slug="house").version)
        counts = write_tables(TABLES, folder)
        write_osv(folder / "osv.zip", site)
        write_records(folder / "records.zip")
        write_changes(folder / "modified.csv")
        write_client_data(folder / CLIENT_DATA)
    describe(folder, version, TABLES, counts, site)
    return version


@contextmanager
def _one_state() -> Iterator[None]:
    """A transaction in which every statement sees one state of the tables, unless the caller has begun one."""
    is_first = not connection.in_atomic_block
    with transaction.atomic():
        if is_first:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _same_tables(first: Path, second: Path) -> bool:
    """Whether two versions say the same: the tables are compared, as what describes them bears a date."""
    names = [name for name in files_of(second) if name.startswith("jsonl/")]
    if names != [name for name in files_of(first) if name.startswith("jsonl/")]:
        return False
    return all(sha256(first / name) == sha256(second / name) for name in names)
