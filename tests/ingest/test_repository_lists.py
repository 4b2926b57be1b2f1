"""The shipped lists of repositories: sound, in line with the house's frameworks, and never said twice."""

import pytest
import yaml
from pydantic import ValidationError

from ingest.models.sync import LONGEST_MINUTES
from ingest.scope.repository_lists import WEEK, ListsFile, UnknownListError, read_lists, wanted_repositories
from kb.core.addresses import parse_repository_address
from kb.core.frameworks import FrameworksFile

FRAMEWORKS = FrameworksFile.model_validate(
    {"frameworks": [{"slug": "acme", "name": "Acme", "repositories": [{"name": "acme/one"}, {"name": "acme/two"}]}]}
)


def lists(text: str) -> ListsFile:
    return ListsFile.model_validate(yaml.safe_load(text))


def test_every_shipped_repository_has_an_address_that_can_be_used() -> None:
    found = wanted_repositories(name="all")
    assert len({parse_repository_address(one.url).key for one in found}) == len(found)


def test_the_frameworks_that_were_asked_for_are_all_there() -> None:
    slugs = {one.framework for one in wanted_repositories(name="all")}
    assert slugs == {
        "deepspeed", "megatron-lm", "colossal-ai", "transformers", "accelerate", "vllm", "sglang", "tensorrt-llm",
        "pytorch", "tensorflow", "mindspore", "mindformers", "mindspeed", "mindnlp",
    }  # fmt: skip


def test_general_frameworks_have_keywords() -> None:
    kept = {one.framework: one.keywords for one in wanted_repositories(name="all") if one.keywords}
    assert kept == {"pytorch": "pytorch", "tensorflow": "tensorflow", "mindspore": "mindspore"}


def test_all_is_every_list_in_the_order_of_the_file() -> None:
    each = [one for some in read_lists().lists for one in wanted_repositories(name=some.name)]
    assert list(wanted_repositories(name="all")) == each


def test_the_longest_interval_is_the_mirrors_own() -> None:
    assert WEEK == LONGEST_MINUTES


def test_a_framework_brings_its_first_repository_or_all() -> None:
    entry = "{slug: acme, interval_minutes: 5}"
    first = lists(f"lists: [{{name: x, about: X, frameworks: [{entry}]}}]")
    every = lists(f"lists: [{{name: x, about: X, frameworks: [{entry.replace(',', ', take: all,')}]}}]")
    found = [
        [one.url for one in wanted_repositories(name="x", lists=some, frameworks=FRAMEWORKS)] for some in (first, every)
    ]
    assert found == [["https://github.com/acme/one"], ["https://github.com/acme/one", "https://github.com/acme/two"]]


def test_an_unknown_list_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownListError, match=r"no list is called 'x'; there are: all, training, inference"):
        wanted_repositories(name="x")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("{slug: rocket, interval_minutes: 5}", "no framework 'rocket'"),
        ("{slug: acme, interval_minutes: 5, keywords: rocket}", "no list of keywords is called 'rocket'"),
    ],
)
def test_what_a_list_names_must_be_there(entry: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        wanted_repositories(
            name="x", lists=lists(f"lists: [{{name: x, about: X, frameworks: [{entry}]}}]"), frameworks=FRAMEWORKS
        )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[{name: all, about: X, frameworks: [{slug: acme, interval_minutes: 5}]}]", "used twice: all"),
        (
            "[{name: x, about: X, frameworks: [{slug: acme, interval_minutes: 5}, {slug: acme, interval_minutes: 9}]}]",
            "used twice: acme",
        ),
        ("[{name: x, about: X, frameworks: [{slug: acme, interval_minutes: 0}]}]", "greater than or equal to 1"),
    ],
)
def test_a_list_that_contradicts_itself_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        lists(f"lists: {text}")
