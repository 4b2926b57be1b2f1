"""What a request asks for: the box's words and filters and the filters of the address, put together and checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.forms import Field
from django.http import QueryDict

from kb.core.search.filter_values import MOST_CHARACTERS, MOST_VALUES, BadValueError, Value, join_values, split_values
from kb.core.search.keys import Keys
from kb.core.search.language import Query, parse, without_filter
from kb.core.search.values import Condition, Sort
from kb.filters.fields import ChoiceField
from kb.filters.issues import SHORTHANDS, IssueFilter
from kb.filters.query_strings import one_text_each
from kb.models import Issue
from kb.search.names import Names, names

KEYS = tuple(IssueFilter.base_filters)
BOX_KEYS = Keys(KEYS, SHORTHANDS)
# What belongs to one page of a search and not to the search.
OF_A_PAGE = ("page", "cursor")


@dataclass(frozen=True)
class FilterTerm:
    """One value of a filter as somebody wrote it: `meant` are the values that issues hold, none for a wrong one."""

    key: str
    value: Value
    meant: tuple[str, ...]
    name: str
    in_box: bool


@dataclass(frozen=True)
class ParsedSearch:
    """A search, understood. What could not be understood is in `errors`, by key; the rest counts all the same.

    `params`: the request with one text for each parameter; `data` holds the filters of the box and the address
    together, as `form` reads them.
    """

    query: Query
    conditions: tuple[Condition, ...]
    terms: tuple[FilterTerm, ...]
    errors: Mapping[str, list[str]]
    notices: tuple[str, ...]
    params: QueryDict
    data: Mapping[str, str]
    form: IssueFilter

    def wanted(self, key: str) -> tuple[str, ...]:
        """The wanted values of a filter, in the form in which issues hold them; from the box and the address alike."""
        values: list[str] = []
        for condition in self.conditions:
            if condition.key == key:
                values += condition.wanted
        return tuple(dict.fromkeys(values))

    def without(self, key: str = "", term: FilterTerm | None = None) -> QueryDict:
        """The request without one value, without a filter, or (no key) without all of them; on its first page."""
        return self._without(self.params, key, term)

    def without_value(self, key: str, value: str) -> QueryDict:
        """The request that no longer wants a value, wherever and however it was written; on its first page."""
        return self.without_terms(
            term for term in self.terms if term.key == key and value in term.meant and not term.value.unwanted
        )

    def without_terms(self, several: Iterable[FilterTerm]) -> QueryDict:
        """The request without any of these; on its first page."""
        params = self.params
        for term in several:
            params = self._without(params, term.key, term)
        return params

    def saying(self, key: str, text: str, params: QueryDict) -> QueryDict:
        """`params`, which were the request's, with this filter set anew and in one place; on its first page."""
        changed = self._without(params, key, None)
        _set(changed, key, text)
        return changed

    def _without(self, params: QueryDict, key: str, term: FilterTerm | None) -> QueryDict:
        changed = params.copy()
        for name in OF_A_PAGE:
            changed.pop(name, None)
        if self.query.filters and (term is None or term.in_box):
            _set(changed, "q", without_filter(changed.get("q", ""), BOX_KEYS, key, term.value if term else None))
        if term is None:
            for name in (key,) if key else KEYS:
                changed.pop(name, None)
        elif not term.in_box:
            others = [value for value in split_values(changed.get(key, "")) if value != term.value]
            _set(changed, key, join_values(others))
        return changed


def _set(params: QueryDict, name: str, text: str) -> None:
    """Put the text in its old place; an empty one goes."""
    if text:
        params[name] = text
    else:
        params.pop(name, None)


def read(params: QueryDict) -> ParsedSearch:
    """Read the box (`q`) and every filter of an address; a filter in both places asks for the values of both."""
    params, repeated = one_text_each(params, KEYS)
    query = parse(params.get("q", ""), BOX_KEYS)
    boxed: dict[str, list[Value]] = {key: [] for key in KEYS}
    for boxed_filter in query.filters:
        boxed[boxed_filter.key].append(boxed_filter.value)
    data = {}
    for key in KEYS:
        data[key] = ",".join(filter(None, (params.get(key, ""), join_values(boxed[key]))))
    known = names() if any(data.values()) else None
    form = IssueFilter(data, queryset=Issue.objects.all(), names=known.stored if known else None)
    errors = {key: [str(error) for error in messages] for key, messages in form.errors.items()} | repeated
    if query.mistakes:
        errors["q"] = [*errors.get("q", ()), *query.mistakes]
    return ParsedSearch(
        query=query,
        conditions=conditions(form),
        terms=tuple(_terms(params, boxed, form, known)) if known else (),
        errors=errors,
        notices=query.notices,
        params=params,
        data=data,
        form=form,
    )


def sort_of(name: str) -> tuple[Sort, dict[str, list[str]]]:
    """The order with this name, by relevance unless named, and what is wrong with the name."""
    try:
        return Sort(name or Sort.RELEVANCE.value), {}
    except ValueError:
        known = ", ".join(sort.value for sort in Sort)
        return Sort.RELEVANCE, {"sort": [f"Unknown order “{name[:40]}”. Choose one of: {known}."]}


def words_alone(query: Query) -> str:
    """The box's text without its filters."""
    return without_filter(query.text, BOX_KEYS)


def conditions(form: IssueFilter) -> tuple[Condition, ...]:
    """What the filters ask for, in the form that every engine takes; what is wrong is left out.

    Several wanted categories (`node`) mean all of them, so each is a condition of its own.
    """
    asked = []
    for key, choice in form.choices().items():
        if getattr(form.filters[key], "all_of", False):
            asked += [Condition(key, wanted=(value,)) for value in choice.wanted]
            if choice.unwanted:
                asked.append(Condition(key, unwanted=choice.unwanted))
        else:
            asked.append(Condition(key, choice.wanted, choice.unwanted, choice.low, choice.high))
    return tuple(asked)


def _terms(
    params: QueryDict, boxed: Mapping[str, Sequence[Value]], form: IssueFilter, known: Names
) -> Iterator[FilterTerm]:
    """The values of every filter: those of the address, then those of the box."""
    for key in KEYS:
        text = params.get(key, "")
        if len(text) <= MOST_CHARACTERS:
            for value in split_values(text)[:MOST_VALUES]:
                yield _term(key, value, form, known, in_box=False)
        for value in boxed[key]:
            yield _term(key, value, form, known, in_box=True)


def _term(key: str, value: Value, form: IssueFilter, known: Names, *, in_box: bool) -> FilterTerm:
    meant = _meant(form.form.fields[key], value)
    lookup = known.of(key)
    named = lookup.get(meant[0]) if lookup and len(meant) == 1 else None
    return FilterTerm(key, value, meant, named.name if named else value.text, in_box)


def _meant(field: Field, value: Value) -> tuple[str, ...]:
    if not isinstance(field, ChoiceField):
        return ()
    if field.lookup and field.lookup.find(value.text) is None:
        # The field would also look for the nearest names, which takes long.
        return ()
    try:
        return field.meant(value)
    except BadValueError:
        return ()
