"""Whether this host's search index is well: fed, not far behind, and complete. `manage.py doctor` shows it.

A page does without the index, since the database answers meanwhile; so /readyz tells of it and is ready all the same.
"""

from collections.abc import Iterator
from dataclasses import replace

from django.db import Error
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from kb.core.search.cards import from_json
from kb.core.search.values import Request, Sort
from kb.health.checks import Check, ago, first_line
from kb.models import Issue, SearchHost
from kb.search import backends, hosts, indexing, outbox
from kb.search.backends import EngineUnavailableError

# The sign of life comes every five seconds, and seldom more than a few later.
SILENT_SECONDS = 60
LATE_SECONDS = 60
START = "Start it: `manage.py run_indexer`. Its log says why it ended."
ANEW = "Run `manage.py reindex --fresh`: it makes a new index from the database, and the old one answers until then."
ANEW_BY_ITSELF = "A running indexer makes a new one by itself; `manage.py reindex` does too, and shows how far it is."
LOOKS = 3
# So many of the newest issues are compared: rows that were put in from elsewhere, without triggers, are others.
SAMPLE = 100
LATE = "After a large import this takes a while. If the number does not fall, see the indexer's log."


def search_checks() -> list[Check]:
    """Look at the indexer and at the index."""
    return [indexer(), index()]


def indexer() -> Check:
    """Look whether the indexer was heard from lately, and how far behind it is."""
    try:
        seen = hosts.known()
        waiting, since = outbox.waiting(seen) if seen else (0, None)
    except Error:
        return Check("indexer", False, "Unknown, because the database does not answer.", "Fix the database first.")
    if seen is None:
        return Check("indexer", False, "No indexer of this host was ever heard from.", START)
    heard = f"Last heard from {ago(seen.seen_at.timestamp())}."
    if (timezone.now() - seen.seen_at).total_seconds() > SILENT_SECONDS:
        return Check("indexer", False, heard, START)
    if seen.problem:
        fix = "Fix the error; then it continues. `manage.py reindex --fresh` makes a new index."
        return Check("indexer", False, first_line(RuntimeError(seen.problem)), fix)
    if since is None:
        return Check("indexer", True, f"{heard} Nothing waits.")
    late = (timezone.now() - since).total_seconds() > LATE_SECONDS
    changes = f"{waiting:,} change{'s' if waiting > 1 else ''}"
    return Check("indexer", not late, f"{heard} {changes} wait, the oldest since {ago(since.timestamp())}.", LATE)


def index_lag() -> Iterator[Metric]:
    """How far this host's index is behind the database; nothing where no indexer was ever heard from."""
    seen = hosts.known()
    changes = GaugeMetricFamily("faultbook_index_changes_waiting", "Changes that this host's index lacks")
    lag = GaugeMetricFamily("faultbook_index_lag_seconds", "Age of the oldest of them")
    silence = GaugeMetricFamily("faultbook_indexer_heartbeat_age_seconds", "Seconds since the indexer was heard from")
    if seen is not None:
        now = timezone.now()
        waiting, since = outbox.waiting(seen)
        changes.add_metric([], waiting)
        lag.add_metric([], (now - since).total_seconds() if since else 0)
        silence.add_metric([], (now - seen.seen_at).total_seconds())
    yield from (changes, lag, silence)


def index() -> Check:
    """Look whether the index can be read and has every issue."""
    return _index(counted=True)


def own_index() -> Check:
    """Look in short, as /readyz does every few seconds: the issues are counted by the indexer."""
    check = _index(counted=False)
    if check.ok and backends.index() is not None:
        return replace(indexer(), name=check.name)
    return check


def _index(*, counted: bool) -> Check:
    if backends.index() is None:
        return Check("search index", True, "The chosen search engine needs none.")
    try:
        host = hosts.known()
        building = host.builds.filter(finished_at=None).first() if host else None
        progress = f" A new one is being built: {building.done:,} of {building.total:,} issues." if building else ""
        size = backends.current().size()
        if host is None or not _is_in_step():
            return Check("search index", False, f"{hosts.APART}{progress}", ANEW_BY_ITSELF)
        problem = (indexing.wrong_count(host, size) or _stray_issue(host)) if counted else ""
        if problem:
            return Check("search index", False, f"{problem}{progress}", ANEW)
    except EngineUnavailableError as error:
        return Check("search index", False, f"{first_line(error)}{progress}", ANEW_BY_ITSELF)
    except Error:
        return Check("search index", False, "Unknown, because the database does not answer.", "Fix the database first.")
    return Check("search index", True, f"{size:,} issues.{progress}")


def _is_in_step() -> bool:
    """Look more than once: the indexer may write between the look at the database and the one at the folder."""
    for _ in range(LOOKS):
        host = hosts.known()
        if host is not None and hosts.is_in_step(host):
            return True
    return False


def _stray_issue(host: SearchHost) -> str:
    """Names an issue that only the index has; empty when the newest ones are all in the database, or changes wait."""
    if outbox.waiting(host)[0]:
        return ""
    newest = backends.current().find(Request(sort=Sort.NEWEST, limit=SAMPLE)).candidates
    cards = [from_json(candidate.card) for candidate in newest]
    indexed = {(card.id, card.url) for card in cards}
    stored = set(Issue.objects.filter(pk__in=[card.id for card in cards]).values_list("pk", "url"))
    strays = sorted(url for _, url in indexed - stored)
    return f"It holds other issues than the database, such as {strays[0]}." if strays else ""
