"""The lists of repositories that frameworks stand in: sound, and in line with what is asked of mirrors."""

import pytest
import yaml
from pydantic import ValidationError

from ingest.models.sync import LONGEST_MINUTES
from ingest.scope.repository_lists import UnknownListError, list_names, wanted_repositories
from kb.core.addresses import parse_repository_address
from kb.core.frameworks import WEEK_MINUTES, FrameworksFile


def frameworks(mirror: str) -> FrameworksFile:
    """A framework with two repositories that is mirrored like this."""
    repositories = [{"name": "acme/one"}, {"name": "acme/two"}]
    entry = {"slug": "acme", "name": "Acme", "repositories": repositories, "mirror": yaml.safe_load(mirror)}
    return FrameworksFile.model_validate({"frameworks": [entry]})


def test_every_shipped_repository_has_an_address_that_can_be_used() -> None:
    found = wanted_repositories(name="all")
    assert len({parse_repository_address(one.url).key for one in found}) == len(found)


def test_the_frameworks_that_were_asked_for_are_among_them() -> None:
    slugs = {one.framework for one in wanted_repositories(name="all")}
    assert slugs >= {
        "deepspeed", "megatron-lm", "colossal-ai", "transformers", "accelerate", "vllm", "sglang", "tensorrt-llm",
        "pytorch", "tensorflow", "mindspore", "mindformers", "mindspeed", "mindnlp",
    }  # fmt: skip


def test_general_frameworks_have_keywords() -> None:
    kept = {one.framework: one.keywords for one in wanted_repositories(name="all") if one.keywords}
    assert kept.items() >= {"pytorch": "pytorch", "tensorflow": "tensorflow", "mindspore": "mindspore"}.items()


def test_all_is_every_list() -> None:
    each = [one for name in list_names() for one in wanted_repositories(name=name)]
    assert sorted(wanted_repositories(name="all"), key=str) == sorted(each, key=str)


def test_the_longest_interval_is_the_mirrors_own() -> None:
    assert WEEK_MINUTES == LONGEST_MINUTES


def test_a_framework_brings_its_first_repository_or_all() -> None:
    first = frameworks("{list: x, every_minutes: 5}")
    every = frameworks("{list: x, every_minutes: 5, take: all}")
    found = [[one.url for one in wanted_repositories(name="x", frameworks=some)] for some in (first, every)]
    assert found == [["https://github.com/acme/one"], ["https://github.com/acme/one", "https://github.com/acme/two"]]


def test_an_unknown_list_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownListError, match=r"no list is called 'x'; there are: all, training, inference"):
        wanted_repositories(name="x")


def test_the_keywords_that_an_entry_names_must_be_there() -> None:
    with pytest.raises(ValueError, match="acme: no keyword list is called 'rocket'"):
        wanted_repositories(name="x", frameworks=frameworks("{list: x, every_minutes: 5, keywords: rocket}"))


def test_an_interval_is_at_least_a_minute() -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        frameworks("{list: x, every_minutes: 0}")
