"""/metrics says of mirrors what the status page says, to anyone who shows the token, in Prometheus's format."""

import datetime as dt

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from ingest.models import Pending
from ingest.services.deliveries import ask_reading
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored, make_run

pytestmark = pytest.mark.django_db
TOKEN = "only-for-the-tests"
OWN = {"host": "github.com", "repository": "octo/engine"}


@pytest.fixture(autouse=True)
def _token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


def numbers(client: Client, **labels: str) -> dict[str, float]:
    """The numbers that bear these labels, by name."""
    response = client.get(reverse("metrics"), headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {one.name: one.value for family in families for one in family.samples if one.labels == labels}


def test_tells_how_a_mirror_is(client: Client) -> None:
    mirror = make_mirror()
    make_run(mirror, minutes_ago=2, requests=7, not_modified=3, budget_left=4_000)
    Pending.objects.create(mirror=mirror, issue=make_mirrored(mirror, 1))
    make_left_out(mirror, 8)
    found = numbers(client, **OWN)
    assert 240 <= found.pop("faultbook_mirror_lag_seconds") < 300
    assert found.pop("faultbook_mirror_last_run_seconds") == pytest.approx(2, abs=1)
    assert found == {
        "faultbook_mirror_late": 0,
        "faultbook_mirror_on": 1,
        "faultbook_mirror_running": 0,
        "faultbook_mirror_left_out": 1,
        "faultbook_mirror_pending": 1,
        "faultbook_mirror_requests_last_day": 7,
        "faultbook_mirror_not_modified_last_day": 3,
        "faultbook_mirror_budget_left": 4_000,
    }
    assert numbers(client, **OWN, kind="issue") == {"faultbook_mirror_held": 1}
    assert numbers(client, **OWN, status="done") == {"faultbook_mirror_last_run_status": 1}
    assert numbers(client, **OWN, status="failed") == {"faultbook_mirror_last_run_status": 0}


def test_the_alert_is_on_above_three_intervals(client: Client) -> None:
    make_mirror(fresh_at=timezone.now() - dt.timedelta(minutes=46))
    assert numbers(client, **OWN)["faultbook_mirror_late"] == 1


def test_a_mirror_that_was_never_complete_has_no_lag(client: Client) -> None:
    make_mirror(is_complete=False, fresh_at=None)
    assert "faultbook_mirror_lag_seconds" not in numbers(client, **OWN)


def test_tells_how_many_deliveries_wait(client: Client) -> None:
    assert numbers(client)["faultbook_deliveries_waiting"] == 0
    ask_reading(repository=make_mirror().repository, ref="7")
    assert numbers(client)["faultbook_deliveries_waiting"] == 1


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer é"])
def test_is_not_there_for_anybody_else(client: Client, shown: str) -> None:
    assert client.get(reverse("metrics"), headers={"Authorization": shown}).status_code == 404


def test_is_not_there_where_no_token_is_set(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    for shown in ("", "Bearer ", "Bearer"):
        assert client.get(reverse("metrics"), headers={"Authorization": shown}).status_code == 404


def test_takes_a_fixed_number_of_queries(client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(20):
        make_run(make_mirror(f"octo/engine-{number}"))
    with django_assert_max_num_queries(16):
        client.get(reverse("metrics"), headers={"Authorization": f"Bearer {TOKEN}"})
