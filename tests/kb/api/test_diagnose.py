"""The API's diagnoses: small logs are answered at once, larger ones by a job, in whatever form they come."""

import datetime as dt
import gzip
import json
import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from kb.api.views.diagnose import AT_ONCE
from kb.diagnose import worker as working
from kb.diagnose.immediate import answer_at_once
from kb.models import DiagnosisJob, DiagnosisUpload
from tests.kb.diagnose.runs import ERROR, FAILED, as_tar, as_zip, failed_run, handed_in, steps, uploaded

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/diagnose"
MIB = 1 << 20


def post(client: Client, content: bytes | str, media_type: str = "text/plain", query: str = "", **headers: str) -> Any:
    return client.generic("POST", ADDRESS + query, content, media_type, headers=headers)


def post_form(client: Client, files: Mapping[str, Any]) -> Any:
    return client.post(ADDRESS, files)


def is_nothing_stored() -> bool:
    return not DiagnosisJob.objects.exists() and not DiagnosisUpload.objects.exists()


class TestAnAnswerAtOnce:
    def test_it_is_the_diagnosis_that_every_face_shows(self, client: Client) -> None:
        response = post(client, FAILED, query="?name=job.log")
        expected = answer_at_once(files=[handed_in(FAILED.encode())], waiting=AT_ONCE)
        assert response.status_code == 200
        assert response.json() == json.loads(json.dumps(expected))
        assert response.json()["verdict"] == "failure"
        assert [line["line"] for line in response.json()["lines"] if ERROR in line["text"]] == [6]

    @pytest.mark.parametrize(
        ("content", "media_type"),
        [
            (FAILED, "text/plain"),
            (FAILED, "text/plain; charset=utf-8"),
            (FAILED, "application/octet-stream"),
            (FAILED, ""),
            (gzip.compress(FAILED.encode(), mtime=0), "application/gzip"),
            (gzip.compress(FAILED.encode(), mtime=0), "application/octet-stream"),
            (as_tar({"rank3.log": FAILED.encode()}), "application/octet-stream"),
            (as_zip({"rank3.log": FAILED.encode()}), "application/zip"),
            (json.dumps({"text": FAILED}), "application/json"),
            (json.dumps({"text": FAILED, "name": "a"}), "application/json; charset=utf-8"),
        ],
    )
    def test_it_comes_for_a_body_of_any_form(self, client: Client, content: Any, media_type: str) -> None:
        found = post(client, content, media_type)
        assert found.status_code == 200, found.content
        assert ERROR in found.json()["lines"][0]["text"]
        assert is_nothing_stored()

    def test_a_form_has_one_file_of_each_rank_beside_healthy_ones(self, client: Client) -> None:
        ranks = [uploaded(FAILED.encode(), "rank3.log"), uploaded(steps(500).encode(), "rank0.log")]
        found = post_form(client, {"file": ranks, "healthy": uploaded(steps(500).encode(), "ok.log")}).json()
        assert found["stats"]["files"] == 2
        assert found["lines"][0]["file"] == "rank3.log"

    def test_what_healthy_runs_say_too_is_not_blamed(self, client: Client) -> None:
        noise = "ERROR heartbeat of the watcher failed with code 7\n"
        alone = post_form(client, {"file": uploaded((noise + FAILED).encode())}).json()
        beside = post_form(
            client, {"file": uploaded((noise + FAILED).encode()), "healthy": uploaded((noise * 3).encode())}
        ).json()
        assert any("watcher" in line["text"] for line in alone["lines"])
        assert not any("watcher" in line["text"] and line["indicated"] for line in beside["lines"])

    def test_thousands_of_files_are_taken(self, client: Client) -> None:
        files = [uploaded(f"iteration {rank} lr 1\n".encode(), f"rank{rank}.log") for rank in range(1_500)]
        found = post_form(client, {"file": [*files, uploaded(FAILED.encode(), "last.log")]}).json()
        assert found["stats"]["files"] == 1_501
        assert found["lines"][0]["file"] == "last.log"

    def test_nobody_keeps_it(self, client: Client) -> None:
        response = post(client, FAILED)
        assert response.headers["Cache-Control"] == "no-store"
        assert "ETag" not in response.headers
        assert not response.cookies
        assert is_nothing_stored()

    def test_the_last_slash_may_be_there(self, client: Client) -> None:
        assert client.generic("POST", f"{ADDRESS}/", FAILED, "text/plain").status_code == 200

    def test_no_session_and_no_token_is_asked_for(self) -> None:
        assert post(Client(enforce_csrf_checks=True), FAILED).status_code == 200


class TestAJob:
    @pytest.mark.parametrize(
        ("query", "headers"),
        [("?wait=no", {}), ("", {"Prefer": "respond-async"}), ("", {"Prefer": "a=b, Respond-Async"})],
    )
    def test_it_is_made_when_asked_for(self, client: Client, query: str, headers: dict[str, str]) -> None:
        response = post(client, FAILED, query=query, **headers)
        job = response.json()
        assert response.status_code == 202
        assert response.headers["Location"] == job["url"] == f"http://testserver{ADDRESS}/jobs/{job['id']}"
        assert response.headers["Retry-After"] == "1"
        assert (job["state"], job["progress"], job["result"]) == ("waiting", 0.0, None)
        assert job["files"] == [{"name": "log", "bytes": len(FAILED), "healthy": False}]
        assert bytes(DiagnosisUpload.objects.get().content) == FAILED.encode()

    def test_it_is_made_of_more_than_five_megabytes(self, client: Client) -> None:
        assert post(client, failed_run(5 * MIB - 2_000)).status_code == 200
        assert post(client, failed_run(5 * MIB)).status_code == 202

    def test_it_is_made_of_little_that_holds_much(self, client: Client) -> None:
        packed = gzip.compress(steps(10_000).encode() * 7_000)
        assert len(packed) < 5 * MIB
        assert post(client, packed, "application/gzip").status_code == 202

    def test_its_result_is_what_would_have_been_answered_at_once(self, client: Client) -> None:
        at_once = post(client, FAILED).json()
        job = post(client, FAILED, query="?wait=no").json()
        working.run(job_id=uuid.UUID(job["id"]))
        found = client.get(job["url"]).json()
        assert (found["state"], found["progress"], found["error"]) == ("done", 1.0, None)
        assert found["result"] == at_once
        assert found["bytes_given"] == found["bytes_taken"] == len(FAILED)
        assert not DiagnosisUpload.objects.exists()

    def test_what_cannot_be_read_is_refused_in_words(self, client: Client) -> None:
        job = post(client, bytes(range(32)) * 99, "application/octet-stream", query="?wait=no").json()
        working.run(job_id=uuid.UUID(job["id"]))
        found = client.get(job["url"]).json()
        assert (found["state"], found["result"]) == ("refused", None)
        assert "does not look like a text log" in found["error"]

    def test_it_is_deleted_with_all_that_is_left_of_it(self, client: Client) -> None:
        job = post(client, FAILED, query="?wait=no").json()
        assert client.delete(job["url"]).status_code == 204
        assert is_nothing_stored()
        assert client.get(job["url"]).status_code == 404
        assert client.delete(job["url"]).status_code == 404

    def test_it_is_gone_when_its_hour_is_over(self, client: Client) -> None:
        job = post(client, FAILED, query="?wait=no").json()
        DiagnosisJob.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
        found = client.get(job["url"])
        assert found.status_code == 404
        assert found.json()["status"] == 404

    def test_looking_after_it_is_kept_by_nobody(self, client: Client) -> None:
        job = post(client, FAILED, query="?wait=no").json()
        assert client.get(job["url"]).headers["Cache-Control"] == "no-store"

    def test_a_worker_is_told_once_it_is_written_down(
        self, client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
    ) -> None:
        with django_capture_on_commit_callbacks() as callbacks:
            post(client, FAILED, query="?wait=no")
        assert len(callbacks) == 1


class TestLimits:
    def test_a_client_may_not_ask_too_often(self, client: Client, settings: Settings) -> None:
        rates = {"anon": "600/min", "diagnosis": "2/min"}
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}
        answers = [post(client, FAILED) for _ in range(3)]
        assert [one.status_code for one in answers] == [200, 200, 429]
        assert answers[1].headers["RateLimit-Remaining"] == "0"
        assert int(answers[2].headers["Retry-After"]) >= 1
        assert client.get("/api/v1/").status_code == 200

    def test_more_than_an_upload_may_be_is_refused_before_it_is_read(self, client: Client, settings: Settings) -> None:
        settings.DIAGNOSIS_UPLOAD_MB = 1
        response = post(client, failed_run(3 * MIB))
        assert response.status_code == 413
        assert "More than 1 MB" in response.json()["detail"]
        assert is_nothing_stored()

    def test_files_of_a_form_count_together(self, client: Client, settings: Settings) -> None:
        settings.DIAGNOSIS_UPLOAD_MB = 1
        half = failed_run(700_000)
        response = post_form(client, {"file": uploaded(half), "healthy": [uploaded(half), uploaded(half)]})
        assert response.status_code == 413
        assert is_nothing_stored()

    def test_no_more_is_taken_while_too_much_waits(self, client: Client, settings: Settings) -> None:
        settings.DIAGNOSIS_WAITING_MB = 1
        assert post(client, failed_run(600_000), query="?wait=no").status_code == 202
        response = post(client, failed_run(600_000), query="?wait=no")
        assert response.status_code == 429
        assert response.headers["Retry-After"] == "60"
        assert DiagnosisJob.objects.count() == 1


def test_only_what_is_meant_is_answered(client: Client) -> None:
    assert client.get(ADDRESS).status_code == 405
    assert client.get(ADDRESS).headers["Content-Type"] == "application/problem+json"
    assert client.get(f"{ADDRESS}/jobs/{uuid.uuid4()}").status_code == 404
    assert client.get(f"{ADDRESS}/jobs/1").status_code == 404
    assert client.options(ADDRESS).status_code == 204
    assert post(client, FAILED, query="?wait=maybe").json()["errors"][0]["parameter"] == "wait"
    assert post(client, FAILED, query="?nmae=a").json()["errors"][0]["parameter"] == "nmae"
    assert client.get("/api/v1/").json()["diagnose"] == f"http://testserver{ADDRESS}"
