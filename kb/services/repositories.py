"""Frameworks and repositories: bringing the house's list in, and finding the repository that an address means.

A repository is found under its present name first, then under its old ones. The list is `kb/core/frameworks.yaml`.
"""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat, Lower, Substr

from kb.core.addresses import RepositoryAddress, parse_repository_address
from kb.core.frameworks import FrameworksFile, RepositoryFile, read_frameworks
from kb.models import ClosingReference, Fix, Framework, Issue, Repository, RepositoryAlias
from kb.services.rows import Changes, sync_rows

Key = tuple[str, str]


class UnknownFrameworkError(ValueError):
    """A framework's slug that neither the database nor `frameworks.yaml` has."""


class NameTakenError(ValueError):
    """A repository cannot take a name that another one bears."""


@dataclass(frozen=True)
class FrameworkChanges:
    """What loading the list did; `conflicts` has one sentence for each name that could not be taken."""

    frameworks: Changes
    repositories: Changes
    aliases_added: int
    conflicts: tuple[str, ...]


@dataclass
class KnownRepositories:
    """Repositories by every name they have or had; names are keyed as `RepositoryAddress.key`."""

    current: dict[Key, Repository] = field(default_factory=dict)
    former: dict[Key, Repository] = field(default_factory=dict)

    def find(self, key: Key) -> Repository | None:
        """Return the repository that has this name, else the one that had it."""
        return self.current.get(key) or self.former.get(key)


def resolve_repository(*, url: str) -> Repository | None:
    """Return the repository that an address at or below it means, through its present name, then its old ones.

    Raises `kb.core.addresses.BadAddressError` when `url` is no such address.
    """
    return _resolve(parse_repository_address(url))


def _resolve(address: RepositoryAddress) -> Repository | None:
    host, name = address.key
    known = Repository.objects.select_related("framework")
    former = RepositoryAlias.objects.alias(lower=Lower("full_name")).filter(host=host, lower=name)
    current = known.alias(lower=Lower("full_name")).filter(host=host, lower=name).first()
    return current or known.filter(aliases__in=former).first()


@transaction.atomic
def ensure_repository(*, url: str, framework: str) -> Repository:
    """Return the repository that an address means; create it under the framework (a slug) if it is new.

    The house's list is loaded when the database does not have the repository yet. Raises `UnknownFrameworkError`,
    or `kb.core.addresses.BadAddressError`.
    """
    address = parse_repository_address(url)
    if found := _resolve(address):
        return found
    ensure_frameworks()
    if found := _resolve(address):
        return found
    owner = Framework.objects.filter(slug=framework).first()
    if owner is None:
        raise UnknownFrameworkError(f"'{framework}' is no framework's slug: add it to kb/core/frameworks.yaml")
    return Repository.objects.create(framework=owner, host=address.host, full_name=address.full_name)


@transaction.atomic
def rename_repository(*, repository: Repository, full_name: str) -> None:
    """Give a repository the name that its host gave it; the old one leads to it still. Raises `NameTakenError`."""
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
    """Return the framework with this slug; create it if it is new."""
    return Framework.objects.get_or_create(slug=slug, defaults={"name": name})[0]


@transaction.atomic
def ensure_frameworks(*, listed: FrameworksFile | None = None) -> FrameworkChanges:
    """Bring frameworks, repositories and their old names in line with the list (the house's when None).

    Nothing is ever removed. A repository that the database has under one of its old names is renamed.
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
    """Return all repositories for looking many addresses up without a query for each."""
    current = {(r.host, r.full_name.lower()): r for r in Repository.objects.all()}
    by_id = {repository.pk: repository for repository in current.values()}
    former = {(a.host, a.full_name.lower()): by_id[a.repository_id] for a in RepositoryAlias.objects.all()}
    return KnownRepositories(current, former)


def _ensure_listed(
    framework: Framework, file: RepositoryFile, known: KnownRepositories
) -> tuple[Repository, bool, bool]:
    """Return the listed repository, and whether it was created or renamed just now."""
    key = (file.host, file.name.lower())
    if found := known.find(key):
        return found, False, False
    for alias in file.aliases:
        if renamed := known.current.pop((file.host, alias.lower()), None):
            Repository.objects.filter(pk=renamed.pk).update(full_name=file.name)
            known.current[key] = renamed
            return renamed, False, True
    created = Repository.objects.create(framework=framework, host=file.host, full_name=file.name)
    known.current[key] = created
    return created, True, False


def _ensure_aliases(repository: Repository, file: RepositoryFile, known: KnownRepositories) -> tuple[int, list[str]]:
    """Add the old names that are still missing; a name that another repository bears is a conflict."""
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
