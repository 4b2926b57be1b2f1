"""What `frameworks.yaml` may contain: the frameworks people report faults of and where their issues live.

Pure: knows YAML's values, not Django. Writing them to the database is `kb.services.repositories`.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from kb.core.yaml_files import Strict, Text, read_yaml

FRAMEWORKS = Path(__file__).with_name("frameworks.yaml")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$", max_length=60)]
FullName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=200)]


class RepositoryFile(Strict):
    """A repository under its present name, and the names it had before."""

    host: Literal["github.com", "gitee.com"] = "github.com"
    name: FullName
    aliases: tuple[FullName, ...] = Field(default=(), description="Old names on the same host.")


class FrameworkFile(Strict):
    """A framework and its repositories."""

    slug: Slug
    name: Text
    description: str = ""
    homepage: str = ""
    repositories: tuple[RepositoryFile, ...] = Field(min_length=1)


class FrameworksFile(Strict):
    """`frameworks.yaml`."""

    frameworks: tuple[FrameworkFile, ...]

    @model_validator(mode="after")
    def names_are_used_once(self) -> "FrameworksFile":
        """A slug, or a repository's present or old name, stands for one thing only."""
        slugs = [framework.slug for framework in self.frameworks]
        names = [
            f"{repository.host}/{name}".lower()
            for framework in self.frameworks
            for repository in framework.repositories
            for name in (repository.name, *repository.aliases)
        ]
        twice = sorted({word for word in (*slugs, *names) if slugs.count(word) + names.count(word) > 1})
        if twice:
            raise ValueError(f"used twice: {', '.join(twice)}")
        return self


@cache
def read_frameworks(path: Path = FRAMEWORKS) -> FrameworksFile:
    """Read and check the file. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return FrameworksFile.model_validate(read_yaml(path))
