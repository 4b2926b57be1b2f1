"""A request through the served site: its id in its answer and in the logs of web, worker and database; the numbers."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.doubles.collector import Collector, collecting
from tests.drills.served import Answer, Served, end, served

pytestmark = pytest.mark.drill("A request is found again in logs, numbers and traces")

TOKEN = "only-for-the-tests"
WORKER = (
    sys.executable, "-m", "celery", "--quiet", "-A", "config.celery", "worker", "--queues", "diagnoses",
    "--concurrency", "1", "--loglevel", "INFO",
)  # fmt: skip
SETTINGS = {"LOG_FORMAT": "json", "METRICS_TOKEN": TOKEN, "GRANIAN_WORKERS": "2"}
OTLP = {"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_METRIC_EXPORT_INTERVAL": "500"}
LOG = b"[rank3]: RuntimeError: NCCL error: unhandled system error\n"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="module")
def site(database: Path, collector: Collector) -> Iterator[Served]:
    """Two web processes and a worker; PostgreSQL writes down every statement, as it does slow ones in production."""
    with served(database, **SETTINGS, **OTLP, **collector.settings) as site:
        site.postgres.query("ALTER DATABASE faultbook SET log_min_duration_statement = 0")
        worker = site.serve(WORKER)
        try:
            yield site
        finally:
            end(worker)


def lines(site: Served) -> list[dict[str, Any]]:
    return [json.loads(line) for line in site.log.read_text().splitlines()]


def wait_for(look: Callable[[], Any], seconds: float = 60) -> Any:
    """What is found, once it is there."""
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.05)
    assert found, "It never came."
    return found


def diagnose(site: Served, request_id: str) -> None:
    """Send a log that a worker reads."""
    headers = {"Content-Type": "text/plain", "Prefer": "respond-async", "X-Request-ID": request_id}
    request = Request(f"http://127.0.0.1:{site.port}/api/v1/diagnose", LOG, headers)
    with urlopen(request) as answer:  # noqa: S310 our own site
        assert answer.status == 202


def ask(site: Served, path: str, request_id: str, **headers: str) -> Answer:
    return site.ask(path, timeout=30, **{"X-Request-ID": request_id}, **headers)


def numbers(site: Served) -> dict[tuple[str, ...], float]:
    status, _, text = site.ask("/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    samples = (one for family in text_string_to_metric_families(text) for one in family.samples)
    return {(one.name, *(value for _, value in sorted(one.labels.items()))): one.value for one in samples}


def test_every_line_of_every_process_is_one_json_object(site: Served) -> None:
    site.ask("/")
    found = wait_for(lambda: [line for line in lines(site) if line.get("path") == "/"])
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines(site))
    assert found[0] == found[0] | {
        "level": "INFO", "logger": "faultbook.access", "method": "GET", "route": "home", "status": 200,
    }  # fmt: skip
    assert found[0]["ms"] > 0
    assert found[0]["bytes"] > 1_000


def test_an_id_that_is_well_formed_is_taken_and_no_other(site: Served) -> None:
    assert ask(site, "/", "from-a-proxy-1")[1]["x-request-id"] == "from-a-proxy-1"
    for other in ("", "short", "a" * 65, "no spaces please", "quote'--0000", "*/ SELECT 1 /*"):
        made = ask(site, "/healthz", other)[1]["x-request-id"]
        assert len(made) == 32
        assert made.isalnum()


def test_a_request_is_named_in_the_log_of_postgresql(site: Served) -> None:
    ask(site, "/codebook/?q=fresh", "in-the-database")
    wait_for(lambda: "SELECT /* request in-the-database */" in site.postgres.log.read_text())


def test_a_task_works_on_the_request_that_sent_it(site: Served) -> None:
    diagnose(site, "with-a-task-1")
    ours = wait_for(
        lambda: [line for line in lines(site) if line.get("task") and line.get("request_id") == "with-a-task-1"]
    )
    assert ours[0]["task"] == "kb.tasks.diagnose"
    assert "UPDATE /* request with-a-task-1 */" in site.postgres.log.read_text()


def test_what_is_asked_for_or_opens_something_is_in_no_log(site: Served) -> None:
    site.ask("/issues/?q=sesame-words")
    site.ask("/labeling/join/sesame-token/")
    site.ask("/diagnose/shared/sesame-share/")
    wait_for(lambda: [line for line in lines(site) if line.get("route") == "diagnose-shared"])
    assert "sesame" not in site.log.read_text()
    assert "/labeling/join/-/" in site.log.read_text()


def test_a_request_is_one_trace_with_its_statements(site: Served, collector: Collector) -> None:
    ask(site, "/issues/?q=sesame+hang", "with-a-trace-1", traceparent=f"00-{'1' * 32}-{'2' * 16}-01")
    request = wait_for(lambda: collector.span("faultbook.request_id", "with-a-trace-1"))
    assert (request.name, request.text("http.route")) == ("GET search", "search")
    assert request.trace != "1" * 32
    inside = wait_for(lambda: [span for span in collector.spans() if span.parent == request.id])
    assert {"kept page", "search"} <= {span.name for span in inside}
    trace = [span for span in collector.spans() if span.trace == request.trace]
    statements = [span.text("db.query.text") for span in trace if span.name == "SELECT"]
    assert "SELECT kb_settled_revision()" in statements
    assert {span.parent for span in trace} <= {"", *(span.id for span in trace)}


def test_a_task_joins_the_trace_of_its_request(site: Served, collector: Collector) -> None:
    diagnose(site, "with-a-task-2")
    request = wait_for(lambda: collector.span("faultbook.request_id", "with-a-task-2"))
    task = wait_for(lambda: collector.span("name", "kb.tasks.diagnose", trace=request.trace))
    parents = {span.id: span for span in collector.spans() if span.trace == request.trace}
    assert parents[task.parent].trace == request.trace
    assert {"diagnosis", "UPDATE"} <= {span.name for span in parents.values()}


def test_nothing_that_was_asked_or_sent_leaves(site: Served, collector: Collector) -> None:
    wait_for(lambda: collector.received("/v1/metrics"))
    sent = b"".join(collector.bodies)
    assert b"http.server.request.duration" in sent
    for text in (b"sesame", b"unhandled system error", TOKEN.encode()):
        assert text not in sent


def test_the_numbers_are_those_of_all_web_processes(site: Served) -> None:
    before = numbers(site)
    for _ in range(8):
        site.ask("/studies/")
    found = numbers(site)
    name = ("faultbook_requests_total", "GET", "studies", "2xx")
    assert found[name] - before.get(name, 0) == 8
    assert found["faultbook_request_seconds_count", "GET", "studies"] == found[name]
    assert found["faultbook_kept_pages_total", "hit"] >= 1
    assert found["faultbook_requests_in_progress",] == 1
    assert found["faultbook_requests_waiting",] == 0
    assert found["faultbook_queue_tasks", "celery"] == found["faultbook_queue_tasks", "diagnoses"] == 0
    assert found["faultbook_diagnosis_jobs", "done"] >= 1


def test_an_error_is_one_line_and_one_report_and_its_page_names_the_request(site: Served, collector: Collector) -> None:
    site.postgres.query("ALTER TABLE kb_study RENAME TO kb_study_away")
    status, _, text = ask(site, "/studies/claims?away=sesame", "an-error-page-1")
    assert status == 500
    assert "an-error-page-1" in text
    (line,) = wait_for(lambda: [one for one in lines(site) if "exception" in one])
    assert line["request_id"] == "an-error-page-1"
    assert line["exception"].startswith("Traceback")
    assert "UndefinedTable" in line["exception"]
    _, headers, text = ask(site, "/api/v1/studies/", "a-problem-1")
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(text)["request_id"] == "a-problem-1"
    reports = wait_for(lambda: collector.reports("an-error-page-1"))
    kinds = {exception["type"] for report in reports for exception in report["exception"]["values"]}
    assert "ProgrammingError" in kinds
    assert reports[0].keys().isdisjoint({"request", "user", "breadcrumbs", "extra", "contexts", "logentry"})
    assert b"sesame" not in b"".join(collector.bodies)
