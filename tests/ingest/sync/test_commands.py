"""`sync_repo` and `export_issues` as somebody at a terminal, or a script, meets them."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from ingest.hosts.asking import budget
from ingest.hosts.asking import retries as patience
from ingest.models import Cursor, Mirror
from kb.models import Issue
from tests.doubles.github import GitHubDouble, World
from tests.ingest.sync.conftest import TOKEN, Mirrored

Make = Callable[..., Mirrored]
FEW = {"issues": 30, "pulls": 15, "comments": 90, "seed": 4}
FIELDS = {
    "repo", "number", "node_id", "kind", "state", "state_reason", "title", "body", "labels", "comments", "user",
    "created_at", "updated_at", "closed_at", "fix_prs", "deleted", "transferred_to",
}  # fmt: skip


def sync_repo(name: str = "octo/engine", *options: str) -> str:
    out = StringIO()
    call_command("sync_repo", name, "--once", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def empty_house(settings: Settings, db: None) -> GitHubDouble:
    """A double, and no mirror yet."""
    double = GitHubDouble(World.generate(**FEW)).start()
    settings.GITHUB_API_URL, settings.GITHUB_GRAPHQL_URL = double.api_url, double.graphql_url
    settings.GITHUB_TOKENS, settings.GITHUB_TIMEOUT_SECONDS = [TOKEN], 2.0
    return double


def test_a_repository_that_nobody_knows_is_taken_up_and_mirrored(empty_house: GitHubDouble) -> None:
    said = sync_repo()
    assert said.startswith("octo/engine: 45 new, 0 changed")
    assert Mirror.objects.get().repository.framework.slug == "other"
    empty_house.stop()


def test_the_summary_counts_what_was_asked(mirrored: Make) -> None:
    mirrored(**FEW)
    sync_repo()
    poll, look = sync_repo().splitlines()
    assert "; 2 requests (2 free of charge)" in poll
    assert "; 1 requests (0 free of charge)" in look


def test_a_limit_ends_it_with_75_and_the_time_to_go_on(mirrored: Make, capsys: pytest.CaptureFixture[str]) -> None:
    replica = mirrored(**FEW)
    replica.double.faults.add("secondary_limit", count=1, seconds=90)
    with pytest.raises(SystemExit) as ended:
        sync_repo()
    assert ended.value.code == 75
    assert Cursor.objects.get().resume_at is not None
    asked = len(replica.double.requests)
    with pytest.raises(SystemExit) as again:
        sync_repo()
    assert again.value.code == 75
    assert len(replica.double.requests) == asked


def test_a_host_that_is_not_well_ends_it_with_a_plain_message(mirrored: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    replica = mirrored(**FEW)
    replica.double.faults.add("server_error", status=500)
    with pytest.raises(
        CommandError, match=r"GitHub is having trouble: it answered with status 500, 5 times in a row\."
    ):
        sync_repo()


def test_a_repository_that_is_not_there_is_said_to_be_missing(mirrored: Make) -> None:
    mirrored(**FEW)
    with pytest.raises(CommandError, match="GitHub has no repository octo/nowhere"):
        sync_repo("octo/nowhere")


def test_a_bad_token_is_said_to_be_bad(mirrored: Make) -> None:
    replica = mirrored(**FEW)
    replica.double.faults.add("unauthorized")
    with pytest.raises(CommandError, match="Check the tokens"):
        sync_repo()


@pytest.mark.parametrize("name", ["", "engine", "https://example.org/octo/engine"])
def test_a_name_that_is_none_is_refused(db: None, name: str) -> None:
    with pytest.raises(CommandError):
        sync_repo(name)


def test_without_a_token_links_made_in_the_side_bar_and_comments_of_pull_requests_are_missing_only(
    mirrored: Make, settings: Settings
) -> None:
    replica = mirrored(issues=8, pulls=4, comments=20, seed=4)
    settings.GITHUB_TOKENS = []
    sync_repo()
    pulls = {
        f"#{ref}: comments differ" for ref in Issue.objects.filter(kind="pull_request").values_list("ref", flat=True)
    }
    assert [line for line in replica.wrong() if "fix_prs" not in line and line not in pulls] == []


def test_without_a_token_the_limit_is_kept_to_and_what_came_until_then_is_kept(
    mirrored: Make, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "LONGEST_SPREAD", 0.01)
    replica = mirrored(issues=90, pulls=10, comments=90, seed=4)
    settings.GITHUB_TOKENS = []
    with pytest.raises(SystemExit) as ended:
        sync_repo()
    assert ended.value.code == 75
    assert Issue.objects.count() == 100
    assert not [asked for asked in replica.double.requests if asked.was_limited]


def test_the_export_has_a_line_for_each_with_all_its_fields(
    mirrored: Make, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    mirrored(**FEW)
    sync_repo()
    call_command("export_issues", "--repo", "octo/engine")
    rows = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert len(rows) == 45
    assert all(row.keys() == FIELDS for row in rows)
    assert [row["number"] for row in rows] == sorted(row["number"] for row in rows)


def test_the_export_of_an_unknown_repository_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match="There is no repository octo/nowhere here"):
        call_command("export_issues", "--repo", "octo/nowhere")
