"""What pages say is stored of a log is what is stored."""

import pytest
from django.test import Client

from kb.api.views import diagnose as api
from kb.core.diagnosis.reading.intake import MIB
from kb.diagnose.immediate import Waiting
from kb.models import DiagnosisFeedback, DiagnosisJob, DiagnosisUpload, SharedDiagnosis
from kb.models.diagnosis_jobs import KEPT
from kb.web.diagnose import page as web
from tests.docs.markdown import pages
from tests.kb.diagnose.runs import FAILED

STORES = (DiagnosisJob, DiagnosisUpload, SharedDiagnosis, DiagnosisFeedback)


def limits(waiting: Waiting) -> tuple[str, str, str]:
    return f"{waiting.sent // MIB} MB", f"{waiting.text // MIB} MB", f"{waiting.seconds:.0f} seconds"


def test_the_limits_are_those_that_hold() -> None:
    (diagnosing,), (calls,), (form,) = (
        pages(name) for name in ("docs/diagnosing.md", "docs/api.md", "templates/kb/diagnose/_form.html")
    )
    stored = diagnosing.text.partition("## What is stored\n")[2].partition("\n## ")[0]
    rows = {row.split(":")[0].removeprefix("| "): row for row in stored.splitlines()}
    sent, text, seconds = limits(web.AT_ONCE)
    assert f"at most {sent}, with at most {text} of text" in rows["to the page"]
    assert sent in form.text
    assert text in form.text
    sent, text, seconds_of_api = limits(api.AT_ONCE)
    assert f"at most {sent}, with at most {text} of text" in rows["to the API"]
    assert f"at most {sent}, with at most {text} of text" in calls.text
    assert seconds == seconds_of_api
    assert all(seconds in " ".join(one.split()) for one in (stored, calls.text, form.text))
    assert KEPT.total_seconds() == 3600


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "sent", "stored"),
    [
        ("/diagnose/", {"text": FAILED}, []),
        ("/api/v1/diagnose", {"text": FAILED}, []),
        ("/api/v1/diagnose?wait=no", {"text": FAILED}, [DiagnosisJob, DiagnosisUpload]),
    ],
)
def test_only_jobs_are_stored(client: Client, path: str, sent: dict[str, str], stored: list[type]) -> None:
    asked = client.post(path, sent, "application/json") if "/api/" in path else client.post(path, sent)
    assert asked.status_code in (200, 202)
    assert [model for model in STORES if model.objects.exists()] == stored
