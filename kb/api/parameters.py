"""The query parameters of the API: one declaration serves documentation and validation.

Filters and their meaning come from `kb.filters.issues`.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Final

import django_filters as filters
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.request import Request

from kb.api.examples import JsonObject
from kb.api.paging import MAX_PAGE, MAX_PAGE_SIZE, PAGE_SIZE
from kb.api.problems import InvalidParametersError
from kb.filters.filter_types import Numbers, OneOf, Values, WholeNumber, YesOrNo
from kb.filters.query_strings import one_text_each
from kb.search import ANY, MAX_CHARACTERS, MOST_REACHABLE, Sort
from kb.starter import example

# An error names so many unknown parameters at most.
MOST_FAULTS = 20
Parameter = OpenApiParameter
HEADER: Final = OpenApiParameter.HEADER
PATH: Final = OpenApiParameter.PATH

ID = Parameter("id", int, PATH, description="Id of the row.")
ISSUE_ID = Parameter(
    "id",
    # A number first: that is what it was before there were public ids, and what typed clients send.
    {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
            {"type": "string", "pattern": "^FB-[0-9A-Fa-f]{1,12}$"},
        ]
    },
    PATH,
    description="The issue's public id, such as `FB-000860`, or its `id` in this database.",
)
SLUG = Parameter("slug", str, PATH, description="Slug of the row.")
PAGE = Parameter(
    "page",
    {"type": "integer", "minimum": 1, "maximum": MAX_PAGE},
    description="Page number; default 1. Not together with a `cursor`.",
)
PAGE_SIZE_PARAMETER = Parameter(
    "page_size",
    {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE},
    description="Results per page.",
)
CURSOR_TEXT = (
    "For programs that read everything: begin with an empty `cursor=` and follow `next` until it is null. "
    "{} A cursor is opaque, goes forward only, and belongs to one search. Not together with `page`."
)
CURSOR = Parameter(
    "cursor",
    {"type": "string", "maxLength": 4000},
    description=CURSOR_TEXT.format("No result is missed or repeated when others are added meanwhile."),
    allow_blank=True,
)
ISSUE_CURSOR = Parameter(
    "cursor",
    {"type": "string", "maxLength": 4000},
    description=CURSOR_TEXT.format(
        "Without words, the issues come from the database in the order of `id` unless `sort` names another one, all of "
        "them, and none is missed or repeated when others are added meanwhile. With words, the first "
        f"{MOST_REACHABLE:,} come in the order of the search, which may shift while issues are added."
    ),
    allow_blank=True,
)
PAGING = (PAGE, PAGE_SIZE_PARAMETER, CURSOR)
ISSUE_PAGING = (PAGE, PAGE_SIZE_PARAMETER, ISSUE_CURSOR)
SHORT_PAGE_SIZE = 10
SHORT_PAGING = (
    PAGE,
    Parameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": SHORT_PAGE_SIZE},
        description="Results per page.",
    ),
)
IF_NONE_MATCH = Parameter(
    "If-None-Match", str, HEADER, description="ETag of a response you hold; 304 means it is still valid."
)
Q = Parameter(
    "q",
    {"type": "string", "maxLength": MAX_CHARACTERS},
    description=(
        'Words, `"phrases"`, `-exclusions` and filters such as `symptom:hang`; an error line or a log works too. '
        f"An issue's address or name (`{example.NAME}`) finds that issue and no other. "
        "Results have at least some of the words, those that fit best come first: `query` tells how many words they "
        "have, and whether anything came close. A whole address is cut off at 64 KB."
    ),
    examples=[OpenApiExample("A hang with sharded parameters", value="hang in ZeRO-3")],
)
SORT = Parameter(
    "sort",
    {"type": "string", "enum": [sort.value for sort in Sort]},
    description=(
        "Order of the results; default `relevance`. Without words, that puts described issues first, then newer ones."
    ),
)
MATCH = Parameter(
    "match",
    {"type": "string", "enum": [ANY]},
    description="`any`: one of the words is enough. Otherwise longer queries require more of their words.",
)
FACETS = Parameter(
    "facets",
    {"type": "string", "enum": ["true", "false"]},
    description="`true` counts the results of every filter's values as well. Slower; default `false`.",
)
FACETS_UNLESS = Parameter(
    "facets",
    {"type": "string", "enum": ["true", "false"], "default": "true"},
    description="`false` omits the facets, for a smaller response.",
)
URL = Parameter(
    "url",
    {"type": "string", "maxLength": 500},
    description=(
        "Look one issue up by its address on GitHub or Gitee, such as "
        f"`{example.URL}`; old names of a renamed repository work. "
        "Not together with `q`, `sort`, `facets` or a filter."
    ),
    examples=[OpenApiExample("A prompt that never gets an answer", value=example.URL)],
)
TITLE = Parameter(
    "title",
    {"type": "string", "maxLength": MAX_CHARACTERS},
    description="The draft's title.",
    examples=[OpenApiExample("A hang in evaluation", value="generate() hangs under ZeRO-3 on two GPUs")],
)
BODY = Parameter(
    "body",
    {"type": "string", "maxLength": MAX_CHARACTERS},
    description=(
        "The draft's text; its lines that tell what went wrong count most. A whole address is cut off at 64 KB, so "
        "send the beginning of a long one."
    ),
)
TYPED = Parameter(
    "q",
    {"type": "string", "maxLength": MAX_CHARACTERS},
    description="The box's text.",
    examples=[OpenApiExample("A filter that is being typed", value="hang symptom:nan")],
)
CARET = Parameter(
    "caret",
    {"type": "integer", "minimum": 0, "maximum": MAX_CHARACTERS},
    description="Caret position, in characters (code points) from the beginning; default: the end.",
)
# By the IETF's draft, beside the older names of the same.
RATE_HEADERS = (
    ("RateLimit", "Requests left (`r`) and seconds until the window ends (`t`), of the rate that is nearest."),
    ("RateLimit-Policy", "Requests that one client may send (`q`) in a window of so many seconds (`w`)."),
)
STATES_OF_RATE = (
    ("RateLimit-Limit", "Requests that one client may send in a window."),
    ("RateLimit-Remaining", "Requests left in this window."),
    ("RateLimit-Reset", "Seconds until the window ends."),
)
RESPONSE_HEADERS = (
    Parameter("ETag", str, HEADER, response=[200, 304], description="ETag of this response, for `If-None-Match`."),
    Parameter("Cache-Control", str, HEADER, response=[200, 304], description="How long the response stays fresh."),
    *(
        Parameter(name, int, HEADER, response=[200, 304, 400, 404, 429], description=text)
        for name, text in STATES_OF_RATE
    ),
    *(
        Parameter(name, str, HEADER, response=[200, 304, 400, 404, 429], description=text)
        for name, text in RATE_HEADERS
    ),
    Parameter("Retry-After", int, HEADER, response=[429], description="Seconds to wait before the next request."),
)


def fields_parameter(names: Iterable[str]) -> Parameter:
    """The parameter `fields` with these choices."""
    return Parameter(
        "fields",
        {"type": "array", "items": {"type": "string", "enum": list(names)}},
        style="form",
        explode=True,
        description="Only these keys of each result, repeated or comma-separated.",
    )


def parameters_of(filterset: type[filters.FilterSet]) -> tuple[Parameter, ...]:
    """A filter set's filters as parameters."""
    return tuple(_parameter_of(name, row_filter) for name, row_filter in filterset.base_filters.items())


def _parameter_of(name: str, row_filter: filters.Filter) -> Parameter:
    text = f"{row_filter.label}. {row_filter.extra.get('help_text', '')}"
    if isinstance(row_filter, Numbers):
        text += " Repeated or comma-separated: all must hold."
    elif isinstance(row_filter, Values) and row_filter.all_of:
        text += " A minus before a value excludes it."
    elif isinstance(row_filter, Values):
        text += " Repeated or comma-separated: any of them; `-` before one excludes it."
    else:
        return Parameter(name, _schema_of(row_filter), description=text)
    several = {"type": "array", "items": {"type": "string"}}
    return Parameter(name, several, style="form", explode=True, description=text)


def _schema_of(row_filter: filters.Filter) -> JsonObject:
    extra = row_filter.extra
    if isinstance(row_filter, YesOrNo):
        return {"type": "string", "enum": ["true", "false"]}
    if isinstance(row_filter, OneOf):
        return {"type": "string", "enum": [str(value) for value, _ in extra["choices"]]}
    if isinstance(row_filter, WholeNumber):
        return {"type": "integer", "minimum": extra["min_value"], "maximum": extra["max_value"]}
    if isinstance(row_filter, filters.DateFilter):
        return {"type": "string", "format": "date"}
    if extra.get("max_length"):
        return {"type": "string", "maxLength": extra["max_length"]}
    return {"type": "string"}


def tidy(request: Request, declared: Iterable[OpenApiParameter]) -> None:
    """Join repeated parameters into one text each. Raises `InvalidParametersError` for unknown or repeated ones."""
    query = {parameter.name: parameter.type for parameter in declared if parameter.location == OpenApiParameter.QUERY}
    several = [name for name, kind in query.items() if isinstance(kind, dict) and kind.get("type") == "array"]
    params, repeated = one_text_each(request.query_params, several)
    errors = {name: texts for name, texts in repeated.items() if name in query}
    unknown_names = [name for name in request.query_params if name not in query]
    for name in unknown_names[:MOST_FAULTS]:
        errors[name] = [unknown(name, query)]
    if errors:
        raise InvalidParametersError(errors)
    # Where REST framework's `query_params` come from.
    request._request.GET = params  # type: ignore[assignment]


def unknown(name: str, known: Collection[str]) -> str:
    """The error message for a parameter name that is not among the known ones."""
    near = get_close_matches(name.lower(), known, n=3, cutoff=0.6)
    hint = f"Known are: {', '.join(sorted(known))}."
    if near:
        hint = f"Did you mean {' or '.join(near)}?"
    return f"“{name[:60]}” is not known here. {hint}"


def chosen(request: Request, known: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The value of each of these parameters, empty where it is not given. Raises `InvalidParametersError`."""
    asked = {name: request.query_params.get(name, "") for name in known}
    errors = {
        name: [f"“{asked[name][:60]}” is not known here. Choose one of: {', '.join(values)}."]
        for name, values in known.items()
        if asked[name] and asked[name] not in values
    }
    if errors:
        raise InvalidParametersError(errors)
    return asked
