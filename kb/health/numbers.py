"""What the web processes count as they work, for Prometheus; what is read from the servers is in `readings`.

The processes of one host share what they count through files in a folder that `config.serve` makes.
"""

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, multiprocess

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

COUNTED = CollectorRegistry()
REQUESTS = Counter(
    "faultbook_requests",
    "Requests answered, by the name of their address, method and class of status",
    ("route", "method", "status"),
    registry=COUNTED,
)
REQUEST_SECONDS = Histogram(
    "faultbook_request_seconds",
    "From a request's arrival to the beginning of its answer",
    ("route", "method"),
    buckets=SECONDS,
    registry=COUNTED,
)
REFUSED = Counter(
    "faultbook_requests_refused", "Requests refused before Django saw them, by status", ("status",), registry=COUNTED
)
IN_PROGRESS = Gauge(
    "faultbook_requests_in_progress",
    "Requests that have come and are not answered whole",
    registry=COUNTED,
    multiprocess_mode="livesum",
)
WAITING = Gauge(
    "faultbook_requests_waiting", "Requests that wait for a thread", registry=COUNTED, multiprocess_mode="livesum"
)
KEPT_PAGES = Counter(
    "faultbook_kept_pages", "Pages that may be kept: found (hit) or made (miss)", ("result",), registry=COUNTED
)
DIAGNOSIS_SECONDS = Histogram(
    "faultbook_diagnosis_seconds",
    "How long diagnoses took that were answered at once",
    buckets=(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0),
    registry=COUNTED,
)


def counted() -> CollectorRegistry:
    """What all web processes of this host counted, or this process alone where it shares nothing."""
    if FOLDER not in os.environ:
        return COUNTED
    for file in Path(os.environ[FOLDER]).glob("gauge_live*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not _is_alive(process):
            multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
