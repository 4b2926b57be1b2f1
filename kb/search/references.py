"""The issues that an exact name or address asks for: the box, the API and old addresses of pages all look here."""

from django.db.models import Count, Q

from kb.core.addresses import GITEE, GITHUB
from kb.models import Issue, Repository, RepositoryAlias
from kb.search.language import Reference

# A bare `name#7` may stand in several repositories of that name.
MOST_NAMED = 20


def named_issues(reference: Reference) -> list[Issue]:
    """Every known issue of that name; where there is none, the records that answer the report of that name.

    Through renames of its repository, and through its former addresses where no issue stands there now.
    """
    return (
        _issues_at(reference, "")
        or _issues_at(reference, "former_addresses__")
        or _issues_at(reference, "other_reports__")
    )


def find_reference(reference: Reference) -> Issue | None:
    """The issue that is meant; None when it is not known or not unique."""
    issues = named_issues(reference)
    return issues[0] if len(issues) == 1 else None


def place_of(reference: Reference) -> tuple[str, str] | None:
    """The host and full name of the repository that is meant; None where a bare name does not say which."""
    if reference.host and reference.owner:
        return reference.host, f"{reference.owner}/{reference.name}"
    if reference.owner:
        by_name = Q(full_name__iexact=f"{reference.owner}/{reference.name}")
    else:
        by_name = Q(full_name__iendswith=f"/{reference.name}")
    # Forks have the name as well: the one with more issues is meant.
    named = Repository.objects.filter(by_name).annotate(known=Count("issues")).order_by("-known", "pk")
    repositories = list(named.values_list("host", "full_name", "known")[:2])
    if len(repositories) == 1 or (repositories and repositories[0][2] > repositories[1][2]):
        return repositories[0][:2]
    if not reference.owner or repositories:
        return None
    # Gitee's references are codes, GitHub's are numbers.
    return GITHUB if reference.ref.isdecimal() else GITEE, f"{reference.owner}/{reference.name}"


def _issues_at(reference: Reference, prefix: str) -> list[Issue]:
    """The issues with this reference, by the present or an old name of the repository.

    `prefix`: the lookup from an issue to the table that holds its `ref` and `repository`.
    """
    issues = Issue.objects.select_related("repository").filter(**{f"{prefix}ref__iexact": reference.ref}).order_by("pk")
    repository = {"host": reference.host} if reference.host else {}
    if reference.owner:
        repository["full_name__iexact"] = f"{reference.owner}/{reference.name}"
    else:
        repository["full_name__iendswith"] = f"/{reference.name}"
    by_name = {f"{prefix}repository__{lookup}": value for lookup, value in repository.items()}
    by_old_name = {f"{prefix}repository__in": RepositoryAlias.objects.filter(**repository).values("repository")}
    return list(issues.filter(**by_name)[:MOST_NAMED]) or list(issues.filter(**by_old_name)[:MOST_NAMED])
