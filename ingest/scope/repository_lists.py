"""Lists of repositories that are mirrored together, as the entries of `kb/core/frameworks.yaml` say.

Taking a mirror up is `ingest.services.mirrors`.
"""

from dataclasses import dataclass

from ingest.scope.keywords import shipped_lists
from kb.core.frameworks import FrameworksFile, read_frameworks

# As docs/mirroring.md describes them.
LISTS = ("training", "inference", "general", "ascend")
ALL = "all"


class UnknownListError(ValueError):
    """No list has this name; the message names those there are."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A repository by its address, and how it is to be mirrored; None leaves the interval to the mirror's default.

    `framework` is a slug, `keywords` the name of a list of words; empty for none.
    """

    url: str
    framework: str
    interval_minutes: int | None
    keywords: str


def list_names(frameworks: FrameworksFile | None = None) -> list[str]:
    """The names of the lists, in the order of the file."""
    entries = (frameworks or read_frameworks()).frameworks
    return list(dict.fromkeys(entry.mirror.list for entry in entries if entry.mirror))


def wanted_repositories(*, name: str, frameworks: FrameworksFile | None = None) -> tuple[Wanted, ...]:
    """The repositories of the list with this name, of all lists for `all`, in the order of the file.

    Those of the shipped file unless `frameworks` are given. Raises `UnknownListError`, or `ValueError` when an entry
    names a list of keywords that is not there.
    """
    wanted: list[Wanted] = []
    for entry in (frameworks or read_frameworks()).frameworks:
        mirror = entry.mirror
        if mirror is None or name not in (mirror.list, ALL):
            continue
        if mirror.keywords is not None and mirror.keywords not in shipped_lists():
            raise ValueError(f"{entry.slug}: no keyword list is called '{mirror.keywords}'")
        repositories = entry.repositories if mirror.take == "all" else entry.repositories[:1]
        for repository in repositories:
            url = f"https://{repository.host}/{repository.name}"
            wanted.append(Wanted(url, entry.slug, mirror.every_minutes, mirror.keywords or ""))
    if not wanted:
        raise UnknownListError(f"no list is called '{name}'; there are: {', '.join([ALL, *list_names(frameworks)])}")
    return tuple(wanted)
