"""The page of diagnosis: the form, its answers, what is refused and how, jobs, and that nothing is stored."""

import base64
import gzip
import re
import uuid
from typing import TYPE_CHECKING

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client
from pytest_django import Settings

from kb.diagnose import jobs
from kb.diagnose import worker as working
from kb.diagnose.answer import answer
from kb.diagnose.immediate import Waiting
from kb.diagnose.uploads import input_files, text_upload
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.web.diagnose import page as diagnose_page
from kb.web.diagnose.example import EXAMPLE
from kb.web.diagnose.result import answer_context
from tests.kb.diagnose.runs import ERROR, FAILED
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_node

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
PAGE = "/diagnose/"


def words_of(response: "Response") -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def send(client: Client, **fields: object) -> "Response":
    return client.post(PAGE, fields)


def log(content: bytes = FAILED.encode(), name: str = "rank3.log") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


class TestAnswering:
    def test_a_pasted_text_is_answered_at_once(self, client: Client) -> None:
        answer = send(client, text=FAILED)
        assert answer.status_code == 200
        words = words_of(answer)
        assert "The run failed" in words
        assert "pasted.log:6" in words

    def test_a_file_is_answered_by_its_name(self, client: Client) -> None:
        assert "rank3.log:6" in words_of(send(client, file=log()))

    def test_a_compressed_file_is_unpacked(self, client: Client) -> None:
        assert "rank3.log:6" in words_of(send(client, file=log(gzip.compress(FAILED.encode()), "rank3.log.gz")))

    def test_what_healthy_runs_say_too_is_taken(self, client: Client) -> None:
        assert "rank3.log:6" in words_of(send(client, file=log(), healthy=log(b"iteration 1 loss 2\n", "ok.log")))

    def test_the_example_is_answered_by_one_link(self, client: Client) -> None:
        address = f"{PAGE}?example=yes"
        assert visit(client, PAGE).links[address].strip() == "Try an example"
        answer = client.get(address)
        close_up = answer.context["close_up"]
        assert "torch.OutOfMemoryError" in next(row.text for row in close_up.rows if row.line == close_up.line)
        assert "made-up log" in words_of(answer)

    def test_the_signal_says_what_it_means_and_where_that_is_from(self, client: Client) -> None:
        answer = send(client, text=FAILED)
        known = answer.context["first"][0].notes[0].known
        assert known.means.rstrip(".") in words_of(answer)
        assert known.source in answer.content.decode()

    def test_causes_lead_to_the_codebook(self, client: Client) -> None:
        cause = answer_causes(send(client, text=FAILED))[0]["code"]
        node = make_node(cause, axis=make_axis("root_cause"), name="Too little memory")
        answer = send(client, text=FAILED)
        assert answer_causes(answer)[0]["name"] == "Too little memory"
        assert f'href="{node.get_absolute_url()}"' in answer.content.decode()

    def test_the_download_is_the_data_of_the_page(self, client: Client) -> None:
        answer = send(client, text=FAILED)
        address = answer.context["download"]
        assert orjson.loads(base64.b64decode(address.partition(",")[2])) == orjson.loads(
            orjson.dumps(answer.context["data"])
        )

    @pytest.mark.parametrize(
        ("text", "title", "next_words"),
        [
            (
                "iteration 1 loss 2.0\niteration 2 loss 1.9\ntraining complete\n",
                "No failure found",
                "If the run did fail",
            ),
            ("hello\nworld\n", "No evidence in this log", "What to add"),
            (
                "iteration 1 loss 2.0\nslurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-01-01T10:00:00 ***\n",
                "The run was stopped from outside",
                "What ended the run",
            ),
        ],
        ids=["healthy", "no evidence", "cancelled"],
    )
    def test_every_verdict_has_its_words(self, client: Client, text: str, title: str, next_words: str) -> None:
        words = words_of(send(client, text=text))
        assert title in words
        assert next_words in words

    def test_a_failure_without_known_issues_says_so(self, client: Client) -> None:
        assert "None known: no issue has this error, or one of its kind." in words_of(send(client, text=FAILED))

    def test_what_the_log_says_is_text_not_markup(self, client: Client) -> None:
        answer = send(client, file=log(f"<script>alert(1)</script> {ERROR}\n".encode(), "<b>.log"))
        content = answer.content.decode()
        assert "<script>alert" not in content
        assert "<b>.log" not in content

    def test_nothing_is_stored_and_nothing_is_cached(self, client: Client) -> None:
        answer = send(client, file=log())
        assert not DiagnosisJob.objects.exists()
        assert "no-store" in answer["Cache-Control"]


def answer_causes(answer: "Response") -> list[dict[str, str]]:
    return list(answer.context["causes"])


class TestRefusing:
    def test_an_empty_form_says_what_to_do(self, client: Client) -> None:
        answer = send(client, text="  \n")
        assert answer.status_code == 400
        assert "There is no log yet." in words_of(answer)

    def test_healthy_logs_alone_are_not_enough(self, client: Client) -> None:
        answer = send(client, healthy=log())
        assert answer.status_code == 400
        assert "only healthy logs" in words_of(answer)

    def test_what_is_no_text_is_refused_in_words(self, client: Client) -> None:
        answer = send(client, file=log(bytes(range(1, 32)) * 300, "core.bin"))
        assert answer.status_code == 400
        assert "does not look like a text log" in words_of(answer)

    def test_more_than_is_taken_is_refused_while_it_is_read(self, client: Client, settings: Settings) -> None:
        settings.DIAGNOSIS_UPLOAD_MB = 1
        answer = send(client, file=log(b"x\n" * 600_000))
        assert answer.status_code == 413
        assert "More than 1 MB were sent" in words_of(answer)

    def test_too_long_a_text_is_to_be_a_file(self, client: Client) -> None:
        answer = send(client, text="x\n" * 1_500_000)
        assert answer.status_code == 413
        assert "Save it as a file" in words_of(answer)

    def test_a_broken_form_is_refused(self, client: Client) -> None:
        answer = client.post(PAGE, b"nothing", content_type="multipart/form-data")
        assert answer.status_code == 400
        assert "Send it again" in words_of(answer)

    def test_a_forged_request_is_refused(self) -> None:
        answer = Client(enforce_csrf_checks=True).post(PAGE, {"file": log()})
        assert answer.status_code == 403

    def test_a_request_with_the_pages_token_is_taken(self) -> None:
        client = Client(enforce_csrf_checks=True)
        token = visit(client, PAGE).inputs["csrfmiddlewaretoken"]
        assert client.post(PAGE, {"csrfmiddlewaretoken": token, "file": log()}).status_code == 200


class TestJobs:
    @pytest.fixture
    def no_waiting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(diagnose_page, "AT_ONCE", Waiting(sent=10, text=10))

    @pytest.mark.usefixtures("no_waiting")
    def test_what_is_too_large_for_an_answer_leads_to_a_job(self, client: Client) -> None:
        answer = send(client, file=log())
        job = DiagnosisJob.objects.get()
        assert (answer.status_code, answer["Location"]) == (302, f"/diagnose/jobs/{job.pk}/")

    def test_a_job_says_how_far_it_is_and_looks_again(self, client: Client) -> None:
        job = jobs.start(files=[text_upload(FAILED, "a.log")])
        answer = client.get(f"/diagnose/jobs/{job.pk}/")
        content = answer.content.decode()
        assert "Waiting for a worker" in content
        assert "Look again" in content
        assert f'data-poll="/diagnose/jobs/{job.pk}/"' in content

    def test_a_job_that_is_done_shows_its_result_and_when_it_goes(self, client: Client) -> None:
        job = jobs.start(files=[text_upload(FAILED, "a.log")])
        assert working.run(job_id=job.pk)
        words = words_of(client.get(f"/diagnose/jobs/{job.pk}/"))
        assert "a.log:6" in words
        assert "What you sent is deleted already" in words

    def test_a_job_that_was_refused_says_why(self, client: Client) -> None:
        job = jobs.start(files=[text_upload("\x01\x02\x03" * 1000, "core")])
        working.run(job_id=job.pk)
        assert "does not look like a text log" in words_of(client.get(f"/diagnose/jobs/{job.pk}/"))

    def test_a_job_can_be_cancelled_with_all_that_was_sent(self, client: Client) -> None:
        job = jobs.start(files=[text_upload(FAILED, "a.log")])
        answer = client.post(f"/diagnose/jobs/{job.pk}/delete/", follow=True)
        assert "Deleted, with everything" in words_of(answer)
        assert not DiagnosisJob.objects.exists()
        assert not DiagnosisUpload.objects.exists()

    def test_a_job_that_is_gone_says_so(self, client: Client) -> None:
        answer = client.get(f"/diagnose/jobs/{uuid.uuid4()}/")
        assert answer.status_code == 404
        assert "its hour was over" in words_of(answer)


def test_the_page_keeps_to_the_content_policy(client: Client) -> None:
    assert visit(client, PAGE).inline == []


def test_every_page_leads_to_it(client: Client) -> None:
    assert visit(client, "/about/").links[PAGE].strip() == "Diagnose"


def test_no_line_of_the_log_is_shown_twice(client: Client) -> None:
    numbers = [row.line for passage in send(client, text=EXAMPLE).context["first"] for row in passage.rows]
    assert numbers
    assert len(numbers) == len(set(numbers))


class TestTheAnswer:
    def test_it_is_the_verdict_then_what_to_do_then_proof(self, client: Client) -> None:
        html = send(client, text=FAILED).content.decode()
        order = [html.index(f'id="{part}-heading"') for part in ("steps", "line", "issues", "rank", "timeline", "more")]
        assert html.index("<h1") < order[0]
        assert order == sorted(order)

    def test_the_failing_line_stands_between_the_six_around_it(self, client: Client) -> None:
        close_up = send(client, text=EXAMPLE).context["close_up"]
        lines = [row.line for row in close_up.rows]
        assert lines == list(range(close_up.line - 3, close_up.line + 4))
        assert [row.line for row in close_up.rows if row.role] == [close_up.line]

    def test_forms_and_downloads_are_closed_until_asked_for(self, client: Client) -> None:
        page = send(client, text=FAILED).content.decode()
        for name in ("share", "feedback"):
            assert re.search(rf'<details class="no-print" id="{name}"\s*>', page)

    def test_it_can_stand_in_another_page(self) -> None:
        data = answer(files=input_files([text_upload(FAILED, "pasted.log")], healthy=False))
        html = render_to_string("kb/diagnose/_answer.html", {**answer_context(data), "is_inline": True})
        assert "<h1" not in html
        assert "pasted.log:6" in html
