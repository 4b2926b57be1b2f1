"""Health checks of the installation, each with its result and how to fix it; for `manage.py doctor` and /readyz.

A check never raises, whatever is down.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.cache import cache
from django.db import Error, connection
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.db.migrations.executor import MigrationExecutor
from django.http.request import validate_host
from redis.backoff import NoBackoff
from redis.retry import Retry

from kb.health.heartbeat import KEY, STALE_SECONDS

EXTENSIONS = ("btree_gin", "pg_trgm", "unaccent")
FREE_BYTES = 1_000_000_000
SECRET_LENGTH = 50
SECRET_VARIETY = 5
CONNECT_SECONDS = 2
JUST_NOW_SECONDS = 5
# Names of migrations in one line.
FEW = 3
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
START_HERE = "On your own machine, start everything with `make up`."


@dataclass(frozen=True)
class Check:
    """The result of a check, and how to fix what is wrong."""

    name: str
    ok: bool
    detail: str
    fix: str = ""

    def __post_init__(self) -> None:
        """Drop the fix of a passed check."""
        if self.ok:
            object.__setattr__(self, "fix", "")


def all_checks() -> list[Check]:
    """Run every check."""
    return [check() for check in (*CHECKS, *_added)]


def add_check(check: Callable[[], Check]) -> None:
    """Register a check of a package that this one does not know. It must not raise, whatever is down."""
    if check not in _added:
        _added.append(check)


def ready_checks() -> list[Check]:
    """Run the checks of what every page needs."""
    return [check() for check in READY_CHECKS]


def database() -> Check:
    """The database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            row = cursor.fetchone()
    except Error as error:
        return Check("database", False, f"It does not answer: {first_line(error)}", f"{START_HERE} Else: DATABASE_URL.")
    return Check("database", True, f"PostgreSQL {row[0] if row else '(unknown version)'}")


def pool() -> Check:
    """Whoever stands between us and the database shares its sessions as the settings say."""
    mode = settings.DATABASE_POOL
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            # A pooler tells its clients of another process than the one that works for them.
            pooled = cursor.fetchone() != (cursor.connection.info.backend_pid,)
    except Error:
        return Check("pool", False, "Unknown, because the database does not answer.", "Fix the database first.")
    if pooled and not mode:
        fix = "DATABASE_POOL, for web servers; all others connect to PostgreSQL itself (docs/running.md, PgBouncer)."
        return Check("pool", False, "A pooler is before the database, with no word of how it shares sessions.", fix)
    return Check("pool", True, f"Sessions are shared by {mode}." if pooled else "Sessions are our own.")


def extensions() -> Check:
    """The database has the extensions that search needs."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT extname FROM pg_extension")
            installed = {name for (name,) in cursor.fetchall()}
    except Error:
        return Check("extensions", False, "Unknown, because the database does not answer.", "Fix the database first.")
    missing = [name for name in EXTENSIONS if name not in installed]
    if missing:
        fix = "`manage.py migrate` makes them; where it may not, a superuser runs CREATE EXTENSION for each."
        return Check("extensions", False, f"Missing: {', '.join(missing)}.", fix)
    return Check("extensions", True, ", ".join(EXTENSIONS))


def migrations() -> Check:
    """All migrations are applied."""
    try:
        executor = MigrationExecutor(connection)
        pending = [str(step) for step, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    except (Error, InconsistentMigrationHistory) as error:
        return Check("migrations", False, f"Unknown: {first_line(error)}", "Fix the database first.")
    if pending:
        some = ", ".join(pending[:FEW]) + (", ..." if len(pending) > FEW else "")
        return Check("migrations", False, f"{len(pending)} not applied: {some}.", "`manage.py migrate`")
    return Check("migrations", True, "All are applied.")


def broker() -> Check:
    """The broker, which is also the cache, answers."""
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=CONNECT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as error:
        return Check("broker", False, f"It does not answer: {first_line(error)}", f"{START_HERE} Else: REDIS_URL.")
    return Check("broker", True, "It answers.")


def worker() -> Check:
    """A worker recorded a heartbeat lately."""
    seen = heartbeats()
    if seen is None:
        return Check("worker", False, "Unknown, because the broker does not answer.", "Fix the broker first.")
    fix = "Start one: `celery -A config.celery worker`. A heartbeat comes every half minute, so ask again then."
    if not seen:
        return Check("worker", False, "No worker was ever heard from.", fix)
    return Check("worker", is_fresh(seen["worker"]), f"Last heard from {ago(seen['worker'])}.", fix)


def beat() -> Check:
    """Beat, which starts the periodic tasks, sent a heartbeat lately."""
    seen = heartbeats()
    if not seen or not is_fresh(seen["worker"]):
        return Check("beat", False, "Unknown, because no worker writes it down.", "Fix the worker first.")
    fix = "Start one, and only one: `celery -A config.celery beat`."
    return Check("beat", is_fresh(seen["beat"]), f"Last heard from {ago(seen['beat'])}.", fix)


def disk() -> Check:
    """The disk of the data folder has space left."""
    folder = Path(settings.DATA_DIR)
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    fix = f"Make room on the disk that holds {folder}."
    return Check("disk", free >= FREE_BYTES, f"{free / 1e9:.1f} GB are free.", fix)


def secret_key() -> Check:
    """The secret key is long and random."""
    key = settings.SECRET_KEY
    if len(key) < SECRET_LENGTH or len(set(key)) < SECRET_VARIETY or key.startswith("django-insecure-"):
        fix = 'Set SECRET_KEY to the output of: python3 -c "import secrets; print(secrets.token_urlsafe(64))"'
        return Check("secret key", False, f"It is shorter than {SECRET_LENGTH} characters or easily guessed.", fix)
    return Check("secret key", True, "Long and random.")


def origins() -> Check:
    """The settings about the site's addresses are complete and safe."""
    wrong = wrong_origins()
    if wrong:
        fix = "Set these variables as docs/configuration.md says."
        return Check("origins", False, " ".join(wrong), fix)
    if settings.LOCAL:
        return Check("origins", True, "Set up for this machine only (LOCAL=1).")
    return Check("origins", True, f"Set up for {settings.SITE_URL}.")


def wrong_origins() -> list[str]:
    """One sentence for each error in the settings about addresses."""
    hosts, site = settings.ALLOWED_HOSTS, urlsplit(settings.SITE_URL)
    if settings.LOCAL:
        return ["LOCAL is set, yet SITE_URL is a public address."] if site.scheme == "https" else []
    without_https = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if not origin.startswith("https://")]
    wrong = {
        "DEBUG is on, which shows the program's insides to everybody.": settings.DEBUG,
        "WEBHOOKS_LOCAL is on, which lets webhooks into this network.": settings.WEBHOOKS_LOCAL,
        "ALLOWED_HOSTS is empty, so every request is refused.": not hosts,
        "ALLOWED_HOSTS holds *, so any host name is believed.": "*" in hosts,
        "SITE_URL is not an https address.": site.scheme != "https" or not site.hostname,
        "SITE_URL's host is not in ALLOWED_HOSTS.": bool(
            site.hostname and hosts and not validate_host(site.hostname, hosts)
        ),
        "CSRF_TRUSTED_ORIGINS holds an origin without https.": bool(without_https),
    }
    return [sentence for sentence, applies in wrong.items() if applies]


def static_files() -> Check:
    """The static files were collected, where pages need that."""
    if not isinstance(staticfiles_storage, ManifestFilesMixin):
        return Check("static files", True, "Served from where they lie.")
    manifest = Path(settings.STATIC_ROOT or "") / "staticfiles.json"
    if not manifest.is_file():
        return Check("static files", False, "They were not collected.", "`manage.py collectstatic`")
    return Check("static files", True, "Collected.")


def heartbeats() -> dict[str, float] | None:
    """The times of the last heartbeats of beat and worker; empty if there was none, None if the cache is down."""
    try:
        times = cache.get(KEY)
    except (redis.RedisError, OSError):
        return None
    return times if isinstance(times, dict) else {}


def is_fresh(seen: float) -> bool:
    """Whether a heartbeat is recent."""
    return time.time() - seen < STALE_SECONDS


def ago(seen: float) -> str:
    """How long ago a time was, in words."""
    seconds = max(0, int(time.time() - seen))
    if seconds < JUST_NOW_SECONDS:
        return "just now"
    size, name = next(unit for unit in UNITS if seconds >= unit[0])
    count = seconds // size
    return f"{count} {name}{'s' if count > 1 else ''} ago"


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".") + "."


_added: list[Callable[[], Check]] = []
READY_CHECKS: tuple[Callable[[], Check], ...] = (database, broker, migrations)
CHECKS: tuple[Callable[[], Check], ...] = (
    database,
    pool,
    extensions,
    migrations,
    broker,
    worker,
    beat,
    disk,
    secret_key,
    origins,
    static_files,
)
