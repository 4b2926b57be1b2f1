"""Every call of curl that a page shows is asked, and gives what it says."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.accounts.tokens import make_token
from kb.models import Issue
from kb.starter import example
from labeling.api.scopes import Scope
from tests.docs.markdown import GUIDES, Page
from tests.docs.shell import SITE, ask, commands
from tests.kb.diagnose.runs import FAILED, steps
from tests.labeling.factories import make_open_round
from tests.support.engines import PutIssuesIn

pytestmark = [pytest.mark.django_db, pytest.mark.contract]


def calls(page: Page, *, labeling: bool, **known: str) -> list[str]:
    """Its calls of curl, of labeling or all others."""
    found = commands("\n".join(page.blocks("", "sh")), known)
    return [call for call in found if ("/labeling/" in call) is labeling]


WITH_CALLS = [page for page in GUIDES if "curl " in "".join(page.blocks("", "sh"))]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The files that pages speak of, small."""
    for name in ("job.log", "rank0.log", "rank1.log.gz", "large.tar.gz"):
        (tmp_path / name).write_text(FAILED)
    (tmp_path / "good.log").write_text(steps(2_000))
    (tmp_path / "draft.md").write_text("Training hangs at step 120.\n")
    return tmp_path


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("page", WITH_CALLS, ids=str)
def test_each_call_gives_what_it_says(page: Page, client: Client, logs: Path, search_index: PutIssuesIn) -> None:
    search_index()
    known = {
        "id": str(Issue.objects.get(url__endswith=example.OLD_URL.rpartition("DeepSpeed")[2]).pk),
        "job": client.post("/api/v1/diagnose?wait=no", FAILED, content_type="text/plain").json()["url"],
    }
    known["job"] = known["job"].replace("http://testserver", SITE)
    empty = []
    for call in calls(page, labeling=False, **known):
        answer = ask(client, call, logs)
        assert answer.status_code in ((204,) if "-X DELETE" in call else (200, 202)), (call, answer.content[:300])
        if answer.status_code == 200 and not says_something(answer.json()):
            empty.append(call)
    # Records have no comments; they come with a mirror.
    assert [call for call in empty if "/comments/" not in call] == []


def says_something(answer: Any) -> bool:
    """Has a list a result, and a diagnosis a failure?"""
    return bool(answer.get("count", answer.get("verdict", answer) != "no_evidence"))


def test_each_call_of_labeling_is_taken(client: Client, tmp_path: Path) -> None:
    round_, (annotator,) = make_open_round(annotators=1, votes_wanted=1)
    _, secret = make_token(user=annotator.user, name="Script", scopes=[Scope.VOTE], days=7)
    found = [call for page in WITH_CALLS for call in calls(page, labeling=True, TOKEN=secret)]
    assert len(found) == 2
    for call in found:
        ours = call.replace("projects/hangs/rounds/1", f"projects/{round_.project.slug}/rounds/{round_.number}")
        answer = ask(client, ours, tmp_path)
        assert answer.status_code in (200, 201), (call, answer.content)
