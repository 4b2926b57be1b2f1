"""The numbers at /metrics are those that the docs list, and the dashboard and the alerts ask for no others."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest
import yaml
from django.test import Client
from django.urls import reverse
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from config.embedded.layout import ROOT
from config.telemetry.metrics import READINGS
from kb.health.heartbeat import record_heartbeat
from kb.health.numbers import COUNTED
from kb.health.readings import read_all
from kb.models import SearchHost
from tests.ingest.mirrors import make_mirror, make_run

DEPLOY = ROOT / "deploy"
ALERTS = DEPLOY / "prometheus/alerts.yml"
ROW = re.compile(r"^\| `(faultbook_\w+)` \| (\w+) \| (.*?)\| .+ \|$", re.MULTILINE)
NAME = re.compile(r"\bfaultbook_\w+")
PARTS = ("_bucket", "_count", "_sum")
TOKEN = "only-for-the-tests"


def documented() -> dict[str, tuple[str, set[str]]]:
    """Type and labels of each number in the table."""
    rows = ROW.findall((ROOT / "docs/running.md").read_text())
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def exported() -> dict[str, tuple[str, set[str]]]:
    return {_full_name(family): (family.type, _labels(family)) for family in (*COUNTED.collect(), *read_all(READINGS))}


def _full_name(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


def _labels(family: Metric) -> set[str]:
    own = getattr(COUNTED._names_to_collectors.get(family.name, family), "_labelnames", ())
    return set(own) | {name for sample in family.samples for name in sample.labels} - {"le"}


@pytest.mark.django_db
def test_the_docs_list_what_is_exported() -> None:
    make_run(make_mirror(), minutes_ago=2)
    record_heartbeat(sent_at=0)
    SearchHost.objects.create()
    assert documented() == exported()


def asked_in_dashboard() -> Iterator[str]:
    dashboard = json.loads((DEPLOY / "grafana/faultbook.json").read_text())
    return (target["expr"] for panel in dashboard["panels"] for target in panel["targets"])


def asked_in_alerts() -> Iterator[str]:
    return (rule["expr"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"])


@pytest.mark.parametrize("asked", [asked_in_dashboard, asked_in_alerts])
def test_dashboard_and_alerts_ask_for_numbers_that_are_documented(asked: Callable[[], Iterator[str]]) -> None:
    known = documented()
    whole = known.keys() | {name + part for name, (kind, _) in known.items() if kind == "histogram" for part in PARTS}
    names = {name for expression in asked() for name in NAME.findall(expression)}
    assert len(names) > 5
    assert names <= whole


def test_each_alert_says_what_to_do() -> None:
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len(rules) == 10
    for rule in rules:
        assert rule["annotations"].keys() == {"summary", "action", "runbook"}
        page, _, heading = rule["annotations"]["runbook"].partition("#")
        text = (ROOT / page).read_text().lower()
        assert not heading or f"\n## {heading.replace('-', ' ')}\n" in text.replace("`", "")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")
def test_alerts_are_on_where_they_should_be() -> None:
    command = ["promtool", "test", "rules", "alerts_test.yml"]
    done = subprocess.run(command, cwd=ALERTS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.django_db
def test_numbers_whose_server_is_away_are_left_out_and_named(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN, settings.REDIS_URL = TOKEN, "redis://127.0.0.1:1/0"
    text = client.get(reverse("metrics"), headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    read = {sample.labels["reading"]: sample.value for sample in families["faultbook_reading_ok"].samples}
    assert read == {"queues": 0, "processes": 1, "database": 1, "diagnoses": 1, "index_lag": 1, "mirrors": 1}
    assert "faultbook_queue_tasks" not in families
    assert families["faultbook_database_connections"].samples
