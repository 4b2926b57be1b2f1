"""The kinds of filters: what each understands, and the condition it puts on rows.

A field makes a `Choice` of what was typed; a filter applies a `Choice` to a queryset. On issues, search engines get the
same choices, so that they and Postgres cannot disagree.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import django_filters as filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from kb.filters.lookup import Lookup, Named
from kb.filters.values import (
    EPOCH,
    MOST_CHARACTERS,
    MOST_VALUES,
    BadValueError,
    Choice,
    Value,
    day_number,
    overlap,
    shown,
    split_values,
    whole_number,
    years_of,
)

FEW = 8


class OneOf(filters.ChoiceFilter):
    """One value out of a fixed set; anything else is an error that names the choices."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", choose_from([str(value) for value, _ in kwargs["choices"]]))
        super().__init__(*args, **kwargs)


class YesOrNo(filters.TypedChoiceFilter):
    """`true` or `false`; anything else is an error, never "don't care"."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"choices": (("true", "Yes"), ("false", "No")), "coerce": lambda value: value == "true"}
        super().__init__(*args, error_messages=choose_from(["true", "false"]), **kwargs)


class WholeNumber(filters.NumberFilter):
    """A number without a fraction."""

    field_class = forms.IntegerField  # type: ignore[assignment]


def choose_from(choices: list[str]) -> dict[str, str]:
    """The message for a value that is none of these."""
    return {"invalid_choice": f"“%(value)s” is not known here. Choose one of: {', '.join(choices)}."}


class ChoiceField(forms.CharField):
    """Reads the values of one filter. `noun` is what one of them is called, `most` how many there may be.

    The values are `known`, or stand in the database: then `among` reads each with its name, or whoever uses the
    filters brings a `lookup`.
    """

    def __init__(
        self,
        *,
        noun: str = "value",
        most: int = MOST_VALUES,
        known: Sequence[Named] = (),
        among: Callable[[], Iterable[tuple[str, str]]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.noun = noun
        self.most = most
        self.is_fixed = bool(known)
        self.among = among
        self.lookup: Lookup | None = Lookup(known) if known else None

    def clean(self, raw: object) -> Choice | None:
        """What was asked for; None for nothing. Raises `ValidationError`."""
        text = super().clean(raw)
        if len(text) > MOST_CHARACTERS:
            raise ValidationError(f"This is too long: at most {MOST_CHARACTERS:,} characters.")
        values = split_values(text)
        if len(values) > self.most:
            raise ValidationError(f"At most {self.most} {plural(self.noun)} can be combined.")
        if not values:
            return None
        try:
            return self.choice(values)
        except BadValueError as error:
            raise ValidationError(str(error)) from error

    def choice(self, values: Iterable[Value]) -> Choice:
        """What these values ask for. Raises `BadValueError`."""
        wanted: dict[str, None] = {}
        unwanted: dict[str, None] = {}
        for value in values:
            (unwanted if value.unwanted else wanted).update(dict.fromkeys(self.meant(value)))
        return Choice(tuple(wanted), tuple(unwanted))

    def meant(self, value: Value) -> tuple[str, ...]:
        """The values in the form in which issues hold them. Raises `BadValueError`."""
        if self.lookup is None and self.among:
            self.lookup = Lookup(Named(*pair) for pair in self.among())
        if self.lookup is None:
            return (value.text,)
        found = self.lookup.find(value.text)
        if found is None:
            raise BadValueError(self._unknown(value.text, self.lookup))
        return (found,)

    def _unknown(self, text: str, lookup: Lookup) -> str:
        if self.is_fixed:
            every = ", ".join(named.value for named in lookup.values)
            return f"{shown(text)} is not known here. Choose one of: {every}."
        few = ", ".join(named.value for named in lookup.values[:FEW])
        near = "; ".join(map(str, lookup.nearest(text)))
        known = "Known are" if len(lookup.values) <= FEW else "Known are, among others"
        hint = f"Nearest: {near}." if near else f"{known}: {few}." if few else "None is known yet."
        return f"{shown(text)} is not {article(self.noun)} here. {hint}"


class YearField(ChoiceField):
    """Years, also as ranges."""

    def meant(self, value: Value) -> tuple[str, ...]:
        """Every year that the value stands for. Raises `BadValueError`."""
        return years_of(value)


class RangeField(ChoiceField):
    """A number within bounds; several bounds must all hold."""

    def choice(self, values: Iterable[Value]) -> Choice:
        """The bounds. Raises `BadValueError`."""
        return overlap(values, self.ends)

    def ends(self, text: str) -> tuple[int, int]:
        """The numbers that a text stands for. Raises `BadValueError`."""
        return whole_number(text)


class DayField(RangeField):
    """A date within bounds."""

    def ends(self, text: str) -> tuple[int, int]:
        """The days that a text stands for. Raises `BadValueError`."""
        return day_number(text)


class Values(filters.Filter):
    """Rows with any of the wanted values and none of the unwanted ones.

    The values stand in a column (`field_name`), or `holds` names the filter set's method that makes the condition
    for some values. With `all_of`, every wanted value must be there.
    """

    field_class = ChoiceField
    parent: Any  # the filter set, as django-filter sets it

    def __init__(self, *args: Any, holds: str = "", all_of: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.holds = holds
        self.all_of = all_of

    def filter(self, rows: QuerySet[Any], choice: Choice | None) -> QuerySet[Any]:
        """The rows that the choice leaves."""
        if choice is None:
            return rows
        groups = [(value,) for value in choice.wanted] if self.all_of else [choice.wanted]
        for group in filter(None, groups):
            rows = rows.filter(self.any_of(group))
        rows = rows.exclude(self.any_of(choice.unwanted)) if choice.unwanted else rows
        return rows.distinct() if self.distinct else rows

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that a row has one of the values."""
        if self.holds:
            condition: Q = getattr(self.parent, self.holds)(self.field_name, values)
            return condition
        return Q((f"{self.field_name}__in", values))


class YesOrNoValues(Values):
    """`true` or `false`. What is neither true nor false, because it is not known, has no value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        yes_no = (Named("true", "Yes"), Named("false", "No"))
        super().__init__(*args, known=yes_no, **kwargs)

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that an issue has one of the values."""
        if self.holds:
            return super().any_of(values)
        # Django takes a generated column for one that is never null.
        known = Q((f"{self.field_name}__isnull", False))
        return known & Q((f"{self.field_name}__in", [value == "true" for value in values]))


class Years(Values):
    """The year of a column with times."""

    field_class = YearField

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that the column's time lies in one of the years."""
        years = sorted(map(int, values))
        runs: list[tuple[int, int]] = []
        for year in years:
            if runs and runs[-1][1] == year - 1:
                runs[-1] = (runs[-1][0], year)
            else:
                runs.append((year, year))
        condition = Q()
        for first, last in runs:
            start, end = dt.datetime(first, 1, 1, tzinfo=dt.UTC), dt.datetime(last + 1, 1, 1, tzinfo=dt.UTC)
            condition |= Q((f"{self.field_name}__gte", start), (f"{self.field_name}__lt", end))
        return condition


class Numbers(filters.Filter):
    """Issues with a number within bounds; an issue whose number is not known is never within any."""

    field_class = RangeField
    parent: Any  # the filter set, as django-filter sets it

    def __init__(self, *args: Any, holds: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.holds = holds

    def filter(self, issues: QuerySet[Any], choice: Choice | None) -> QuerySet[Any]:
        """The issues that the bounds leave."""
        if choice is None:
            return issues
        if self.holds:
            return issues.filter(getattr(self.parent, self.holds)(choice))
        if choice.low is not None:
            issues = issues.filter(**{f"{self.field_name}__gte": self.start(choice.low)})
        if choice.high is not None:
            issues = issues.filter(**{f"{self.field_name}__lt": self.start(choice.high + 1)})
        return issues

    def start(self, number: int) -> object:
        """Where this number begins in the column."""
        return number


class Dates(Numbers):
    """Days, of a column with times (UTC)."""

    field_class = DayField

    def start(self, number: int) -> object:
        """The first moment of the day."""
        day = dt.date.fromordinal(EPOCH + number)
        return dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC)


class Days(Numbers):
    """Whole days, of a column with durations."""

    def start(self, number: int) -> object:
        """The shortest time of so many days."""
        return dt.timedelta(days=number)


def named(choices: Iterable[tuple[str, str]], **aliases: tuple[str, ...]) -> tuple[Named, ...]:
    """The values of a fixed set, with other names for some."""
    return tuple(Named(value, name, aliases.get(value, ())) for value, name in choices)


def article(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """The noun for several."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
