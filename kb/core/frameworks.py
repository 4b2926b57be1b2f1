"""What `frameworks.yaml` may contain: the frameworks people report faults of, and all that is said of one by name.

They are written to the database in `kb.services.repositories`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from kb.core.yaml_files import Strict, Text, read_yaml

FRAMEWORKS = Path(__file__).with_name("frameworks.yaml")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$", max_length=60)]
FullName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=200)]
Package = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=60)]
WEEK_MINUTES = 7 * 24 * 60
# A folder of a path, or the head of a dotted name.
FOLDER = re.compile(r"(?:^|[\s/\"'(])([a-z0-9_]+)(?=[/.])")


class RepositoryFile(Strict):
    """A repository under its present name, and the names it had before."""

    host: Literal["github.com", "gitee.com"] = "github.com"
    name: FullName
    aliases: tuple[FullName, ...] = Field(default=(), description="Old names on the same host.")


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
    coverage: Text | None = Field(default=None, description="Its group in `check_records --coverage`.")
    mirror: MirrorFile | None = None
    repositories: tuple[RepositoryFile, ...] = Field(min_length=1)


class FrameworksFile(Strict):
    """`frameworks.yaml`."""

    frameworks: tuple[FrameworkFile, ...]

    @model_validator(mode="after")
    def names_are_used_once(self) -> "FrameworksFile":
        """A slug, a package, or a repository's present or old name, stands for one thing only."""
        counts = Counter(framework.slug for framework in self.frameworks)
        for framework in self.frameworks:
            counts.update(f"package {package}" for package in framework.packages)
            for repository in framework.repositories:
                names = (repository.name, *repository.aliases)
                counts.update(f"{repository.host}/{name}".lower() for name in names)
        twice = sorted(word for word, count in counts.items() if count > 1)
        if twice:
            raise ValueError(f"used twice: {', '.join(twice)}")
        return self


@cache
def read_frameworks(path: Path = FRAMEWORKS) -> FrameworksFile:
    """Read and check the file. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return FrameworksFile.model_validate(read_yaml(path))


def listed_slugs() -> frozenset[str]:
    """The slugs of all frameworks of the list."""
    return frozenset(framework.slug for framework in read_frameworks().frameworks)


def frameworks_named(text: str) -> set[str]:
    """Slugs of the frameworks whose packages a stack trace or a module's name in the text speaks of."""
    packages = _slugs_by_package()
    return {packages[folder] for folder in FOLDER.findall(text) if folder in packages}


@cache
def _slugs_by_package() -> Mapping[str, str]:
    return {package: framework.slug for framework in read_frameworks().frameworks for package in framework.packages}
