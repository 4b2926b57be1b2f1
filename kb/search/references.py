"""The issues that an exact name or address asks for: the box, the API and old addresses of pages all look here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Q

from kb.core.addresses import GITEE, GITHUB
from kb.core.search.language import Query, Reference
from kb.models import Issue, Repository, RepositoryAlias
from kb.selectors.public_ids import issue_by_public_id

# A bare `name#7` may stand in several repositories of that name.
MOST_NAMED = 20
# A name within a text, also with a blank before the number sign; only those of known repositories count.
MENTION = re.compile(r"(?<![\w./#-])(?:([\w.-]+)/)?([A-Za-z][\w.-]*) ?#(\d{1,10})(?!\w)", re.ASCII)
MOST_MENTIONED = 2


@dataclass(frozen=True)
class Mention:
    """An issue that a text names beside other words: where it is, and the issue where it is held."""

    name: str
    host: str
    full_name: str
    ref: str
    issue: Issue | None

    @property
    def note(self) -> str:
        """What there is to say of it."""
        if self.issue:
            return f"{self.name} is held: {self.issue.display_title}"
        return f"{self.name} is not held here. The results only share words with the text."


def named_issues(reference: Reference) -> list[Issue]:
    """Every known issue of that name; where there is none, the records that answer the report of that name.

    Through renames of its repository, and through its former addresses where no issue stands there now.
    """
    if reference.public_id:
        issue = issue_by_public_id(reference.public_id)
        return [issue] if issue else []
    return (
        _issues_at(reference, "")
        or _issues_at(reference, "former_addresses__")
        or _issues_at(reference, "other_reports__")
    )


def find_reference(reference: Reference) -> Issue | None:
    """The issue that is meant; None when it is not known or not unique."""
    issues = named_issues(reference)
    return issues[0] if len(issues) == 1 else None


def mentioned(query: Query) -> list[Mention]:
    """The issues that a short text names beside other words. Of a whole text that names one, see `named_issues`."""
    if query.reference or query.is_paste or "#" not in query.words:
        return []
    return list(_mentions(query.words))[:MOST_MENTIONED]


def _mentions(text: str) -> Iterator[Mention]:
    seen = set()
    # One more than are shown, so that names of no repository do not cost a question each.
    for match in list(MENTION.finditer(text))[: MOST_MENTIONED + 1]:
        reference = Reference(ref=match[3], name=match[2], owner=match[1])
        place = place_of(reference)
        if place is None or (place, reference.ref) in seen:
            continue
        seen.add((place, reference.ref))
        name = f"{place[1].rpartition('/')[2]}#{reference.ref}"
        yield Mention(name, *place, reference.ref, find_reference(reference))


def place_of(reference: Reference) -> tuple[str, str] | None:
    """The host and full name of the repository that is meant; None where a bare name does not say which."""
    if reference.public_id:
        return None
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
