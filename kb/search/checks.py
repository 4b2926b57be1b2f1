"""What a filter of `kb/filters/issues.py` still lacks, for `manage.py check`: each message names the place to write."""

import ast
import copy
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

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
OPTIONS = ("all_of", "among", "facet", "help_text", "holds", "known", "label", "most", "noun", "when", "words")
KEY = re.compile(r"[a-z][a-z0-9_]*")
# What pages, charts and API read under these names, and the box's own words, is no filter.
TAKEN = frozenset({
    "all", "any", "body", "by", "caret", "charts", "cursor", "facets", "fields", "find", "flows", "format", "has", "is",
    "level", "match", "measure", "open", "page", "page_size", "pick", "q", "repo", "sort", "step", "text", "title",
    "url", "what", "window",
})  # fmt: skip


def faults(filters: type[FilterSet] = IssueFilter) -> list[CheckMessage]:
    """The faults of every filter of the set, each with the file and the attribute to correct."""
    texts = [
        (key, "stands there twice, and only the last one counts. Give one another key.") for key in _twice(filters)
    ]
    words: dict[str, str] = {}
    for key, declared in filters.base_filters.items():
        key_faults = [*_faults_of_key(key), *_faults_of_options(key, declared), *_faults_of_words(key, declared, words)]
        if not key_faults and isinstance(declared, (Values, Numbers)):
            key_faults = list(_faults_of_condition(key, declared, filters))
        texts += [(key, text) for text in key_faults]
    return [Error(f"{WHERE}, `{key}`: {text}", id="kb.E001") for key, text in texts]


def _twice(filters: type[FilterSet]) -> list[str]:
    """Names that the class gives more than once: Python keeps the last one without a word."""
    try:
        (written,) = ast.parse(inspect.getsource(filters)).body
    except OSError:
        return []  # It stands in no file.
    names: Counter[str] = Counter()
    for statement in cast("ast.ClassDef", written).body:
        match statement:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                names[name] += 1
    return [name for name, times in names.items() if times > 1]


def _faults_of_key(key: str) -> Iterator[str]:
    if not KEY.fullmatch(key):
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
        yield f"a key has small letters, digits and _ only. Call it `{plain}`."
    if key in TAKEN:
        yield "pages and the API read something else under this name. Give it another key."


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
        option = re.search(r"argument '(\w+)'", str(error))
        hint = _did_you_mean(option[1], OPTIONS) if option else ""
        yield f"{type(one).__name__} takes no `{option[1] if option else error}`.{hint} See kb/filters/filter_types.py."
    is_open = isinstance(one, Values) and not isinstance(one, Years) and key not in STORED
    if is_open and not one.extra.get("known") and not one.extra.get("among"):
        yield "its values are not known. Add `known=named(...)`, or `among=` with a function that reads them."


def _faults_of_words(key: str, one: Filter, words: dict[str, str]) -> Iterator[str]:
    """Adds the short words of this filter to `words`, which holds the filter of each."""
    if not isinstance(one, Values):
        return
    if not isinstance(one.words, Mapping):
        yield f'`words` is no mapping. Write it as {{"has:{key}": "true"}}.'
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
        column = re.search(r"keyword '(\w+)'", str(error))
        hint = _did_you_mean(column[1], _columns(Issue)) if column else ""
        yield f"`when` cannot be asked of an issue ({str(error).split(' Choices are')[0]}).{hint}"
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
            yield f"`{model.__name__}` in kb/models/ has no column `{name}`.{_did_you_mean(name, _columns(model))}"
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


def _columns(model: type[Model]) -> list[str]:
    return [known.name for known in model._meta.get_fields()]


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), n=1)
    return f" Did you mean `{near[0]}`?" if near else ""
