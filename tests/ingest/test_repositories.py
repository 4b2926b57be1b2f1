"""Frameworks and repositories: the house's list, present and old names."""

import pytest
import yaml
from pydantic import ValidationError
from pytest_django import DjangoAssertNumQueries

from ingest.imports.repositories import RepositoryFinder
from ingest.imports.studies.mapping import FrameworkRule
from kb.core.addresses import RepositoryAddress
from kb.core.frameworks import FrameworksFile, read_frameworks
from kb.models import Framework, Repository, RepositoryAlias
from kb.services.repositories import UnknownFrameworkError, ensure_frameworks, ensure_repository, resolve_repository

NEW = "https://github.com/deepspeedai/DeepSpeed/issues/1"
OLD = "https://github.com/Microsoft/deepspeed/issues/1"


def listed(text: str) -> FrameworksFile:
    return FrameworksFile.model_validate(yaml.safe_load(f"frameworks: {text}"))


ONE = (
    "[{slug: deepspeed, name: DeepSpeed, "
    "repositories: [{name: deepspeedai/DeepSpeed, aliases: [microsoft/DeepSpeed]}]}]"
)


@pytest.mark.django_db
class TestTheHousesList:
    def test_is_loaded_once(self) -> None:
        first = ensure_frameworks()
        again = ensure_frameworks()
        assert first.conflicts == ()
        assert first.frameworks.created == len(read_frameworks().frameworks) == Framework.objects.count()
        assert (again.frameworks.created, again.frameworks.changed) == (0, 0)
        assert (again.repositories.created, again.repositories.changed, again.aliases_added) == (0, 0, 0)

    def test_renames_a_repository_that_is_known_under_its_old_name(self) -> None:
        owner = Framework.objects.create(slug="deepspeed", name="DeepSpeed")
        known = Repository.objects.create(framework=owner, host="github.com", full_name="microsoft/DeepSpeed")
        assert ensure_frameworks(listed=listed(ONE)).repositories.changed == 1
        known.refresh_from_db()
        assert known.full_name == "deepspeedai/DeepSpeed"
        assert RepositoryAlias.objects.get().full_name == "microsoft/DeepSpeed"

    def test_tells_an_old_name_that_another_repository_bears(self) -> None:
        owner = Framework.objects.create(slug="deepspeed", name="DeepSpeed")
        for name in ("deepspeedai/DeepSpeed", "microsoft/DeepSpeed"):
            Repository.objects.create(framework=owner, host="github.com", full_name=name)
        changes = ensure_frameworks(listed=listed(ONE))
        assert changes.conflicts == (
            "github.com/microsoft/DeepSpeed is listed as an old name of deepspeedai/DeepSpeed"
            " but belongs to another repository",
        )

    def test_uses_every_name_once(self) -> None:
        with pytest.raises(ValidationError, match=r"repository github\.com/a/b stands in the entry of x already"):
            listed("[{slug: x, name: X, repositories: [{name: a/b}, {name: c/d, aliases: [A/B]}]}]")


@pytest.mark.django_db
class TestFindingARepository:
    def test_goes_through_present_and_old_names_in_any_case(self) -> None:
        ensure_frameworks(listed=listed(ONE))
        found = {repository.pk for url in (NEW, OLD) if (repository := resolve_repository(url=url))}
        assert found == {Repository.objects.get().pk}

    def test_finds_nothing_for_a_stranger(self) -> None:
        assert resolve_repository(url="https://github.com/acme/rocket") is None

    def test_loads_the_list_when_the_database_is_empty(self) -> None:
        repository = ensure_repository(url=OLD, framework="deepspeed")
        assert (repository.full_name, repository.framework.slug) == ("deepspeedai/DeepSpeed", "deepspeed")

    def test_creates_a_stranger_under_a_known_framework_only(self) -> None:
        created = ensure_repository(url="https://github.com/deepspeedai/Extra", framework="deepspeed")
        assert created.framework.slug == "deepspeed"
        with pytest.raises(UnknownFrameworkError, match=r"add it to kb/core/frameworks\.yaml"):
            ensure_repository(url="https://github.com/acme/rocket", framework="rocket")

    def test_follows_the_rules_of_a_mapping_for_strangers(self) -> None:
        rule = FrameworkRule(match="github.com/acme/*", slug="acme", name="Acme")
        finder = RepositoryFinder(rules=[rule])
        found = finder.find(RepositoryAddress("github.com", "Acme/Rocket"))
        assert found is not None
        assert found.framework.name == "Acme"
        assert finder.find(RepositoryAddress("gitee.com", "acme/rocket")) is None

    def test_asks_the_database_once_for_all(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        ensure_frameworks()
        with django_assert_num_queries(2):
            finder = RepositoryFinder()
            for address in map(RepositoryAddress, ("github.com",) * 2, ("microsoft/DeepSpeed", "acme/rocket")):
                finder.find(address)
