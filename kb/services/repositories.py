"""Frameworks and repositories: loading their list (`kb/core/frameworks.yaml`), and finding a repository by its address.

A repository is found by its present name first, then by its old ones.
"""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat, Lower, Substr

from kb.core.addresses import parse_repository_address
from kb.core.frameworks import FrameworksFile, RepositoryFile, read_frameworks
from kb.models import ClosingReference, Fix, Framework, Issue, Repository, RepositoryAlias
from kb.services.rows import Changes, sync_rows

Key = tuple[str, str]


class UnknownFrameworkError(ValueError):
    """Neither the database nor `frameworks.yaml` has a framework with this slug."""


class NameTakenError(ValueError):
    """Another repository has the name already."""


@dataclass(frozen=True)
class FrameworkChanges:
    """The result of loading the list; `conflicts` has a sentence for each alias that another repository has."""

    frameworks: Changes
    repositories: Changes
    aliases_added: int
    conflicts: tuple[str, ...]


@dataclass
class KnownRepositories:
    """Repositories by their present and former names, as `RepositoryAddress.key`."""

    current: dict[Key, Repository] = field(default_factory=dict)
    former: dict[Key, Repository] = field(default_factory=dict)

    def find(self, key: Key) -> Repository | None:
        """The repository with this present name, else the one with this former name."""
        return self.current.get(key) or self.former.get(key)


def resolve_repository(*, url: str) -> Repository | None:
    """The repository at or above an address. Raises `kb.core.addresses.BadAddressError`."""
    host, name = parse_repository_address(url).key
    known = Repository.objects.select_related("framework")
    former = RepositoryAlias.objects.alias(lower=Lower("full_name")).filter(host=host, lower=name)
    current = known.alias(lower=Lower("full_name")).filter(host=host, lower=name).first()
    return current or known.filter(aliases__in=former).first()


@transaction.atomic
def ensure_repository(*, url: str, framework: str, is_list_loaded: bool = False) -> Repository:
    """The repository at or above an address; created under the framework (a slug) if it is new.

    Loads the list first when the database does not have the repository, unless the caller did (`is_list_loaded`).
    Raises `UnknownFrameworkError` or `kb.core.addresses.BadAddressError`.
    """
    repository = resolve_repository(url=url)
    if repository is None and not is_list_loaded:
        ensure_frameworks()
        repository = resolve_repository(url=url)
    if repository is not None:
        return repository
    address = parse_repository_address(url)
    owner = Framework.objects.filter(slug=framework).first()
    if owner is None:
        raise UnknownFrameworkError(f"'{framework}' is no framework's slug: add it to kb/core/frameworks.yaml")
    return Repository.objects.create(framework=owner, host=address.host, full_name=address.full_name)


@transaction.atomic
def rename_repository(*, repository: Repository, full_name: str) -> None:
    """Rename a repository as its host did; the old name becomes an alias. Raises `NameTakenError`."""
    old = repository.full_name
    named = Repository.objects.alias(lower=Lower("full_name")).filter(host=repository.host, lower=full_name.lower())
    if named.exclude(pk=repository.pk).exists():
        raise NameTakenError(f"{old} is called {full_name} now, but another repository here bears that name already")
    RepositoryAlias.objects.alias(lower=Lower("full_name")).filter(
        host=repository.host, lower=full_name.lower()
    ).delete()
    old_url, repository.full_name = repository.url, full_name
    repository.save(update_fields=["full_name"])
    RepositoryAlias.objects.get_or_create(repository=repository, host=repository.host, full_name=old)
    for model in (Issue, Fix, ClosingReference):
        below = model._default_manager.filter(url__startswith=f"{old_url}/")
        below.update(url=Concat(Value(repository.url), Substr("url", len(old_url) + 1)))


@transaction.atomic
def ensure_framework(*, slug: str, name: str) -> Framework:
    """The framework with this slug; created if it is new."""
    return Framework.objects.get_or_create(slug=slug, defaults={"name": name})[0]


@transaction.atomic
def ensure_frameworks(*, listed: FrameworksFile | None = None) -> FrameworkChanges:
    """Create and update frameworks, repositories and aliases from the list (`frameworks.yaml` when None).

    Nothing is removed. A repository that the database has under one of its old names is renamed.
    """
    listed = listed or read_frameworks()
    frameworks = sync_rows(
        existing=Framework.objects.all(),
        key=lambda framework: framework.slug,
        wanted={
            item.slug: {"slug": item.slug, "name": item.name, "description": item.description,
                        "homepage": item.homepage}
            for item in listed.frameworks
        },
        create=lambda fields: Framework(**fields),
    )  # fmt: skip
    known = known_repositories()
    created = renamed = added = 0
    conflicts: list[str] = []
    files = [(frameworks.rows[item.slug], file) for item in listed.frameworks for file in item.repositories]
    for framework, file in files:
        repository, is_new, is_renamed = _ensure_listed(framework, file, known)
        created, renamed = created + is_new, renamed + is_renamed
        new_aliases, clashes = _ensure_aliases(repository, file, known)
        added += new_aliases
        conflicts += clashes
    repositories = Changes(created, renamed, len(files) - created - renamed)
    return FrameworkChanges(frameworks.changes, repositories, added, tuple(conflicts))


def known_repositories() -> KnownRepositories:
    """All repositories, for looking up many addresses without a query for each."""
    repositories = Repository.objects.in_bulk()
    current = {(row.host, row.full_name.lower()): row for row in repositories.values()}
    former = {
        (row.host, row.full_name.lower()): repositories[row.repository_id] for row in RepositoryAlias.objects.all()
    }
    return KnownRepositories(current, former)


def _ensure_listed(
    framework: Framework, file: RepositoryFile, known: KnownRepositories
) -> tuple[Repository, bool, bool]:
    """The listed repository, and whether it was created or renamed now."""
    key = (file.host, file.name.lower())
    present = known.find(key)
    if present is not None:
        return present, False, False
    for alias in file.aliases:
        renamed = known.current.pop((file.host, alias.lower()), None)
        if renamed is not None:
            Repository.objects.filter(pk=renamed.pk).update(full_name=file.name)
            known.current[key] = renamed
            return renamed, False, True
    created = Repository.objects.create(framework=framework, host=file.host, full_name=file.name)
    known.current[key] = created
    return created, True, False


def _ensure_aliases(repository: Repository, file: RepositoryFile, known: KnownRepositories) -> tuple[int, list[str]]:
    """Add the missing aliases. Returns their number, and a sentence for each alias that another repository has."""
    missing: list[RepositoryAlias] = []
    conflicts: list[str] = []
    for name in file.aliases:
        key = (file.host, name.lower())
        holder = known.find(key)
        if holder is None:
            missing.append(RepositoryAlias(repository=repository, host=file.host, full_name=name))
            known.former[key] = repository
        elif holder.pk != repository.pk:
            conflicts.append(
                f"{file.host}/{name} is listed as an old name of {file.name} but belongs to another repository"
            )
    RepositoryAlias.objects.bulk_create(missing)
    return len(missing), conflicts
