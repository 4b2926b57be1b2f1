"""The issues that an exact name or address asks for: the box, the API and old addresses of pages all look here."""

from kb.models import Issue, RepositoryAlias
from kb.search.language import Reference

# A bare `name#7` may stand in several repositories of that name.
MOST_NAMED = 20


def named_issues(reference: Reference) -> list[Issue]:
    """Every known issue of that name.

    Through renames of its repository, and through its former addresses where no issue stands there now.
    """
    return _standing(reference, "") or _standing(reference, "former_addresses__")


def find_reference(reference: Reference) -> Issue | None:
    """The issue that is meant; None when it is not known or not unique."""
    found = named_issues(reference)
    return found[0] if len(found) == 1 else None


def _standing(reference: Reference, at: str) -> list[Issue]:
    """The issues at the place that a reference names; `at` leads to where the place is written."""
    issues = Issue.objects.select_related("repository").filter(**{f"{at}ref__iexact": reference.ref}).order_by("pk")
    place = {"host": reference.host} if reference.host else {}
    if reference.owner:
        place["full_name__iexact"] = f"{reference.owner}/{reference.name}"
    else:
        place["full_name__iendswith"] = f"/{reference.name}"
    by_name = {f"{at}repository__{key}": value for key, value in place.items()}
    by_old_name = {f"{at}repository__in": RepositoryAlias.objects.filter(**place).values("repository")}
    return list(issues.filter(**by_name)[:MOST_NAMED]) or list(issues.filter(**by_old_name)[:MOST_NAMED])
