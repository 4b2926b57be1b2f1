"""Every program of the cookbook runs as it stands, after the beginning that all share, and prints something."""

import httpx
import pytest
from django.db import transaction
from pytest_django.live_server_helper import LiveServer

from config.embedded.layout import ROOT
from tests.docs.markdown import Page
from tests.docs.shell import SITE
from tests.support.engines import PutIssuesIn

BEGINNING, *PROGRAMS = Page(ROOT / "docs" / "cookbook.md").blocks("python")


@pytest.mark.django_db(transaction=True)
def test_each_program_runs(
    request: pytest.FixtureRequest,
    live_server: LiveServer,
    search_index: PutIssuesIn,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Keys among its rows are checked at the end of a transaction.
    with transaction.atomic():
        request.getfixturevalue("starter")
    search_index()
    assert len(PROGRAMS) >= 6
    for program in PROGRAMS:
        names: dict[str, object] = {}
        exec(BEGINNING.replace(SITE, live_server.url) + program, names)  # noqa: S102 - our own docs
        printed = capsys.readouterr().out
        assert printed.strip(), program
        client = names["api"]
        assert isinstance(client, httpx.Client)
        client.close()
