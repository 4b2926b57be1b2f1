"""What `frameworks.yaml` may contain: the frameworks people report faults of, and all that is said of one by name.

They are written to the database in `kb.services.repositories`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from kb.core.addresses import parse_repository_address
from kb.core.yaml_faults import Fault, Place
from kb.core.yaml_files import Strict, Text, read_yaml

FRAMEWORKS = Path(__file__).with_name("frameworks.yaml")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$", max_length=60)]
Package = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=60)]
FULL_NAME = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
WEEK_MINUTES = 7 * 24 * 60
# A folder of a path, or the head of a dotted name.
FOLDER = re.compile(r"(?:^|[\s/\"'(])([a-z0-9_]+)(?=[/.])")


def full_name(text: str) -> str:
    """The text, if it can be a repository's name on its host. Raises `ValueError`."""
    if not FULL_NAME.fullmatch(text):
        raise ValueError(f"write OWNER/NAME as its host does, without an address; it is '{text}'")
    return text


FullName = Annotated[str, StringConstraints(max_length=200), AfterValidator(full_name)]


class RepositoryFile(Strict):
    """A repository under its present name, and the names it had before."""

    host: Literal["github.com", "gitee.com"] = "github.com"
    name: FullName
    aliases: tuple[FullName, ...] = Field(default=(), description="Old names on the same host.")
    distribution: Text | None = Field(default=None, description="The package on PyPI that is released from it.")


class MirrorFile(Strict):
    """How a framework's repositories are mirrored by `manage.py add_repository --list`."""

    list: Slug = Field(description="The list that it stands in.")
    every_minutes: int = Field(ge=1, le=WEEK_MINUTES, description="How often its host is asked what is new.")
    take: Literal["first", "all"] = Field(default="first", description="Its first repository, or all of them.")
    keywords: Slug | None = Field(default=None, description="A list of keywords.yaml: only issues with such words.")


class FrameworkFile(Strict):
    """A framework: its repositories, and what else is said of it by name."""

    slug: Slug
    name: Text
    description: str = ""
    homepage: str = ""
    packages: tuple[Package, ...] = Field(default=(), description="Folders of its code, as stack traces name them.")
    mirror: MirrorFile | None = None
    repositories: tuple[RepositoryFile, ...] = Field(min_length=1)


class ListedFrameworks(Strict):
    """`frameworks.yaml`, each of its entries by itself."""

    frameworks: tuple[FrameworkFile, ...]


class FrameworksFile(ListedFrameworks):
    """`frameworks.yaml`."""

    @model_validator(mode="after")
    def names_are_used_once(self) -> "FrameworksFile":
        """A slug, a package, or a repository's present or old name, stands for one thing only."""
        twice = [fault.reason for fault in used_twice(self)]
        if twice:
            raise ValueError("; ".join(twice))
        return self


def used_twice(listed: ListedFrameworks) -> Iterator[Fault]:
    """Names that stand for two things, told where the second one is."""
    owners: dict[str, str] = {}
    for number, framework in enumerate(listed.frameworks):
        for place, name in _names(framework):
            if name in owners:
                reason = f"{name} stands in the entry of {owners[name]} already: leave it out, or add to that entry"
                yield Fault(("frameworks", number, *place), reason)
            owners.setdefault(name, framework.slug)


def _names(framework: FrameworkFile) -> Iterator[tuple[Place, str]]:
    """What must be the framework's alone, with its kind."""
    yield ("slug",), f"slug {framework.slug}"
    for number, package in enumerate(framework.packages):
        yield ("packages", number), f"package {package}"
    for number, repository in enumerate(framework.repositories):
        for name in (repository.name, *repository.aliases):
            yield ("repositories", number), f"repository {repository.host}/{name}".lower()


@cache
def read_frameworks(path: Path = FRAMEWORKS) -> FrameworksFile:
    """Read and check the file. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return FrameworksFile.model_validate(read_yaml(path))


def listed_slugs() -> frozenset[str]:
    """The slugs of all frameworks of the list."""
    return frozenset(framework.slug for framework in read_frameworks().frameworks)


def framework_of(url: str) -> str:
    """The slug of the framework whose repository has an address; empty when no repository of the list has."""
    host, full_name = parse_repository_address(url).key
    return _slugs_by_repository().get((host, full_name), "")


def frameworks_named(text: str) -> set[str]:
    """Slugs of the frameworks whose packages a stack trace or a module's name in the text speaks of."""
    packages = _slugs_by_package()
    return {packages[folder] for folder in FOLDER.findall(text) if folder in packages}


def package_of(full_name: str) -> str:
    """The package that is released from a repository: its name on PyPI, else the repository's name in lower case."""
    return _distributions().get(full_name.lower(), full_name.lower())


def repository_of(package: str) -> str:
    """The repository, in lower case, that a package is released from; the package's own name where none is known."""
    return _released_from().get(package, package)


@cache
def _slugs_by_repository() -> Mapping[tuple[str, str], str]:
    slugs: dict[tuple[str, str], str] = {}
    for framework in read_frameworks().frameworks:
        for repository in framework.repositories:
            for name in (repository.name, *repository.aliases):
                slugs[repository.host, name.lower()] = framework.slug
    return slugs


@cache
def _released_from() -> Mapping[str, str]:
    repositories = [repository for framework in read_frameworks().frameworks for repository in framework.repositories]
    return {package_of(repository.name): repository.name.lower() for repository in repositories}


@cache
def _distributions() -> Mapping[str, str]:
    packages = {}
    for framework in read_frameworks().frameworks:
        for repository in framework.repositories:
            for name in (repository.name, *repository.aliases):
                packages[name.lower()] = repository.distribution or repository.name.lower()
    return packages


@cache
def slugs_without_packages() -> frozenset[str]:
    """Those whose code no stack trace can name: models, and libraries below Python."""
    return frozenset(framework.slug for framework in read_frameworks().frameworks if not framework.packages)


@cache
def _slugs_by_package() -> Mapping[str, str]:
    return {package: framework.slug for framework in read_frameworks().frameworks for package in framework.packages}
