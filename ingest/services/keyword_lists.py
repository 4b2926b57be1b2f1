"""Lists of keywords as rows that people can edit; what ships is only where they begin."""

from django.db import transaction

from ingest.models import KeywordList
from ingest.scope.keywords import SHIPPED, KeywordsFile, resolved
from kb.core.yaml_files import read_yaml


class UnknownKeywordListError(ValueError):
    """No list of keywords has this name; the message names those there are."""


@transaction.atomic
def ensure_keyword_lists() -> tuple[str, ...]:
    """Bring in the shipped lists that are missing and return their names; one that is there stays as people left it."""
    file = KeywordsFile.model_validate(read_yaml(SHIPPED))
    words = resolved(file)
    present = set(KeywordList.objects.filter(name__in=words).values_list("name", flat=True))
    missing = [
        KeywordList(name=shipped.name, words=list(words[shipped.name]), note=shipped.about)
        for shipped in file.lists
        if shipped.name not in present
    ]
    KeywordList.objects.bulk_create(missing, ignore_conflicts=True)
    return tuple(keywords.name for keywords in missing)


def ensure_keyword_list(*, name: str) -> KeywordList:
    """Return the list with this name, bringing it in if it ships. Raises `UnknownKeywordListError`."""
    ensure_keyword_lists()
    keywords = KeywordList.objects.filter(name=name).first()
    if keywords is None:
        names = ", ".join(KeywordList.objects.values_list("name", flat=True))
        raise UnknownKeywordListError(f"no keyword list is called '{name}'; there are: {names}")
    return keywords
