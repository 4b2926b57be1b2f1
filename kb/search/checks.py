"""What a filter of `kb/filters/issues.py` still lacks, for `manage.py check`: each message names the place to write."""

import copy
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.exceptions import FieldDoesNotExist, FieldError
from django.db.models import GeneratedField, Model
from django_filters import Filter, FilterSet

from kb.filters.conditions import AXIS_KEYS
from kb.filters.filter_types import Numbers, Values, Years, YesOrNoValues
from kb.filters.issues import IssueFilter
from kb.models import Issue
from kb.search.backends.postgres.facets import DIGEST_COLUMNS, JOINED
from kb.search.document_rows import FROM_OTHER_ROWS
from kb.search.names import STORED

WHERE = "kb/filters/issues.py"
SHORT_WORDS = ("is", "has")


def faults(filters: type[FilterSet] = IssueFilter) -> list[CheckMessage]:
    """The faults of every filter of the set, each with the file and the attribute to mend."""
    messages: list[CheckMessage] = []
    words: dict[str, str] = {}
    for key, one in filters.base_filters.items():
        texts = [*_faults_of_options(key, one), *_faults_of_words(key, one, words)]
        if not texts and isinstance(one, (Values, Numbers)):
            texts = list(_faults_of_condition(key, one, filters))
        messages += [Error(f"{WHERE}, `{key}`: {text}", id="kb.E001") for text in texts]
    return messages


def _faults_of_options(key: str, one: Filter) -> Iterator[str]:
    if not isinstance(one, (Values, Numbers)):
        yield f"{type(one).__name__} is no type for a filter on issues. Take one of kb/filters/filter_types.py."
        return
    if not one.label:
        yield "`label` is missing. Pages and API call the filter by it."
    if not one.extra.get("help_text"):
        yield "`help_text` is missing. The search box and the API explain the filter with it."
    try:
        copy.deepcopy(one).field  # noqa: B018 - makes the form field, which refuses unknown options
    except TypeError as error:
        yield f"{type(one).__name__} does not take all of its options ({error}). See kb/filters/filter_types.py."
    is_open = isinstance(one, Values) and not isinstance(one, Years) and key not in STORED
    if is_open and not one.extra.get("known") and not one.extra.get("among"):
        yield "its values are not known. Add `known=named(...)`, or `among=` with a function that reads them."


def _faults_of_words(key: str, one: Filter, words: dict[str, str]) -> Iterator[str]:
    """Adds the short words of this filter to `words`, which holds the filter of each."""
    if not isinstance(one, Values):
        return
    known = {named.value for named in one.extra.get("known", ())}
    for text, value in one.words.items():
        word, _, name = text.partition(":")
        if word not in SHORT_WORDS or not name:
            yield f"`words` has `{text}`. A short word begins with `is:` or `has:`, such as `has:{key}`."
        if value not in known:
            yield f"`words` gives `{text}` the value `{value}`, which is none of {', '.join(sorted(known))}."
        if text in words:
            yield f"`words` has `{text}`, which `{words[text]}` has already."
        words[text] = key


def _faults_of_condition(key: str, one: Values | Numbers, filters: type[FilterSet]) -> Iterator[str]:
    if one.holds and not hasattr(filters, one.holds):
        yield f"`holds` names `{one.holds}`, which `IssueConditions` in kb/filters/conditions.py does not have."
    if key in FROM_OTHER_ROWS:
        if isinstance(one, Values) and key not in (*AXIS_KEYS, "node", *JOINED, *DIGEST_COLUMNS):
            yield "its facet cannot be counted. Add a statement to `JOINED` in kb/search/backends/postgres/facets.py."
    elif one.holds:
        yield (
            "a condition that `holds` makes cannot be indexed as it is declared. Say what the index holds in "
            f"kb/search/documents.py (`_values` or `_numbers`), and name `{key}` in `FROM_OTHER_ROWS` of "
            "kb/search/document_rows.py."
        )
    elif isinstance(one, YesOrNoValues) and one.when is not None:
        yield from _faults_of_expression(one)
    else:
        yield from _faults_of_column(one)


def _faults_of_expression(one: YesOrNoValues) -> Iterator[str]:
    try:
        rows = Issue.objects.annotate(value=one.expression())
    except FieldError as error:
        yield f"`when` cannot be asked of an issue ({str(error).split(' Choices are')[0]})."
        return
    joined = [getattr(join, "join_field", None) for join in rows.query.alias_map.values()]
    if any(field.one_to_many or field.many_to_many for field in joined if field):
        yield "`when` looks at several rows of one issue. Put it into `Exists`, as kb/filters/conditions.py does."


def _faults_of_column(one: Values | Numbers) -> Iterator[str]:
    model: type[Model] = Issue
    field: Any = None
    for name in str(one.field_name).split("__"):
        try:
            field = model._meta.get_field(name)
        except FieldDoesNotExist:
            near = get_close_matches(name, [known.name for known in model._meta.get_fields()])
            hint = f" Did you mean `{near[0]}`?" if near else ""
            yield f"`{model.__name__}` in kb/models/ has no column `{name}`.{hint}"
            return
        if field.one_to_many or field.many_to_many:
            yield f"`{name}` is several rows of one issue. Write a condition in kb/filters/conditions.py (`holds`)."
            return
        model = field.related_model or model
    column = field.output_field if isinstance(field, GeneratedField) else field
    if not isinstance(column, one.column_types):
        wanted = " or ".join(kind.__name__ for kind in one.column_types)
        hint = f' A condition will do: `when=~Q({one.field_name}="")`.' if isinstance(one, YesOrNoValues) else ""
        yield f"{type(one).__name__} reads {wanted}, and `{one.field_name}` is a {type(column).__name__}.{hint}"
