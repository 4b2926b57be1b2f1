"""`manage.py add_repository`: one address or a list, as often as one likes, with plain words for what is wrong."""

import datetime as dt

import pytest
from django.core.management import CommandError, call_command

from ingest.models import Cursor, KeywordList, Mirror
from ingest.scope.repository_lists import wanted_repositories
from ingest.services.keyword_lists import UnknownKeywordListError, ensure_keyword_list, ensure_keyword_lists
from kb.models import Framework, Repository

pytestmark = pytest.mark.django_db


def test_one_repository_is_added_with_its_wishes(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "add_repository", "https://github.com/pytorch/pytorch", "--keywords=pytorch", "--interval=20",
        "--since=2024-01-31",
    )  # fmt: skip
    mirror = Mirror.objects.get()
    assert (mirror.repository.full_name, mirror.repository.framework.slug) == ("pytorch/pytorch", "pytorch")
    assert (mirror.interval_minutes, mirror.backfill_from) == (20, dt.date(2024, 1, 31))
    assert mirror.keywords is not None
    assert mirror.keywords.name == "pytorch"
    assert Cursor.objects.get().mirror == mirror
    assert capsys.readouterr().out.splitlines() == [
        "https://github.com/pytorch/pytorch: added; PyTorch, asked every 20 minutes, keeps what holds a word of the"
        " list pytorch, from 2024-01-31 on.",
        "1 added, 0 there already.",
    ]


def test_a_short_name_is_one_on_github_and_an_old_name_leads_to_the_present_one() -> None:
    call_command("add_repository", "microsoft/DeepSpeed")
    assert Mirror.objects.get().repository.url == "https://github.com/deepspeedai/DeepSpeed"
    assert not Framework.objects.filter(slug="other").exists()


def test_a_repository_new_to_us_is_filed_where_it_is_said_to_belong() -> None:
    call_command("add_repository", "acme/rocket", "--framework=vllm")
    call_command("add_repository", "acme/sledge")
    found = dict(Repository.objects.filter(full_name__startswith="acme/").values_list("full_name", "framework__slug"))
    assert found == {"acme/rocket": "vllm", "acme/sledge": "other"}


def test_a_second_call_changes_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("add_repository", "vllm-project/vllm", "--interval=30")
    before = list(Mirror.objects.values())
    capsys.readouterr()
    call_command("add_repository", "vllm-project/vllm", "--interval=5")
    assert list(Mirror.objects.values()) == before
    assert capsys.readouterr().out.splitlines() == [
        "https://github.com/vllm-project/vllm: there already, unchanged; vLLM, asked every 30 minutes,"
        " keeps everything.",
        "0 added, 1 there already.",
    ]


def test_all_lists_are_added_once() -> None:
    call_command("add_repository", "--list=all")
    call_command("add_repository", "--list=all")
    wanted = wanted_repositories(name="all")
    assert {mirror.repository.url for mirror in Mirror.objects.select_related("repository")} == {
        one.url for one in wanted
    }
    words = {mirror.repository.url: mirror.keywords_id and str(mirror.keywords) for mirror in Mirror.objects.all()}
    assert words == {one.url: one.keywords or None for one in wanted}


def test_a_list_may_be_asked_at_another_interval() -> None:
    call_command("add_repository", "--list=inference", "--interval=45", "--since=2025-01-01")
    assert set(Mirror.objects.values_list("interval_minutes", "backfill_from")) == {(45, dt.date(2025, 1, 1))}


def test_a_dry_run_keeps_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("add_repository", "--list=general", "--dry-run")
    assert not Mirror.objects.exists()
    assert not KeywordList.objects.exists()
    assert capsys.readouterr().out.splitlines()[-2:] == ["2 added, 0 there already.", "Dry run: nothing was saved."]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "either a repository's address or --list NAME"),
        (["a/b", "--list=all"], "either a repository's address or --list NAME"),
        (["--list=all", "--keywords=llm"], "are for one repository"),
        (["--list=rocket"], "no list is called 'rocket'; there are: all, training"),
        (["a/b", "--keywords=rocket"], "no keyword list is called 'rocket'; there are: llm, mindspore, pytorch"),
        (["a/b", "--framework=rocket"], "'rocket' is no framework's slug"),
        (["a/b", "--interval=0"], "between 1 and 10080 minutes"),
        (["a/b", "--since=yesterday"], "a day such as 2024-12-31"),
        (["a/b", "--since=2199-01-01"], "is in the future"),
        (["https://example.org/a/b"], "unknown host 'example.org'"),
        (["rocket"], "the address names no repository"),
    ],
)
def test_what_cannot_be_done_is_said_in_plain_words_and_leaves_nothing(arguments: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("add_repository", *arguments)
    assert not Mirror.objects.exists()
    assert not Repository.objects.filter(full_name="a/b").exists()


def test_shipped_keyword_lists_are_brought_in_once_and_stay_as_people_leave_them() -> None:
    assert set(ensure_keyword_lists()) == {"llm", "pytorch", "tensorflow", "mindspore"}
    KeywordList.objects.filter(name="pytorch").update(words=["mine"])
    assert ensure_keyword_lists() == ()
    assert ensure_keyword_list(name="pytorch").words == ["mine"]


def test_a_list_includes_the_words_of_those_it_builds_on() -> None:
    ensure_keyword_lists()
    words = dict(KeywordList.objects.values_list("name", "words"))
    assert set(words["llm"]) < set(words["mindspore"])


def test_a_list_of_keywords_that_people_made_can_be_used() -> None:
    KeywordList.objects.create(name="ours", words=["hang"])
    assert ensure_keyword_list(name="ours").words == ["hang"]
    with pytest.raises(UnknownKeywordListError):
        ensure_keyword_list(name="theirs")
