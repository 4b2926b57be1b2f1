"""One address holds only its share: diagnoses under way, how often it asks for one, and how often it searches."""

import datetime as dt
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from kb.diagnose import jobs
from kb.diagnose import worker as working
from kb.diagnose.request import ask
from kb.diagnose.shares import ShareTakenError, place_of
from kb.models import DiagnosisJob
from tests.kb.diagnose.runs import FAILED, handed_in, uploaded

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.drill("A packed log costs in proportion to its bytes, one address has its share"),
]
API, PAGE = "/api/v1/diagnose", "/diagnose/"
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.9"
Answer = Any


def by_api(client: Client, query: str = "", **extra: Any) -> Answer:
    return client.generic("POST", f"{API}{query}", FAILED, "text/plain", **extra)


def by_page(client: Client, **extra: Any) -> Answer:
    return client.post(PAGE, {"file": uploaded(FAILED.encode())}, **extra)


def set_rates(settings: Settings, **rates: str) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}


def job_of(visitor: str) -> DiagnosisJob:
    found = ask(files=[handed_in(FAILED.encode())], visitor=visitor, waiting=None)
    assert isinstance(found, DiagnosisJob)
    return found


def is_refused(visitor: str) -> bool:
    try:
        with place_of(visitor):
            return False
    except ShareTakenError:
        return True


class TestPlaces:
    def test_so_many_at_a_time_and_no_more(self, settings: Settings) -> None:
        settings.DIAGNOSIS_SHARE = 3
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(place_of(HERE))
            assert is_refused(HERE)
            assert not is_refused(ELSEWHERE)
        assert not is_refused(HERE)

    def test_a_place_is_free_again_after_an_error(self) -> None:
        for _ in range(3):
            with pytest.raises(KeyError), place_of(HERE):
                raise KeyError
        assert not is_refused(HERE)

    @pytest.mark.parametrize(
        "end",
        [
            lambda job: working.run(job_id=job.pk),
            lambda job: jobs.delete(job_id=job.pk),
            lambda job: DiagnosisJob.objects.filter(pk=job.pk).update(expires_at=timezone.now() - dt.timedelta(1)),
        ],
        ids=["it is done", "it is deleted", "its time is over"],
    )
    def test_a_job_holds_its_place_until_it_is_over(self, end: Callable[[DiagnosisJob], object]) -> None:
        job_of(HERE)
        last = job_of(HERE)
        assert is_refused(HERE)
        assert not is_refused(ELSEWHERE)
        end(last)
        assert not is_refused(HERE)
        job_of(HERE)
        assert is_refused(HERE)

    def test_a_job_that_could_not_be_started_holds_none(self, settings: Settings) -> None:
        settings.DIAGNOSIS_WAITING_MB = 0
        for _ in range(3):
            with pytest.raises(jobs.BusyError):
                job_of(HERE)
        assert not is_refused(HERE)


class TestFaces:
    @pytest.mark.parametrize("send", [by_api, by_page])
    def test_further_ones_are_refused_with_when_to_come_again(self, client: Client, send: Any) -> None:
        with place_of(HERE), place_of(HERE):
            refused = send(client)
            assert refused.status_code == 429
            assert int(refused["Retry-After"]) > 0
            assert "being read already" in refused.content.decode()
            assert send(client, REMOTE_ADDR=ELSEWHERE).status_code == 200
        assert send(client).status_code == 200

    def test_jobs_and_answers_of_both_faces_share(self, client: Client) -> None:
        job = by_api(client, "?wait=no").json()
        assert by_page(client).status_code == 200
        with place_of(HERE):
            assert by_page(client).status_code == 429
            assert by_api(client).status_code == 429
            working.run(job_id=uuid.UUID(job["id"]))
            assert by_api(client).status_code == 200


class TestRates:
    def test_the_page_and_the_api_count_diagnoses_together(self, client: Client, settings: Settings) -> None:
        set_rates(settings, diagnosis="2/hour")
        assert (by_api(client).status_code, by_page(client).status_code) == (200, 200)
        refused = by_page(client)
        assert refused.status_code == 429
        assert 0 < int(refused["Retry-After"]) <= 3600
        assert "faster than they can be read" in refused.content.decode()
        assert by_api(client).status_code == 429
        assert by_page(client, REMOTE_ADDR=ELSEWHERE).status_code == 200
        assert client.get(PAGE).status_code == 200

    def test_a_refused_form_is_not_taken_apart(self, settings: Settings) -> None:
        set_rates(settings, diagnosis="0/hour")
        answer = Client().post(PAGE, b"nothing", content_type="multipart/form-data")
        assert answer.status_code == 429

    @pytest.mark.parametrize("page", ["/issues/?q=hang", "/issues/reported/?title=hang"])
    def test_searches_of_pages_and_api_count_together(self, client: Client, settings: Settings, page: str) -> None:
        set_rates(settings, search="3/hour")
        assert client.get(page).status_code == 200
        last = client.get("/api/v1/search/", {"q": "hang"})
        assert (last.status_code, last["RateLimit-Remaining"]) == (200, "1")
        assert client.get("/api/v1/search/similar/", {"title": "hang"}).status_code == 200
        refused = client.get(page)
        assert refused.status_code == 429
        assert 0 < int(refused["Retry-After"]) <= 3600
        assert "no-store" in refused["Cache-Control"]
        assert "Too many requests" in refused.content.decode()
        assert client.get("/api/v1/search/", {"q": "hang"}).status_code == 429
        assert client.get("/api/v1/issues/").status_code == 200
        assert client.get(page, REMOTE_ADDR=ELSEWHERE).status_code == 200

    def test_of_two_limits_the_nearest_is_told(self, client: Client, settings: Settings) -> None:
        set_rates(settings, anon="5/hour", search="9/hour")
        assert client.get("/api/v1/search/")["RateLimit-Limit"] == "5"
        set_rates(settings, anon="50/hour", search="9/hour")
        assert client.get("/api/v1/search/")["RateLimit-Limit"] == "9"

    def test_the_limits_are_generous_unless_the_site_says_otherwise(self, settings: Settings) -> None:
        rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
        assert (rates["search"], rates["diagnosis"], settings.DIAGNOSIS_SHARE) == ("600/min", "30/min", 2)
