"""Lists of repositories that are mirrored together, as shipped in `lists.yaml`. Pure.

Where a framework's issues live is said by `kb.core.frameworks`; taking a mirror up is `ingest.services.mirrors`.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ingest.scope.keywords import shipped_lists
from kb.codebook.format import Code
from kb.core.frameworks import FrameworksFile, Slug, read_frameworks
from kb.core.yaml_files import Strict, Text, read_yaml

SHIPPED = Path(__file__).with_name("lists.yaml")
ALL = "all"
WEEK = 7 * 24 * 60


class UnknownListError(ValueError):
    """No list has this name; the message names those there are."""


class ListedFramework(Strict):
    """One framework of a list, and how its repositories are mirrored."""

    slug: Slug
    take: Literal["first", "all"] = "first"
    interval_minutes: Annotated[int, Field(ge=1, le=WEEK)]
    keywords: Code | None = None


class RepositoryList(Strict):
    """One list."""

    name: Code
    about: Text
    frameworks: tuple[ListedFramework, ...] = Field(min_length=1)


class ListsFile(Strict):
    """`lists.yaml`."""

    lists: tuple[RepositoryList, ...]

    @model_validator(mode="after")
    def names_are_used_once(self) -> "ListsFile":
        """A list's name stands for one list, and a framework stands in one."""
        names, slugs = Counter([ALL]), Counter[str]()
        for list_ in self.lists:
            names[list_.name] += 1
            slugs.update(framework.slug for framework in list_.frameworks)
        twice = {name for name, times in (*names.items(), *slugs.items()) if times > 1}
        if twice:
            raise ValueError(f"used twice: {', '.join(sorted(twice))}")
        return self


@dataclass(frozen=True, slots=True)
class Wanted:
    """A repository by its address, and how it is to be mirrored; None leaves the interval to the mirror's default.

    `framework` is a slug, `keywords` the name of a list of words; empty for none.
    """

    url: str
    framework: str
    interval_minutes: int | None
    keywords: str


@cache
def read_lists() -> ListsFile:
    """The shipped lists. Raises `pydantic.ValidationError`."""
    return ListsFile.model_validate(read_yaml(SHIPPED))


def wanted_repositories(
    *, name: str, lists: ListsFile | None = None, frameworks: FrameworksFile | None = None
) -> tuple[Wanted, ...]:
    """The repositories of the list with this name, of all lists for `all`, in the order of the file.

    The shipped lists and the house's frameworks where none are given. Raises `UnknownListError`, or `ValueError` when
    a list names a framework or a list of keywords that is not there.
    """
    shipped = (lists or read_lists()).lists
    chosen = [list_ for list_ in shipped if name in (list_.name, ALL)]
    if not chosen:
        names = ", ".join([ALL, *(list_.name for list_ in shipped)])
        raise UnknownListError(f"no list is called '{name}'; there are: {names}")
    known = {framework.slug: framework for framework in (frameworks or read_frameworks()).frameworks}
    wanted: list[Wanted] = []
    for listed in chain.from_iterable(list_.frameworks for list_ in chosen):
        if listed.slug not in known:
            raise ValueError(f"kb/core/frameworks.yaml has no framework '{listed.slug}'")
        if listed.keywords is not None and listed.keywords not in shipped_lists():
            raise ValueError(f"no list of keywords is called '{listed.keywords}'")
        repositories = known[listed.slug].repositories
        if listed.take == "first":
            repositories = repositories[:1]
        for repository in repositories:
            url = f"https://{repository.host}/{repository.name}"
            wanted.append(Wanted(url, listed.slug, listed.interval_minutes, listed.keywords or ""))
    return tuple(wanted)
